"""One platform on loopback with simulated hosts, for every run of the kit."""

from collections.abc import Iterator

import pytest

from core.tests.embedded import places
from moorage_conformance import publishing
from moorage_core.embedded import folder
from moorage_lab.simulated import Host
from tests.e2e import playing, world
from tests.e2e import site as sites
from tests.e2e.callers import Caller
from tests.e2e.site import Site

HOSTS = 6
RUN = "k1"
"""The name of the run that judges echo: simulated hosts know its program by version."""
SETTINGS = {
    "MOORAGE_LOG__LEVEL": "warning",
    "MOORAGE_LIMITS__ANONYMOUS_PER_SECOND": "10000",
    "MOORAGE_LIMITS__ANONYMOUS_BURST": "10000",
}


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """A platform on loopback."""
    with places.open_place() as place:
        running = Site(place / "data", "127.0.0.1", sites.free_port("127.0.0.1"), dict(SETTINGS))
        try:
            running.start()
            yield running
        finally:
            running.close()
            places.stop(folder.prepare(running.data))


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
