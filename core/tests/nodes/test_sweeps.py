"""Hearing nodes, missing them, and having them imaged."""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories.hosts import Host, Place, announce, enrolled, make_place
from core.tests.site import Site, TimedSite
from moorage_core.errors import Busy
from moorage_core.kit.db import Database, open_database
from moorage_core.nodes.sweeps import FindSilentNodes, FlushHeartbeats, ReimageNodes


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


@pytest.fixture
async def host(timed: TimedSite, root: Caller) -> Host:
    return await enrolled(timed, root)


async def read(root: Caller, node: str) -> dict[str, Any]:
    return (await root.get(f"/v1/nodes/{node}")).json()


async def look(timed: TimedSite, sweep: FindSilentNodes, seconds: int) -> None:
    """Let time pass, with a look every two seconds."""
    for _ in range(seconds // 2):
        timed.clock.move(timedelta(seconds=2))
        await sweep.activate()


async def test_a_silent_node_is_unreachable_within_thirty_seconds_and_says_since_when(
    timed: TimedSite, root: Caller, host: Host
) -> None:
    flush, find = FlushHeartbeats(timed.platform), FindSilentNodes(timed.platform)
    await look(timed, find, 30)
    await host.prove()
    await host.poll()
    heard = timed.clock.now()
    await flush.activate()

    await look(timed, find, 24)
    still = await read(root, host.node)
    await look(timed, find, 4)

    after = await read(root, host.node)
    assert (still["reachable"], after["reachable"]) == (True, False)
    assert after["unreachable_since"] == heard.isoformat().replace("+00:00", "Z")
    assert after["status"] == "available", "silence is no status"
    listed = await root.get("/v1/nodes", params={"unreachable": "true"})
    assert host.node in {node["id"] for node in listed.json()["items"]}


async def test_a_node_that_is_heard_of_again_is_reachable(
    timed: TimedSite, root: Caller, host: Host
) -> None:
    flush, find = FlushHeartbeats(timed.platform), FindSilentNodes(timed.platform)
    await find.activate()
    await look(timed, find, 60)
    assert (await read(root, host.node))["reachable"] is False

    await host.poll()
    await flush.activate()

    after = await read(root, host.node)
    assert (after["reachable"], after["unreachable_since"]) == (True, None)
    events = await timed.rows(
        "SELECT type FROM events WHERE subject = %s ORDER BY pos DESC LIMIT 2", host.node
    )
    assert [type for (type,) in events] == ["infra.node.reachable", "infra.node.unreachable"]


async def test_after_an_outage_of_the_platform_every_node_gets_a_full_term(
    timed: TimedSite, root: Caller, host: Host
) -> None:
    find = FindSilentNodes(timed.platform)
    await look(timed, find, 20)
    timed.clock.move(timedelta(minutes=5))

    await look(timed, find, 24)
    spared = await read(root, host.node)
    await look(timed, find, 4)

    assert spared["reachable"] is True
    assert (await read(root, host.node))["reachable"] is False


async def test_a_process_that_begins_to_look_gives_a_full_term_too(
    timed: TimedSite, root: Caller, host: Host
) -> None:
    timed.clock.move(timedelta(minutes=5))
    find = FindSilentNodes(timed.platform)

    await look(timed, find, 24)

    assert (await read(root, host.node))["reachable"] is True


async def test_many_heartbeats_are_written_together(timed: TimedSite, root: Caller) -> None:
    place = await make_place(root)
    nodes = {(await _polled(timed, root, place)).node for _ in range(5)}

    first = await FlushHeartbeats(timed.platform).activate()
    second = await FlushHeartbeats(timed.platform).activate()

    rows = await timed.rows("SELECT last_seen_at FROM nodes WHERE id = ANY (%s)", [*nodes])
    assert {seen for (seen,) in rows} == {timed.clock.now()}
    assert first["heard"] >= len(nodes)
    assert second["heard"] == 0


async def _polled(timed: TimedSite, root: Caller, place: Place) -> Host:
    host = await enrolled(timed, root, place)
    await host.poll()
    return host


async def test_heartbeats_that_could_not_be_written_are_kept(site: Site, root: Caller) -> None:
    host = await enrolled(site, root)
    await host.poll()
    broken = replace(site.platform, database=await _closed(site))

    with pytest.raises(Busy):
        await FlushHeartbeats(broken).activate()

    assert host.node in site.platform.heartbeats.take()


async def _closed(site: Site) -> Database:
    database = await open_database(
        site.urls.app, site.urls.system, pool_size=1, statement_timeout_ms=1000
    )
    await database.close()
    return database


async def test_a_host_that_never_enrolled_is_not_missed(timed: TimedSite, root: Caller) -> None:
    node = await announce(root, await make_place(root))
    find = FindSilentNodes(timed.platform)

    await look(timed, find, 60)

    assert (await read(root, node["id"]))["reachable"] is None


# Imaging


def provisioner(timed: TimedSite, *command: str) -> ReimageNodes:
    machines = timed.platform.settings.machines.model_copy(update={"reimage_command": command})
    settings = timed.platform.settings.model_copy(update={"machines": machines})
    return ReimageNodes(replace(timed.platform, settings=settings))


def python(code: str, *words: str) -> Sequence[str]:
    return (sys.executable, "-c", code, *words)


async def reimage(root: Caller, host: Host) -> None:
    asked = await root.post(f"/v1/nodes/{host.node}/reimage", {"reason": "for a clean slate"})
    assert asked.status_code == 202, asked.text


async def test_the_provisioner_gets_the_line_and_the_host_comes_back_fresh(
    timed: TimedSite, root: Caller, host: Host, tmp_path: Path
) -> None:
    order = tmp_path / "order"
    code = "import sys,pathlib; pathlib.Path(sys.argv[1]).write_text(sys.stdin.read())"
    await reimage(root, host)

    await provisioner(timed, *python(code, str(order))).activate()

    given = json.loads(order.read_text())
    assert (given["node"], given["reason"]) == (host.node, "for a clean slate")
    token = given["line"].split("MOORAGE_TOKEN=")[1].split()[0]
    assert (await Host(timed.client).enrol(token)).status_code == 201
    after = await read(root, host.node)
    assert (after["status"], after["generation"]) == ("available", 2)


async def test_the_command_runs_once(
    timed: TimedSite, root: Caller, host: Host, tmp_path: Path
) -> None:
    marks = tmp_path / "marks"
    sweep = provisioner(timed, *python("import sys; open(sys.argv[1], 'a').write('x')", str(marks)))
    await reimage(root, host)

    await sweep.activate()
    await sweep.activate()

    assert marks.read_text() == "x"


async def test_a_command_that_fails_quarantines_the_node_and_keeps_the_line_secret(
    timed: TimedSite, root: Caller, host: Host
) -> None:
    await reimage(root, host)

    code = "import json, sys; sys.exit('no such machine: ' + json.load(sys.stdin)['line'])"
    await provisioner(timed, *python(code)).activate()

    after = await read(root, host.node)
    assert after["status"] == "quarantined"
    assert "ended with 1: no such machine: …" in after["status_reason"]
    assert "moor_enr_" not in after["status_reason"]


async def test_a_host_that_does_not_come_back_is_given_up(
    timed: TimedSite, root: Caller, host: Host
) -> None:
    sweep = provisioner(timed, *python(""))
    await reimage(root, host)
    await sweep.activate()
    timed.clock.move(timed.platform.settings.machines.reimage_timeout + timedelta(seconds=1))

    await sweep.activate()

    after = await read(root, host.node)
    assert after["status"] == "quarantined"
    assert "No host has enrolled" in after["status_reason"]
    assert after["reimage_requested_at"] is None


async def test_a_command_that_is_not_there_says_so(
    timed: TimedSite, root: Caller, host: Host
) -> None:
    await reimage(root, host)

    await provisioner(timed, "/nowhere/provision").activate()

    assert "cannot be run" in (await read(root, host.node))["status_reason"]
