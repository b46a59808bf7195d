"""A person at a browser: signs in, opens pages, and looks at them as a demanding reader would."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, Locator, Page, ViewportSize, expect

from tests.e2e.site import Site

REPO = Path(__file__).parents[2]
AXE = REPO / "console/node_modules/axe-core/axe.min.js"
PICTURES = REPO / ".cache/screenshots"
DESK: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}
SETTLE_MS = 30_000
LONG_MS = 300_000
HOME = "/projects/acme/acme-research"
SCHEMES: dict[Literal["light", "dark"], dict[str, Any]] = {
    "light": {"resultTypes": ["violations"]},
    "dark": {"resultTypes": ["violations"], "runOnly": ["color-contrast"]},
}
"""What axe is asked in each: in the dark, what does not depend on colours is as it was."""
SERIOUS = {"serious", "critical"}
expect.set_options(timeout=SETTLE_MS)
CALM = "*, ::before, ::after { animation: none !important; transition: none !important; }"


@dataclass
class Tab:
    """One page of a browser, which keeps what went wrong in it until it is closed."""

    page: Page
    problems: list[str] = field(default_factory=list[str])

    def open(self, path: str) -> None:
        """Go there, and wait until the page has a face that is not `loading`."""
        self.page.goto(path)
        self.settle()

    def settle(self) -> None:
        expect(self.page.locator("[aria-busy=true]")).to_have_count(0)
        expect(self.page.get_by_role("heading", level=1).first).to_be_visible(timeout=SETTLE_MS)

    def look(self, name: str, *, phone: bool = False) -> None:
        """Pictures in light and dark, none of which may be hard to read for anybody."""
        self.settle()
        PICTURES.mkdir(parents=True, exist_ok=True)
        for scheme, asked in SCHEMES.items():
            self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            self.page.screenshot(path=PICTURES / f"{name}-{scheme}.png", style=CALM)
            self.problems += [f"{name}, {scheme}: {each}" for each in self.violations(asked)]
        self.page.emulate_media(color_scheme="light", reduced_motion="reduce")
        if phone:
            self._look_on_a_phone(name)

    def _look_on_a_phone(self, name: str) -> None:
        self.page.set_viewport_size(PHONE)
        self.page.screenshot(path=PICTURES / f"{name}-phone.png", style=CALM)
        wide = self.page.evaluate("document.documentElement.scrollWidth")
        self.page.set_viewport_size(DESK)
        if wide > PHONE["width"]:
            self.problems.append(f"{name} is {wide} px wide on a phone")

    def violations(self, asked: dict[str, Any]) -> list[str]:
        """What axe finds that shuts somebody out."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text())
        found: dict[str, Any] = self.page.evaluate("asked => axe.run(asked)", asked)
        return [
            f"{each['id']}: {each['help']}: {node['html'][:200]}"
            for each in found["violations"]
            if each["impact"] in SERIOUS
            for node in each["nodes"][:3]
        ]


def sign_in(context: BrowserContext, site: Site, email: str, password: str) -> None:
    """By the form, as anybody does."""
    page = context.new_page()
    page.goto(f"{site.url}/login")
    page.get_by_label("E-mail").fill(email)
    page.get_by_role("textbox", name="Password").fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_label(re.compile("^Your account"))).to_be_visible(timeout=SETTLE_MS)
    page.close()


@contextmanager
def tab(context: BrowserContext, *, refusals: bool = False) -> Iterator[Tab]:
    """A page in which nothing breaks: no error in its console, nothing that its policy forbids.

    With `refusals` the platform may say no, which browsers log as an error.
    """
    found = Tab(context.new_page())

    def hear(kind: str, text: str) -> None:
        if kind == "error" and not (refusals and text.startswith("Failed to load resource")):
            found.problems.append(text)

    found.page.on("console", lambda said: hear(said.type, f"{said.text} {said.location['url']}"))
    found.page.on("pageerror", lambda error: found.problems.append(str(error)))
    try:
        yield found
        assert not found.problems, found.problems
    except BaseException:
        PICTURES.mkdir(parents=True, exist_ok=True)
        found.page.screenshot(path=PICTURES / "failed.png", style=CALM)
        raise
    finally:
        found.page.close()


def new_context(browser: Browser, site: Site) -> BrowserContext:
    """A browser of its own: with nobody signed in. The platform's authority is its own, too."""
    return browser.new_context(
        base_url=site.url, viewport=DESK, ignore_https_errors=True, locale="en-GB"
    )


def choose(page: Page, label: str, *options: str) -> None:
    """Open a list and take these."""
    field = page.get_by_role("combobox", name=label)
    if field.count() == 0:
        field = page.get_by_label(label, exact=True).first
    field.click()
    for option in options:
        page.get_by_role("option", name=option).click()
    if page.get_by_role("option").count():  # one of which several can be taken stays open
        page.keyboard.press("Escape")


def row(page: Page, text: str) -> Locator:
    return page.get_by_role("row").filter(has_text=text)


def section(page: Page, title: str) -> Locator:
    """A part of a page, by its heading."""
    return page.locator("section").filter(has=page.get_by_role("heading", name=title, exact=True))


def open_menu(page: Page, of: str, verb: str) -> Locator:
    """Take a verb from the menu of a row; the dialog that it opens."""
    page.get_by_role("button", name=f"What can be done with {of}").click()
    page.get_by_role("menuitem", name=verb).click()
    return page.get_by_role("dialog")


def decommission(found: Tab, url: str, name: str) -> None:
    found.open(f"{url}/lifecycle")
    found.page.get_by_role("button", name="Decommission").click()
    dialog = found.page.get_by_role("dialog")
    dialog.get_by_label(re.compile("^Type")).fill(name)
    if dialog.get_by_label("Reason").count():
        dialog.get_by_label("Reason").fill("the test is over")
    dialog.get_by_role("button", name="Decommission").click()
    expect(found.page.get_by_text("Nothing was left behind")).to_be_visible(timeout=LONG_MS)
    found.look(f"decommissioned-{name}")
