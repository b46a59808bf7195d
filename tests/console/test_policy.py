"""Limits that a project sets itself, from the form to the answer of "May I?"."""

import re

from playwright.sync_api import BrowserContext, Page, expect

from tests.console.browsing import HOME, choose, section, tab
from tests.e2e.shop import Shop

LAYER = "The project\u2019s own limits"
HERE = "What holds here"


def check(page: Page) -> None:
    page.get_by_role("button", name="Check, then save").click()
    expect(page.get_by_role("dialog")).to_contain_text("What this would change")


def test_a_limit_is_tried_saved_and_felt_and_taken_back(owner: BrowserContext, echo: Shop) -> None:
    with tab(owner) as found:
        page = found.page
        found.open(f"{HOME}/policy?do=instance.deploy&app=echo")
        expect(page.get_by_text("Yes, policy allows it.")).to_be_visible()
        section(page, LAYER).get_by_role("button", name="Edit").click()
        page.get_by_role("button", name="Limit an app").click()
        page.get_by_role("combobox", name="App").last.fill("echo")
        page.keyboard.press("Escape")
        page.get_by_label("Versions", exact=True).fill("<0.2")
        page.get_by_role("group", name="What may be done").get_by_label("Never").click()
        page.get_by_role("option", name="Restart").click()
        page.keyboard.press("Escape")
        found.look("policy-draft", phone=True)

        check(page)
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("allows versions <0.2 of echo")
        found.look("policy-dry-run")
        dialog.get_by_role("button", name="Save it nevertheless").click()
        expect(section(page, HERE)).to_contain_text("echo: <0.2")
        expect(section(page, LAYER)).to_contain_text("Not Restart")
        expect(section(page, "May I?")).to_contain_text("It would be version 0.1.0")
        page.get_by_label("Version", exact=True).fill("0.2.0")
        expect(page.get_by_text("No, policy refuses it.")).to_be_visible()
        found.look("policy-refuses")
        choose(page, "What", "Restart")
        expect(
            page.get_by_text(re.compile("project.s policy", re.IGNORECASE)).first
        ).to_be_visible()

        section(page, LAYER).get_by_role("button", name="Edit").click()
        page.get_by_role("button", name="Remove the limit on echo").click()
        page.get_by_role("group", name="What may be done").get_by_label("Never").click()
        page.keyboard.press("Backspace")
        page.keyboard.press("Escape")
        check(page)
        expect(dialog).to_contain_text("It takes nothing away")
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(section(page, LAYER)).to_contain_text("Nothing is limited.")


def test_a_limit_that_cannot_be_read_is_refused_before_it_is_saved(
    owner: BrowserContext, echo: Shop
) -> None:
    with tab(owner, refusals=True) as found:
        page = found.page
        found.open(f"{HOME}/policy?edit=project")
        page.get_by_role("button", name="Limit an app").click()
        page.get_by_role("combobox", name="App").last.fill("echo")
        page.keyboard.press("Escape")
        page.get_by_label("Versions", exact=True).fill("newer than yesterday")
        page.get_by_role("button", name="Check, then save").click()

        expect(page.get_by_role("alert")).to_contain_text("newer than yesterday")
        found.look("policy-refused")
