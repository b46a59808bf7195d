"""The life of a cluster, by clicks alone."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.console.browsing import (
    HOME,
    LONG_MS,
    Tab,
    choose,
    decommission,
    open_menu,
    row,
    tab,
)
from tests.slurm.clusters import Held

SCRIPT = "#!/bin/sh\nsleep 20\n"
STILL_THERE = re.compile("pending|configuring|running|completing", re.IGNORECASE)
WRAPPER = "/usr/sbin/mariadb"
"""Stands before the real client, and is of no use."""


def deploy(found: Tab, name: str, parts: dict[str, list[str]]) -> str:
    """Go through the wizard, and on to the page of what it made: its address."""
    page = found.page
    found.open(f"{HOME}/catalog")
    page.get_by_role("link", name="Deploy Slurm").click()
    page.get_by_label("Name").fill(name)
    choose(page, "Version", "1.0.0")
    page.get_by_role("button", name="Next: machines").click()
    for part, hosts in parts.items():
        section = page.locator("section").filter(has=page.get_by_role("heading", name=part))
        section.get_by_text("Machines you hold").click()
        choose(page, f"Machines for {part.lower()}", *hosts)
    page.get_by_role("button", name="Next: configuration").click()
    page.get_by_role("button", name=re.compile("^Next: ")).click()
    expect(page.get_by_text(re.compile("per hour|an hour")).first).to_be_visible()
    found.look(f"deploy-{name}-review")
    page.get_by_role("button", name=f"Deploy {name}").click()
    page.wait_for_url(re.compile(f"{HOME}/instances/ins_"))
    return page.url.split("?")[0]


def ask(page: Page, name: str, verb: str, *, reason: str = "the test wants it") -> None:
    """A verb of a member, from its menu to its dialog."""
    dialog = open_menu(page, name, verb)
    dialog.get_by_label("Reason").fill(reason)
    dialog.get_by_role("button", name=verb, exact=True).click()
    expect(dialog).to_have_count(0)


@pytest.fixture(scope="module")
def cluster(owner: BrowserContext, machines: list[Held]) -> Iterator[str]:
    """A cluster that the wizard made: the address of its page."""
    with tab(owner) as found:
        parts = {"Controller": [machines[0][0].host.name], "Worker": [machines[1][0].host.name]}
        url = deploy(found, "harbour", parts)
        found.look("deploying", phone=True)
        expect(found.page.get_by_text("Running", exact=True).first).to_be_visible(timeout=LONG_MS)
    yield url
    # What the last test asked for may not have ended yet: a plan is refused then, and made again.
    with tab(owner, refusals=True) as found:
        decommission(found, url, "harbour")


TABS = (
    "",
    "/members",
    "/views",
    "/actions",
    "/operations",
    "/config",
    "/versions",
    "/access",
    "/events",
    "/lifecycle",
)


@pytest.mark.parametrize("path", TABS)
def test_each_tab_of_a_running_cluster_can_be_read_by_everybody(
    path: str, owner: BrowserContext, cluster: str
) -> None:
    with tab(owner) as found:
        found.open(cluster + path)
        expect(found.page.get_by_text("Healthy").first).to_be_visible(timeout=LONG_MS)
        found.look(f"instance-{path.strip('/') or 'overview'}", phone=path in ("", "/members"))


def test_a_job_from_the_browser_is_seen_to_its_end(owner: BrowserContext, cluster: str) -> None:
    with tab(owner) as found, tab(owner) as beside:
        found.open(f"{cluster}/actions")
        found.page.get_by_role("button", name="Submit a job").first.click()
        found.page.get_by_label("Script").fill(SCRIPT)
        found.page.get_by_label("Name").fill("first-light")
        found.page.locator("form").get_by_role("button", name="Submit a job").click()
        expect(found.page.get_by_text("Submit a job: done")).to_be_visible(timeout=LONG_MS)
        found.look("job-submitted")

        beside.open(f"{cluster}/views/slurm.queue")
        job = row(beside.page, "first-light")
        expect(job).to_be_visible(timeout=LONG_MS)
        beside.look("queue")
        expect(job.get_by_text(STILL_THERE)).to_have_count(0, timeout=LONG_MS)


def test_a_worker_is_added_drained_and_removed(
    owner: BrowserContext, cluster: str, machines: list[Held]
) -> None:
    with tab(owner) as found:
        page = found.page
        found.open(f"{cluster}/members")
        page.get_by_role("button", name="Add members").click()
        dialog = page.get_by_role("dialog")
        choose(page, "One member on each of", machines[2][0].host.name)
        found.look("add-members")
        dialog.get_by_role("button", name=re.compile("^Add ")).click()
        expect(row(page, "worker-2").get_by_text("Ready")).to_be_visible(timeout=LONG_MS)

        ask(page, "worker-2", "Drain")
        expect(row(page, "worker-2").get_by_text("Drained", exact=True)).to_be_visible(
            timeout=LONG_MS
        )
        found.look("drained")

        ask(page, "worker-2", "Remove")
        expect(row(page, "worker-2")).to_have_count(0, timeout=LONG_MS)


def test_a_viewer_sees_all_of_it_and_each_button_says_why_not(
    viewer: BrowserContext, cluster: str
) -> None:
    with tab(viewer) as found:
        found.open(f"{cluster}/members")
        button = found.page.get_by_role("button", name="Add members")
        button.hover()

        expect(button).to_have_attribute("aria-disabled", "true")
        expect(found.page.get_by_role("tooltip")).to_contain_text("apps.member.add")
        expect(row(found.page, "worker-1").get_by_text("Ready")).to_be_visible()


def test_a_stranger_with_the_address_sees_nothing(stranger: BrowserContext, cluster: str) -> None:
    with tab(stranger, refusals=True) as found:
        found.page.goto(cluster)

        expect(found.page.get_by_text("There is nothing here")).to_be_visible()
        expect(found.page.get_by_text("harbour")).to_have_count(0)


def test_a_deployment_that_stands_still_goes_on_by_the_verb_that_is_offered(
    owner: BrowserContext, machines: list[Held]
) -> None:
    host = machines[3][0].host
    host.run(f"printf '#!/bin/sh\\nexit 1\\n' >{WRAPPER}; chmod 755 {WRAPPER}")
    with tab(owner) as found:
        page = found.page
        url = deploy(found, "reef", {"Controller": [host.name]})
        expect(page.get_by_text("controller-1 stands still")).to_be_visible(timeout=LONG_MS)
        found.look("stands-still", phone=True)
        host.run(f"rm {WRAPPER}")
        page.get_by_role("button", name="Let it go on").click()
        page.get_by_role("dialog").get_by_label("Reason").fill("the wrapper is gone")
        page.get_by_role("dialog").get_by_role("button", name="Let it go on").click()

        expect(page.get_by_text("Running", exact=True).first).to_be_visible(timeout=LONG_MS)
        decommission(found, url, "reef")


def test_what_failed_leads_to_its_triage(owner: BrowserContext, cluster: str) -> None:
    with tab(owner, refusals=True) as found:
        found.open(f"{cluster}/actions?action=slurm.cancel")
        found.page.get_by_label(re.compile("^Job")).fill("999999")
        found.page.locator("form").get_by_role("button", name="Cancel a job").click()
        expect(found.page.get_by_text(re.compile("There is no job"))).to_be_visible(timeout=LONG_MS)
        found.page.get_by_role("link", name="See every step").click()
        found.page.get_by_role("link", name="Everything that came of it").click()

        expect(found.page).to_have_url(re.compile("/triage/"))
        expect(found.page.get_by_text(re.compile("There is no job")).first).to_be_visible()
        found.look("triage-cause")
