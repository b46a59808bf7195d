"""What a page does when the platform goes and comes, and how a terminal is let in."""

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx2
from playwright.sync_api import BrowserContext, expect

from tests.console.browsing import tab
from tests.e2e.callers import wait_until
from tests.e2e.site import Site
from tests.e2e.world import Tenant

MOOR = Path(sys.executable).parent / "moor"
CODE = re.compile(r"\b[A-Z]{4}-[A-Z]{4}\b")
LOST = "The connection to the platform is lost"


def is_up(site: Site) -> bool:
    try:
        return site.anybody().answer("GET", "/v1/status").status_code == 200
    except httpx2.TransportError:
        return False


def test_a_page_says_that_it_may_be_old_and_catches_up_by_itself(
    owner: BrowserContext, site: Site, acme: Tenant
) -> None:
    with tab(owner, refusals=True) as found:
        found.open("/orgs/acme")
        site.stop()
        expect(found.page.get_by_text(LOST)).to_be_visible()

        site.start()
        named = {"slug": "acme-later", "name": "Meanwhile"}
        acme.admin.post(f"/v1/orgs/{acme.org}/projects", named)

        expect(found.page.get_by_text("Meanwhile").first).to_be_visible()
        expect(found.page.get_by_text(LOST)).to_have_count(0)


def test_a_server_that_is_killed_is_back_before_anybody_has_to_do_anything(
    owner: BrowserContext, site: Site, acme: Tenant
) -> None:
    with tab(owner, refusals=True) as found:
        found.open("/orgs/acme")
        site.kill_workers()
        named = {"slug": "acme-killed", "name": "After the kill"}
        wait_until(lambda: is_up(site))
        acme.admin.post(f"/v1/orgs/{acme.org}/projects", named)

        expect(found.page.get_by_text("After the kill").first).to_be_visible()


def test_a_terminal_is_let_in_by_a_code_that_is_approved_in_the_browser(
    owner: BrowserContext, site: Site, tmp_path: Path
) -> None:
    home = os.environ | {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    words = [str(MOOR), "login", site.url, "--code", "--ca", str(site.ca)]
    with subprocess.Popen(
        words, env=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as moor:
        assert moor.stdout is not None
        shown = next(line for line in moor.stdout if CODE.search(line))
        code = CODE.search(shown)
        assert code is not None
        with tab(owner) as found:
            found.open(f"/login/code?code={code[0]}")
            found.look("let-a-terminal-in")
            found.page.get_by_role("button", name="Let it in").click()
            expect(found.page.get_by_text("It is let in")).to_be_visible()
        assert moor.wait(60) == 0

    said = subprocess.run(
        [str(MOOR), "whoami"], env=home, capture_output=True, text=True, check=True
    )
    assert "admin" in said.stdout
