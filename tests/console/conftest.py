"""A platform that serves its console, hosts, an app in the catalog, people and a browser."""

import asyncio
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from moorage_echo import release
from moorage_lab import Lab
from moorage_lab import lab as labs
from tests.console import browsing, desk
from tests.e2e import shop, world
from tests.e2e import site as sites
from tests.e2e.callers import Caller
from tests.e2e.shop import Shop
from tests.e2e.site import Site
from tests.e2e.world import Member, Tenant
from tests.slurm import clusters
from tests.slurm.clusters import Held
from tests.slurm.conftest import (  # noqa: F401 - fixtures
    acme,
    admin,
    catalog,
    controller,
    slurm,
)

REASON = "needs chromium and hosts of a lab: `make setup` as root installs them"
HERE = Path(__file__).parent
NODES = 4
HOSTS = NODES + 1
"""One of them is no node: a test makes one of it."""
ECHO = (sys.executable, "-m", "moorage", "run", "moorage_echo.controller:app")
WIDER = "0.3.0"
"""The version of echo that asks for more than those before."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    able = os.geteuid() == 0 and all(map(shutil.which, ("chromium", "systemd-nspawn")))
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.lab)
            if not able:
                item.add_marker(pytest.mark.skip(reason=REASON))


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    name = f"c{os.getpid()}"
    try:
        yield Lab.up(name, hosts=HOSTS)
    finally:
        labs.down(name)


@pytest.fixture(scope="session")
def site(lab: Lab) -> Iterator[Site]:
    with sites.passing(str(lab.layout.address)) as running:
        yield running


@pytest.fixture(scope="session")
def nodes(lab: Lab, admin: Caller, acme: Tenant) -> list[Member]:  # noqa: F811
    return [world.enrol(admin, host) for host in lab.hosts[:NODES]]


@pytest.fixture(scope="session")
def machines(
    admin: Caller,  # noqa: F811
    acme: Tenant,  # noqa: F811
    nodes: list[Member],
) -> Iterator[list[Held]]:
    """Machines of the project; and its admin has a login on them."""
    me = acme.admin.get("/v1/me")["id"]
    acme.admin.post(f"/v1/orgs/{acme.org}/logins", {"user": me})
    with clusters.holding(admin, acme, nodes) as held:
        yield held


@pytest.fixture(scope="session")
def echo(
    site: Site,
    admin: Caller,  # noqa: F811
    acme: Tenant,  # noqa: F811
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Shop]:
    """An app that is quick to deploy, with somebody to do its work: what any app will do for."""
    publisher = world.make_tenant(site, admin, "widgets")
    place = tmp_path_factory.mktemp("echo")
    opening = shop.open_shop(
        site, publisher, cut_echo, ("0.1.0", "0.2.0"), drafts=[WIDER], place=place
    )
    made = asyncio.run(opening)
    shop.entitle(acme, made)
    with shop.controller(site, made, ECHO, log=place / "log"):
        yield made


def cut_echo(version: str, folder: Path) -> Path:
    """Versions of echo, of which one asks for more."""
    cut = release.cut(version, folder)
    if version == WIDER:
        manifest = cut / "manifest.yaml"
        asks = manifest.read_text().replace("scopes: [", "scopes: [principals.read, ")
        manifest.write_text(asks)
    return cut


@pytest.fixture(scope="session")
def browser(
    lab: Lab,
    slurm: Shop,  # noqa: F811
    echo: Shop,
    nodes: list[Member],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Browser]:
    """Debian's chromium. It comes after all that runs an event loop of its own to get ready."""
    place = tmp_path_factory.mktemp("desk")
    with desk.in_lab(lab, place) as chromium, sync_playwright() as started:
        yield started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])


def password_of(email: str) -> str:
    """What `world.make_person` lets everybody choose."""
    return f"{email} has a long password"


def _signed_in(browser: Browser, site: Site, email: str, password: str) -> Iterator[BrowserContext]:
    context = browsing.new_context(browser, site)
    browsing.sign_in(context, site, email, password)
    yield context
    context.close()


def _with_role(tenant: Tenant, site: Site, admin: Caller, email: str, role: str) -> str:  # noqa: F811
    given = {"email": email, "role": role}
    tenant.admin.post(f"/v1/projects/{tenant.project}/memberships", given)
    world.make_person(site, admin, email)
    return email


@pytest.fixture(scope="session")
def operator(browser: Browser, site: Site) -> Iterator[BrowserContext]:
    """The platform's admin, at a browser."""
    yield from _signed_in(browser, site, "admin@localhost", site.password)


@pytest.fixture(scope="session")
def owner(browser: Browser, site: Site) -> Iterator[BrowserContext]:
    """The admin of the project."""
    email = "admin@acme.example"
    yield from _signed_in(browser, site, email, password_of(email))


@pytest.fixture(scope="session")
def publisher(browser: Browser, site: Site) -> Iterator[BrowserContext]:
    """The admin of the app's own project."""
    email = "admin@hpc.example"
    yield from _signed_in(browser, site, email, password_of(email))


@pytest.fixture(scope="session")
def maker(browser: Browser, site: Site) -> Iterator[BrowserContext]:
    """The admin of the project that publishes echo."""
    email = "admin@widgets.example"
    yield from _signed_in(browser, site, email, password_of(email))


@pytest.fixture(scope="session")
def viewer(
    browser: Browser,
    site: Site,
    acme: Tenant,  # noqa: F811
    admin: Caller,  # noqa: F811
) -> Iterator[BrowserContext]:
    """Somebody who may look."""
    email = _with_role(acme, site, admin, "vera@acme.example", "viewer")
    yield from _signed_in(browser, site, email, password_of(email))


@pytest.fixture(scope="session")
def stranger(browser: Browser, site: Site, admin: Caller) -> Iterator[BrowserContext]:  # noqa: F811
    """Somebody of another org."""
    world.make_tenant(site, admin, "strangers")
    email = "admin@strangers.example"
    yield from _signed_in(browser, site, email, password_of(email))
