"""A platform and a lab for the session: real processes, real hosts, each host a node."""

import os
import shutil
from collections.abc import Iterator

import pytest

from moorage_lab import Host, Lab, needs
from moorage_lab import lab as labs
from tests.e2e import site as sites
from tests.e2e import work, world
from tests.e2e.callers import Caller
from tests.e2e.site import Site
from tests.e2e.world import Member, Tenant

REASON = "needs root, systemd-container and mmdebstrap: `make setup` as root installs them"
HOSTS = 3


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    programs = [*needs.TO_RUN, *needs.TO_BUILD]
    if os.geteuid() == 0 and all(shutil.which(program) for program in programs):
        return
    for item in items:
        if item.get_closest_marker("lab"):
            item.add_marker(pytest.mark.skip(reason=REASON))


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    """Three hosts: two that become nodes, and a spare one."""
    name = f"e{os.getpid()}"
    try:
        yield Lab.up(name, hosts=HOSTS)
    finally:
        labs.down(name)


@pytest.fixture(scope="session")
def site(lab: Lab) -> Iterator[Site]:
    """The platform, on the lab's address."""
    with sites.passing(str(lab.layout.address)) as running:
        yield running


@pytest.fixture(scope="session")
def admin(site: Site) -> Caller:
    """The platform's admin."""
    return site.admin()


@pytest.fixture(scope="session")
def fleet(admin: Caller) -> str:
    """The region that the lab is; its SKU is there as well."""
    world.make_fleet(admin)
    return world.REGION


@pytest.fixture(scope="session")
def acme(site: Site, admin: Caller) -> Tenant:
    return world.make_tenant(site, admin, "acme")


@pytest.fixture(scope="session")
def rival(site: Site, admin: Caller) -> Tenant:
    return world.make_tenant(site, admin, "rival")


@pytest.fixture(scope="session")
def members(lab: Lab, admin: Caller, fleet: str) -> list[Member]:
    """The first two hosts, enrolled by the pasted line."""
    return [world.enrol(admin, host) for host in lab.hosts[:2]]


@pytest.fixture(scope="session")
def held(admin: Caller, acme: Tenant, members: list[Member]) -> tuple[Member, str]:
    """The second host, held by acme: tests put right what they break."""
    return members[1], work.allocate(admin, acme, members[1])


@pytest.fixture
def spare(lab: Lab) -> Host:
    """The last host: tests make nodes of it, and retire them."""
    return lab.hosts[2]
