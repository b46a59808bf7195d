"""What runs on a host without agent while the key that opened it is changed."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from core.tests.credentials import places
from core.tests.credentials.daemon import Daemon
from core.tests.credentials.places import put_wish
from core.tests.tasks.workplaces import Workplace


async def test_a_rotation_with_overlap_breaks_nothing_off(
    place: Workplace, credential: dict[str, Any], host: Daemon, tmp_path: Path
) -> None:
    host.hold()
    (first,) = await place.ask(put_wish(tmp_path / "one"))
    working = asyncio.create_task(places.work(place))
    await places.until(place, first["id"], "running")

    await places.rotate(place, credential, 1)
    (second,) = await place.ask(put_wish(tmp_path / "two", key="step/two"))
    await places.until(place, second["id"], "running")
    host.go_on()

    assert await working == {"done": 1}, "one connection did both"
    ends = [(await place.row(task["id"]))["status"] for task in (first, second)]
    assert ends == ["succeeded", "succeeded"]


@pytest.mark.parametrize("act", ["revoke", "rotate"])
async def test_a_key_that_is_gone_at_once_takes_what_runs_with_it(
    place: Workplace, credential: dict[str, Any], host: Daemon, tmp_path: Path, act: str
) -> None:
    host.hold()
    (task,) = await place.ask(put_wish(tmp_path / "file"))
    working = asyncio.create_task(places.work(place))
    await places.until(place, task["id"], "running")

    if act == "revoke":
        await place.tenant.admin.post(f"/v1/access-credentials/{credential['id']}/revoke")
    else:
        await places.rotate(place, credential, 0)
    status = await places.until(place, task["id"], "unknown", "succeeded", "failed")
    host.go_on()
    await working

    assert status == "unknown"
    assert not (tmp_path / "file").exists()


async def test_the_end_of_the_overlap_ends_connections_of_the_old_key(
    place: Workplace, credential: dict[str, Any], host: Daemon, tmp_path: Path
) -> None:
    host.hold()
    (task,) = await place.ask(put_wish(tmp_path / "file"))
    working = asyncio.create_task(places.work(place))
    await places.until(place, task["id"], "running")
    await places.rotate(place, credential, 1)

    await place.site.sql.execute(
        "UPDATE access_credentials SET previous_until = now() - interval '1 second' WHERE id = %s",
        (credential["id"],),
    )
    status = await places.until(place, task["id"], "unknown", "succeeded", "failed")
    host.go_on()
    await working

    assert status == "unknown"
