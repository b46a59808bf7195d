"""Having nodes imaged anew."""

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from psycopg.sql import SQL, Literal

from core.tests.allocations import holding
from core.tests.callers import Caller
from core.tests.factories.hosts import Host, enrolled, issue, make_place
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site, TimedSite
from moorage_core.nodes.sweeps import HANDS, ReimageNodes

BEGUN = "SELECT 1 FROM nodes WHERE id = %s AND reimage_started_at IS NOT NULL"


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


@pytest.fixture
async def host(timed: TimedSite, root: Caller) -> Host:
    return await enrolled(timed, root)


async def read(root: Caller, node: str) -> dict[str, Any]:
    return (await root.get(f"/v1/nodes/{node}")).json()


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


async def test_a_command_that_fails_leaves_nothing_that_opens_the_node(
    timed: TimedSite, root: Caller, host: Host, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    code = (
        "import json, sys; t = json.load(sys.stdin)['line'].split('MOORAGE_TOKEN=')[1].split()[0];"
        " open(sys.argv[1], 'w').write(t); sys.exit('args token=' + t + ' ' + t[9:])"
    )
    await reimage(root, host)

    await provisioner(timed, *python(code, str(kept))).activate()
    token = kept.read_text()
    tried = await Host(timed.client).enrol(token)

    reason = (await read(root, host.node))["status_reason"]
    assert "args token=… …" in reason
    assert token[9:] not in reason
    assert (tried.status_code, tried.json()["code"]) == (401, "enrolment_refused")


async def test_a_slow_command_keeps_no_other_node_waiting(
    timed: TimedSite, root: Caller, host: Host, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)
    code = "import sys; host, go = sys.argv[1:]; host in sys.stdin.read() and open(go).read()"
    await reimage(root, host)
    sweep = asyncio.create_task(provisioner(timed, *python(code, host.node, str(go))).activate())
    while not await timed.rows(BEGUN, host.node):
        await asyncio.sleep(0)

    others = [await enrolled(timed, root) for _ in range(HANDS)]
    for other in others:
        await reimage(root, other)
    while not all([await timed.rows(BEGUN, other.node) for other in others]):
        await asyncio.sleep(0)

    assert not sweep.done()
    await asyncio.to_thread(go.write_text, "")
    await sweep


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


# Imaging that is called off


async def act(root: Caller, host: Host, verb: str) -> dict[str, Any]:
    body = {} if verb == "resume" else {"reason": "it is needed"}
    answer = await root.post(f"/v1/nodes/{host.node}/{verb}", body)
    assert answer.is_success, answer.text
    return answer.json()


async def test_a_node_that_was_resumed_is_not_imaged_under_its_next_holder(
    timed: TimedSite, root: Caller, tmp_path: Path
) -> None:
    place = await make_place(root)
    host = await enrolled(timed, root, place)
    mark = tmp_path / "mark"
    for verb in ("reimage", "quarantine"):
        await act(root, host, verb)

    resumed = await act(root, host, "resume")
    made = await holding.active(await make_tenant(timed), place.region, place.sku)
    await provisioner(timed, *python("import sys; open(sys.argv[1], 'w')", str(mark))).activate()

    assert (resumed["status"], resumed["reimage_requested_at"]) == ("available", None)
    assert made["status"] == "active"
    assert not mark.exists()


async def test_an_enrolment_after_a_resume_is_no_new_image(timed: TimedSite, root: Caller) -> None:
    host = await enrolled(timed, root)
    before = await make_tenant(timed)
    await timed.sql.execute(
        "UPDATE nodes SET last_org_id = %s WHERE id = %s", (before.org.id, host.node)
    )
    for verb in ("reimage", "quarantine", "resume"):
        await act(root, host, verb)

    again = await Host(timed.client).enrol((await issue(root, host.node))["token"])

    after = await read(root, host.node)
    assert again.status_code == 201
    assert (after["last_org_id"], after["generation"]) == (before.org.id, 1)


async def test_a_node_that_is_resumed_while_the_provisioner_is_at_it_waits_for_its_host(
    timed: TimedSite, root: Caller, host: Host, tmp_path: Path
) -> None:
    order = tmp_path / "order"
    code = "import sys,pathlib; pathlib.Path(sys.argv[1]).write_text(sys.stdin.read())"
    await reimage(root, host)
    await provisioner(timed, *python(code, str(order))).activate()
    await act(root, host, "quarantine")

    resumed = await act(root, host, "resume")
    token = json.loads(order.read_text())["line"].split("MOORAGE_TOKEN=")[1].split()[0]
    await Host(timed.client).enrol(token)

    after = await read(root, host.node)
    assert resumed["status"] == "enrolling", "it may be overwritten at any moment"
    assert (after["status"], after["generation"]) == ("available", 2)


async def test_a_quarantined_node_is_not_imaged(
    timed: TimedSite, root: Caller, host: Host, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    await reimage(root, host)
    await act(root, host, "quarantine")

    await provisioner(timed, *python("import sys; open(sys.argv[1], 'w')", str(mark))).activate()

    assert not mark.exists()


async def test_a_node_that_is_quarantined_while_it_is_imaged_keeps_its_reason(
    timed: TimedSite, root: Caller, host: Host
) -> None:
    sweep = provisioner(timed, *python(""))
    await reimage(root, host)
    await sweep.activate()
    await act(root, host, "quarantine")
    timed.clock.move(timed.platform.settings.machines.reimage_timeout + timedelta(seconds=1))

    await sweep.activate()
    after = await read(root, host.node)
    resumed = await act(root, host, "resume")

    assert (after["status_reason"], after["reimage_requested_at"]) == ("it is needed", None)
    assert resumed["status"] == "available"


async def test_a_node_that_was_retired_while_it_was_imaged_keeps_no_other_from_it(
    timed: TimedSite, root: Caller, host: Host
) -> None:
    other = await enrolled(timed, root)
    sweep = provisioner(timed, *python(""))
    await reimage(root, host)
    await sweep.activate()

    retired = await act(root, host, "retire")
    timed.clock.move(timed.platform.settings.machines.reimage_timeout + timedelta(seconds=1))
    await reimage(root, other)
    await sweep.activate()

    begun = await timed.rows("SELECT reimage_started_at FROM nodes WHERE id = %s", other.node)
    assert retired["reimage_requested_at"] is None
    assert begun[0][0] is not None


async def test_a_node_that_gives_trouble_keeps_no_other_from_being_imaged(
    timed: TimedSite, root: Caller, host: Host, tmp_path: Path
) -> None:
    other = await enrolled(timed, root)
    mark = tmp_path / "mark"
    code = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read())"
    for each in (host, other):
        await reimage(root, each)
    # A fault that only this row has, whatever the reason for it may be.
    trouble = SQL("CHECK (id <> {} OR reimage_started_at IS NULL)").format(Literal(host.node))
    await timed.sql.execute(SQL("ALTER TABLE nodes ADD CONSTRAINT trouble {}").format(trouble))

    try:
        seen = await provisioner(timed, *python(code, str(mark))).activate()
    finally:
        await timed.sql.execute("ALTER TABLE nodes DROP CONSTRAINT trouble")

    assert other.node in mark.read_text()
    assert seen["failed"] == 1


async def test_a_second_wish_for_an_image_outlives_the_failure_of_the_first(
    timed: TimedSite, root: Caller, host: Host, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)
    code = "import sys,os; p = sys.argv[1]; os.path.exists(p) and sys.exit(open(p).read())"
    await reimage(root, host)
    first = asyncio.create_task(provisioner(timed, *python(code, str(go))).activate())
    while not await timed.rows(BEGUN, host.node):
        await asyncio.sleep(0)

    await reimage(root, host)
    await asyncio.to_thread(fail_once, go)
    await first

    after = await read(root, host.node)
    assert after["status"] == "enrolling"
    assert after["reimage_requested_at"] is not None


def fail_once(go: Path) -> None:
    with go.open("w") as fifo:
        go.unlink()
        fifo.write("it failed")
