"""A host without agent on loopback, and a project's machine that is it."""

from collections.abc import Iterator
from typing import Any

import pytest

from core.tests.credentials import daemon, places
from core.tests.credentials.daemon import Daemon
from core.tests.embedded.places import open_place
from core.tests.site import Site
from core.tests.tasks.workplaces import Workplace


@pytest.fixture
def host() -> Iterator[Daemon]:
    with open_place() as folder, daemon.running(folder) as running:
        yield running


@pytest.fixture
async def place(site: Site, host: Daemon) -> Workplace:
    return await places.make_place(site, "127.0.0.1", host.port)


@pytest.fixture
async def credential(place: Workplace, host: Daemon) -> dict[str, Any]:
    """Confirmed, and let in."""
    made = await places.make_credential(place)
    host.admit(made["public_key"])
    await places.prepare(place, made["id"])
    return made
