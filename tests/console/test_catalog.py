"""A version on its way: published, promoted, and accepted by those who use the app."""

from playwright.sync_api import BrowserContext, expect

from tests.console.browsing import HOME, choose, open_menu, row, tab
from tests.console.conftest import WIDER
from tests.e2e.shop import Shop

SHELF = "/projects/widgets/widgets-research/publishing/echo"


def test_a_version_that_asks_for_more_is_published_promoted_and_consented_to(
    maker: BrowserContext, owner: BrowserContext, echo: Shop
) -> None:
    with tab(maker) as made, tab(owner) as found:
        page = made.page
        made.open(SHELF)
        dialog = open_menu(page, WIDER, "Publish")
        made.look("publish-a-version")
        dialog.get_by_role("button", name="Publish").click()
        expect(row(page, WIDER).get_by_text("Published")).to_be_visible()
        page.get_by_role("button", name="Promote to staging").click()
        choose(page, "Version", WIDER)
        dialog.get_by_label("Reason").fill("tested for a week")
        made.look("promote-a-version")
        dialog.get_by_role("button", name="Promote", exact=True).click()
        expect(row(page, WIDER).get_by_text("staging")).to_be_visible()
        made.look("promoted", phone=True)
        page.get_by_role("tab", name="Promotions").click()
        expect(row(page, "tested for a week")).to_contain_text(f"became {WIDER}")
        made.look("promotions")

        found.open(f"{HOME}/entitlements")
        expect(row(found.page, "Echo")).to_contain_text("0.2.0")
        found.page.get_by_role("button", name=f"{WIDER} waits for consent").click()
        asks = found.page.get_by_role("dialog")
        expect(asks).to_contain_text("More than before")
        expect(asks.get_by_role("listitem").first).to_be_visible()
        found.look("what-is-new", phone=True)
        asks.get_by_role("button", name="Accept").click()
        expect(row(found.page, "Echo")).to_contain_text(WIDER)
        expect(found.page.get_by_text("waits for consent")).to_have_count(0)
        found.look("consented")


def test_an_entitlement_is_taken_away_given_anew_and_widened(
    owner: BrowserContext, echo: Shop
) -> None:
    with tab(owner) as found:
        found.open(f"{HOME}/entitlements")
        dialog = open_menu(found.page, "Echo", "Remove")
        dialog.get_by_role("button", name="Remove").click()
        expect(row(found.page, "Echo")).to_have_count(0)

    with tab(owner, refusals=True) as found:
        page = found.page
        dialog = page.get_by_role("dialog")
        found.open(f"{HOME}/catalog/echo")
        page.get_by_role("button", name="Allow it for this project").first.click()
        page.get_by_label("Only versions like").fill("~0.2.0")
        dialog.get_by_label("Only versions like").blur()
        expect(dialog).to_contain_text("What version 0.2.0 asks for")
        found.look("entitle")
        dialog.get_by_role("button", name="Accept and allow").click()
        expect(dialog).to_have_count(0)

        found.open(f"{HOME}/entitlements")
        expect(row(page, "Echo")).to_contain_text("only ~0.2.0")
        open_menu(page, "Echo", "Switch off").get_by_role("button", name="Switch off").click()
        expect(row(page, "Echo").get_by_text("Switched off")).to_be_visible()
        open_menu(page, "Echo", "Switch on").get_by_role("button", name="Switch on").click()
        expect(row(page, "Echo").get_by_text("In use")).to_be_visible()
        open_menu(page, "Echo", "Change versions")
        page.get_by_label("Only versions like").fill("*")
        dialog.get_by_role("button", name="Change", exact=True).click()
        expect(dialog).to_contain_text(f"Version {WIDER} asks for more than was accepted")
        found.look("change-asks-for-more")
        dialog.get_by_role("button", name="Accept and change").click()

        expect(row(page, "Echo")).to_contain_text(WIDER)
