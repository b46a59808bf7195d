"""Hearing nodes, and missing them."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories.hosts import Host, Place, announce, enrolled, make_place
from core.tests.site import Site, TimedSite
from moorage_core.errors import Busy
from moorage_core.kit.db import Database, open_database
from moorage_core.nodes.sweeps import FindSilentNodes, FlushHeartbeats


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
