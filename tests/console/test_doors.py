"""Who comes in, and what they see."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from anyio.from_thread import start_blocking_portal
from playwright.sync_api import Browser, BrowserContext, Page, expect

from moorage_lab import Lab
from tests.console import browsing, desk
from tests.console.browsing import HOME, row, tab
from tests.e2e.site import Site
from tests.e2e.world import Tenant
from tests.oidc import launch

CLIENT_SECRET = "corp and platform alone know it"
ADA = launch.Account("ada", "engine-room", email="ada@corp.example", name="Ada of Corp")
EVE = launch.Account("eve", "eavesdrop", "eve@corp.example", "Eve", email_verified=False)


def test_somebody_without_a_session_signs_in_and_lands_where_they_wanted_to_go(
    browser: Browser, site: Site
) -> None:
    context = browsing.new_context(browser, site)
    with tab(context, refusals=True) as found:
        found.page.goto(f"{HOME}/machines")
        found.look("sign-in", phone=True)
        found.page.get_by_label("E-mail").fill("admin@acme.example")
        found.page.get_by_role("textbox", name="Password").fill(
            "admin@acme.example has a long password"
        )
        found.page.get_by_role("button", name="Sign in", exact=True).click()

        expect(found.page).to_have_url(re.compile(f"{HOME}/machines$"))
    context.close()


def test_a_wrong_password_is_said_and_nothing_else_is(browser: Browser, site: Site) -> None:
    context = browsing.new_context(browser, site)
    with tab(context, refusals=True) as found:
        found.page.goto("/login")
        found.page.get_by_label("E-mail").fill("admin@acme.example")
        found.page.get_by_role("textbox", name="Password").fill("wrong password")
        found.page.get_by_role("button", name="Sign in", exact=True).click()

        expect(found.page.get_by_role("alert")).to_be_visible()
        expect(found.page).to_have_url(re.compile("/login$"))
    context.close()


@pytest.fixture(scope="module")
def corp(lab: Lab, site: Site, browser: Browser) -> Iterator[str]:
    """A sign-in provider that lets the platform ask: where it is."""
    callback = f"{site.url}/v1/auth/oidc/corp-login/callback"
    client = launch.Client("moorage", CLIENT_SECRET, [callback])
    with start_blocking_portal() as portal:
        provider = launch.running(client, accounts=[ADA, EVE])
        with portal.wrap_async_context_manager(provider) as issuer:
            with desk.reaching(lab, urlsplit(issuer).port or 80):
                yield issuer


def go_in_by_the_provider(page: Page, account: launch.Account) -> None:
    page.get_by_role("link", name="Sign in with Corp login").click()
    page.get_by_label("Login").fill(account.login)
    page.get_by_label("Password").fill(account.password)
    page.get_by_role("button", name="Log in").click()


@pytest.mark.skipif(
    launch.why_not() is not None, reason=f"the OIDC provider cannot start: {launch.why_not()}"
)
def test_a_provider_is_added_and_lets_in_whom_it_vouches_for(
    operator: BrowserContext, browser: Browser, site: Site, corp: str
) -> None:
    with tab(operator) as found:
        page = found.page
        found.open("/platform/people")
        page.get_by_role("button", name="Add a provider").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Name").fill("Corp login")
        dialog.get_by_label("Issuer").fill(corp)
        dialog.get_by_label("Client id").fill("moorage")
        dialog.get_by_label("Client secret").fill(CLIENT_SECRET)
        dialog.get_by_label("E-mail domains that it speaks for").fill("corp.example")
        page.keyboard.press("Enter")
        found.look("add-a-provider")
        dialog.get_by_role("button", name="Add it").click()
        expect(row(page, "Corp login")).to_contain_text("corp.example")
        found.look("providers")

    context = browsing.new_context(browser, site)
    with tab(context, refusals=True) as found:
        page = found.page
        page.goto("/login?to=/me")
        expect(page.get_by_role("link", name="Sign in with Corp login")).to_be_visible()
        found.look("sign-in-by-provider", phone=True)
        go_in_by_the_provider(page, EVE)
        expect(page).to_have_url(re.compile("/login"))
        expect(page.get_by_role("alert")).to_contain_text("vouches for no e-mail address")
        found.look("sign-in-came-to-nothing")
    context.close()

    context = browsing.new_context(browser, site)
    with tab(context, refusals=True) as found:
        page = found.page
        page.goto("/login?to=/me")
        go_in_by_the_provider(page, ADA)
        expect(page).to_have_url(re.compile("/me$"))
        expect(page.get_by_role("heading", name="Ada of Corp")).to_be_visible()
        found.look("first-sign-in")
        found.open("/")
        expect(page.get_by_text("You have no role in any project yet")).to_be_visible()
        found.look("first-home")
    context.close()


def test_a_stranger_sees_nothing_of_another_org(
    stranger: BrowserContext, owner: BrowserContext, acme: Tenant
) -> None:
    with tab(stranger) as found:
        found.page.goto(HOME)
        expect(found.page.get_by_text("There is nothing here")).to_be_visible()
        found.page.get_by_role("button", name="Choose a project").click()

        expect(found.page.get_by_role("option", name="Research")).to_have_count(1)
        expect(found.page.get_by_text("Acme")).to_have_count(0)


def test_the_menu_of_a_viewer_leads_only_where_they_may_look(viewer: BrowserContext) -> None:
    with tab(viewer) as found:
        found.open(HOME)
        menu = found.page.get_by_role("navigation", name="Main")

        expect(menu.get_by_role("link", name="Instances")).to_be_visible()
        expect(menu.get_by_role("link", name="Audit")).to_have_count(0)
        expect(menu.get_by_role("link", name="Nodes")).to_have_count(0)


def test_the_palette_leads_anywhere_by_a_few_letters(owner: BrowserContext) -> None:
    with tab(owner) as found:
        found.open(HOME)
        expect(found.page.get_by_role("button", name="Go to, or do")).to_be_visible()
        found.page.keyboard.press("Control+k")
        found.page.get_by_placeholder("Go to, or do").fill("machi")
        found.page.keyboard.press("Enter")

        expect(found.page).to_have_url(re.compile(f"{HOME}/machines$"))
