"""An instance is changed, upgraded and taken back, each time with its plan before it."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.console.browsing import HOME, SETTLE_MS, decommission, row, section, tab
from tests.e2e import deployed
from tests.e2e.shop import Shop
from tests.e2e.world import Tenant
from tests.slurm.clusters import Held

OPERATION = re.compile(r"/operations/opn_\w+$")


@pytest.fixture(scope="module")
def beacon(acme: Tenant, echo: Shop, machines: list[Held], owner: BrowserContext) -> Iterator[str]:
    """An instance of an app for which it does not matter which: the address of its page."""
    made = deployed.deploy(acme, echo, "beacon", leader=[machines[-1][1]])
    url = f"{HOME}/instances/{made.id}"
    yield url
    with tab(owner, refusals=True) as found:
        decommission(found, url, "beacon")


def until_done(page: Page) -> None:
    """The page of the operation that was asked for, at its end."""
    expect(page).to_have_url(OPERATION)
    state = page.get_by_role("heading", level=1).locator("..").get_by_text("Done", exact=True)
    expect(state).to_be_visible(timeout=2 * SETTLE_MS)


def test_an_instance_is_configured_upgraded_and_rolled_back(
    owner: BrowserContext, beacon: str
) -> None:
    with tab(owner) as found:
        page = found.page
        dialog = page.get_by_role("dialog")
        found.open(f"{beacon}/config")
        page.get_by_label("Most keys").fill("500")
        page.get_by_label("Note").fill("of the night shift")
        expect(page.get_by_text("2 fields changed")).to_be_visible()
        page.get_by_role("button", name="Review the change").click()
        expect(dialog).to_contain_text("of the night shift")
        expect(dialog.get_by_role("button", name="Apply")).to_be_enabled()
        found.look("configure-plan", phone=True)
        dialog.get_by_role("button", name="Apply").click()
        until_done(page)
        found.look("configured")

        found.open(f"{beacon}/versions")
        row(section(page, "Versions").page, "0.2.0").get_by_role("button", name="Upgrade").click()
        expect(dialog.get_by_role("button", name="Upgrade to 0.2.0")).to_be_enabled()
        found.look("upgrade-plan")
        dialog.get_by_role("button", name="Upgrade to 0.2.0").click()
        until_done(page)

        found.open(f"{beacon}/versions")
        expect(section(page, "Running now")).to_contain_text("0.2.0")
        back = section(page, "The way back")
        back.get_by_role("row").filter(has_text="Change configuration").get_by_role(
            "button"
        ).click()
        expect(dialog).to_contain_text("From version 0.2.0 back to 0.1.0")
        found.look("rollback-plan", phone=True)
        if dialog.get_by_label(re.compile("^Type")).count():
            dialog.get_by_label(re.compile("^Type")).fill("beacon")
        dialog.get_by_role("button", name="Go back").click()
        until_done(page)

        found.open(f"{beacon}/config")
        expect(page.get_by_label("Note")).to_have_value("of the night shift")
        page.get_by_role("button", name="What changed").first.click()
        found.look("revision")
