"""Giving back a machine that nobody can enter."""

from typing import Any

import pytest

from core.tests.credentials import places
from core.tests.credentials.daemon import Daemon
from core.tests.tasks.workplaces import Workplace
from moorage_core.allocations.sweeps import DriveAllocations


async def set_only(place: Workplace, host: Daemon) -> None:
    made = await places.make_credential(place)
    host.admit(made["public_key"])
    await places.set_host(place, made["id"])


async def scanned_only(place: Workplace, host: Daemon) -> None:
    await set_only(place, host)
    await places.scan(place)


async def never_set(place: Workplace, host: Daemon) -> None:
    pass


@pytest.mark.parametrize("prepare", [never_set, set_only, scanned_only])
async def test_a_host_whose_key_was_never_confirmed_is_not_released_and_does_not_hang(
    place: Workplace, host: Daemon, prepare: Any
) -> None:
    await prepare(place, host)
    path = f"/v1/allocations/{place.allocation}"
    released = await place.tenant.admin.post(f"{path}/release", {"reason": "the work is done"})
    assert released.status_code < 300, released.text

    await DriveAllocations(place.site.platform).activate()
    await places.work(place)
    await DriveAllocations(place.site.platform).activate()

    after = (await place.tenant.admin.get(path)).json()
    assert (after["status"], after["dirty"]) == ("release_failed", ["not_cleaned"])
    assert "confirm" in after["message"], "it says what would help"
    nodes = await place.site.rows("SELECT status FROM nodes WHERE id = %s", place.node)
    assert nodes == [("quarantined",)]
    assert host.files() == [], "nobody was there"
