"""From an error that somebody is shown to why it happened."""

import re

from playwright.sync_api import BrowserContext, Page, expect

from tests.console.browsing import tab
from tests.e2e.site import Site
from tests.e2e.world import Tenant

ID = re.compile("[0-9a-z]{26}")


def ask_for_a_code(site: Site) -> str:
    """What a program shows to whoever is to let it in."""
    asked = {"client": "moor on build-7", "token_expires_in": 3600}
    return site.anybody().post("/v1/auth/device-codes", asked)["user_code"]


def follow(page: Page) -> None:
    """Take the link that stands with an error, which names the request that it is about."""
    link = page.get_by_role("link", name="What happened?")
    expect(link).to_contain_text(ID)
    link.click()
    expect(page).to_have_url(re.compile(f"/triage/{ID.pattern}$"))
    expect(page.get_by_role("heading", name="Why it was refused")).to_be_visible()


def test_a_refusal_at_the_edge_of_the_screen_leads_to_its_triage(
    owner: BrowserContext, site: Site
) -> None:
    code = ask_for_a_code(site)
    with tab(owner, refusals=True) as found, tab(owner) as beside:
        found.open(f"/login/code?code={code}")
        beside.open(f"/login/code?code={code}")
        beside.page.get_by_role("button", name="Refuse").click()
        expect(beside.page.get_by_text("It is refused")).to_be_visible()

        found.page.get_by_role("button", name="Let it in").click()
        expect(found.page.get_by_role("alert")).to_contain_text(ID)
        found.look("toast-of-a-refusal")
        follow(found.page)

        expect(found.page.get_by_role("heading", name="All in order")).to_be_visible()
        found.look("triage-of-a-refusal", phone=True)


def test_a_refusal_in_a_dialog_leads_to_its_triage(owner: BrowserContext, acme: Tenant) -> None:
    with tab(owner, refusals=True) as found:
        found.open("/orgs/acme")
        found.page.get_by_role("button", name="New project").click()
        dialog = found.page.get_by_role("dialog")
        dialog.get_by_label("Name").fill("Acme research")
        dialog.get_by_role("button", name="Make it").click()
        expect(dialog.get_by_role("alert")).to_contain_text("acme-research")
        found.look("refused-in-a-dialog")
        follow(found.page)

        expect(found.page.get_by_text("acme-research").first).to_be_visible()
