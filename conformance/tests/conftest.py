"""One platform on loopback with simulated hosts, for every run of the kit."""

from collections.abc import Iterator

import pytest

from moorage_conformance import publishing
from moorage_lab.simulated import Host
from tests.e2e import playing, world
from tests.e2e import site as sites
from tests.e2e.callers import Caller
from tests.e2e.site import Site

HOSTS = 6
RUN = "k1"
"""The name of the run that judges echo: simulated hosts know its program by version."""


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """A platform on loopback."""
    with sites.passing(sites.LOOPBACK, sites.CROWDED) as running:
        yield running


@pytest.fixture(scope="session")
def admin(site: Site) -> Caller:
    """Somebody who runs the platform."""
    caller = site.admin()
    world.make_fleet(caller)
    return caller


@pytest.fixture(scope="session")
def machines(site: Site, admin: Caller) -> Iterator[list[Host]]:
    """Hosts that are there for whoever asks."""
    with playing.hosts(site, admin, HOSTS, versions=publishing.numbers("0.1.0", RUN)) as made:
        yield made
