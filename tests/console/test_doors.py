"""Who comes in, and what they see."""

import re

from playwright.sync_api import Browser, BrowserContext, expect

from tests.console import browsing
from tests.console.browsing import tab
from tests.e2e.site import Site
from tests.e2e.world import Tenant

HOME = "/projects/acme/acme-research"


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
