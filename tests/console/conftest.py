"""A platform that serves its console, hosts, an app in the catalog, people and a browser."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from moorage_lab import Lab
from moorage_lab import lab as labs
from tests.console import browsing, desk
from tests.e2e import site as sites
from tests.e2e import world
from tests.e2e.callers import Caller
from tests.e2e.shop import Shop
from tests.e2e.site import Site
from tests.e2e.world import Member, Tenant
from tests.slurm.conftest import (  # noqa: F401 - fixtures
    acme,
    admin,
    catalog,
    controller,
    nodes,
    slurm,
)

REASON = "needs chromium and hosts of a lab: `make setup` as root installs them"
HERE = Path(__file__).parent
HOSTS = 4


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
def browser(
    lab: Lab,
    slurm: Shop,  # noqa: F811
    nodes: list[Member],  # noqa: F811
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
