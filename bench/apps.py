"""Measures apps. `bench.run` calls this and keeps the results in bench/results/apps.json.

Each part has a platform of its own, started as an operator would, and as many simulated agents as
it needs. The app's controller is played: it reports each operation done, in one step, and gives no
agent anything to do. What is measured is what the platform itself takes.
"""

import asyncio
import contextlib
import statistics
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, LiteralString, cast

import psycopg

from bench import bare, load, played, processes
from bench.played import Brief, Estate, Said
from moorage_core import unit
from moorage_core.http.idempotency import Key
from moorage_core.kit.ids import OperationId

CLIENTS = 16
FEW = 1000
"""Operations in the table that growth is held against."""
HELD = 5
"""Operations whose holder goes silent."""
ADDED_MEANWHILE = 100

Report = Callable[..., None]


@dataclass(frozen=True)
class Size:
    """How much of everything."""

    seconds: float
    members: int = 1000
    instances: int = 10_000
    rows: int = 1_000_000


def measure(data: Path, size: Size, report: Report, *, part: str | None = None) -> None:
    for name in [part] if part else PARTS:
        nodes, run = PARTS[name]
        asyncio.run(_measure(data.parent / name / "data", nodes(size), run, size, report))


async def _measure(data: Path, nodes: int, run: "Part", size: Size, report: Report) -> None:
    async with played.estate(data, nodes=nodes) as estate:
        await run(estate, size, report)


# --- a member operation is accepted --------------------------------------------------------------


async def _accept(estate: Estate, size: Size, report: Report) -> None:
    """Sixteen drains or resumes at once: of one instance, and of an instance each."""
    crowded, spread = estate.machines[:CLIENTS], estate.machines[CLIENTS:]
    async with estate.controller().working():
        one = await estate.deploy("one", crowded)
        many = [await estate.deploy(f"each-{n}", [held]) for n, held in enumerate(spread)]
        of_one = [(one, member) for member in await estate.members(one)]
        of_each = [(each, (await estate.members(each))[0]) for each in many]
        for name, targets in (("an instance each", of_each), ("one instance", of_one)):
            made = await _drain_and_resume(estate, targets, load.Outcome(), seconds=1)
            before = await _copy(estate, made, seconds=size.seconds / 2)
            outcome = load.Outcome()
            await _drain_and_resume(estate, targets, outcome, seconds=size.seconds)
            after = await _copy(estate, made, seconds=size.seconds / 2)
            median, p95 = (outcome.percentile(share) * 1000 for share in (0.5, 0.95))
            title = f"accept, {CLIENTS} clients, {name}"
            report(f"{title}: median", median, "ms")
            report(f"{title}: p95", p95, "ms", "< 100", p95 < 100)
            alone = statistics.median(before + after) * 1000
            report(f"the same rows bare, {name}: median", alone, "ms")
            report(f"accept against bare rows, {name}: ratio", median / alone, "")


async def _drain_and_resume(
    estate: Estate, targets: Sequence[tuple[str, str]], outcome: load.Outcome, *, seconds: float
) -> list[str]:
    """Rounds of drains and resumes, all asked for in one moment; the last operations made."""

    async def ask(verb: str, instance: str, member: str) -> dict[str, Any]:
        wish = {"members": [member], "reason": "a benchmark"}
        started = time.perf_counter()
        asked = await estate.ask(f"/v1/instances/{instance}/members/{verb}", wish)
        outcome.note(202, time.perf_counter() - started)
        return asked

    until = time.perf_counter() + seconds
    while True:
        for verb in ("drain", "resume"):
            asked = await asyncio.gather(*(ask(verb, *target) for target in targets))
            await asyncio.gather(*map(estate.ended, asked))
        if time.perf_counter() > until:
            return [operation["id"] for operation in asked]


TOUCH: LiteralString = """
    UPDATE instances i SET updated_at = now() FROM operations o
    WHERE o.id = %s AND i.id = o.app_instance_id
"""
COPY_PARENT: LiteralString = """
    INSERT INTO operations SELECT r.* FROM operations o,
        LATERAL jsonb_populate_record(o, jsonb_build_object('id', %s::text)) r
    WHERE o.id = %s
"""
COPY_CHILD: LiteralString = """
    INSERT INTO operations SELECT r.* FROM operations o, LATERAL jsonb_populate_record(o,
        jsonb_build_object('id', %s::text, 'parent_id', %s::text)) r
    WHERE o.parent_id = %s
"""
COPY_MACHINE: LiteralString = """
    INSERT INTO operation_allocations (operation_id, allocation_id, org_id, project_id)
    SELECT o.id, m.allocation_id, o.org_id, o.project_id
    FROM operations o JOIN members m ON m.id = o.member_id WHERE o.id = %s
"""


async def _copy(estate: Estate, made: Sequence[str], *, seconds: float) -> list[float]:
    """Seconds to write rows as accepting one does: the instance, two operations, a machine, and
    the audit entry, event and stored answer of a mutation. As many at once as the API gets."""
    db: list[psycopg.AsyncConnection[Any]] = []
    async with contextlib.AsyncExitStack() as stack:
        for _ in made:
            opened = await psycopg.AsyncConnection.connect(estate.site.super_url, autocommit=True)
            db.append(await stack.enter_async_context(opened))
        lags: list[float] = []
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            writing = (_copy_once(*each, estate) for each in zip(db, made, strict=True))
            lags += await asyncio.gather(*writing)
    return lags


async def _copy_once(db: psycopg.AsyncConnection[Any], like: str, estate: Estate) -> float:
    parent, child = OperationId.new(), OperationId.new()
    key = Key("bench", "bench", uuid.uuid4().bytes * 2, b"f" * 32)
    records = bare.records(key, estate.tenant.org, "bench", estate.tenant.project)
    started = time.perf_counter()
    async with db.transaction():
        await db.execute(TOUCH, (like,))
        await db.execute(COPY_PARENT, (parent, like))
        await db.execute(COPY_CHILD, (child, parent, like))
        await db.execute(COPY_MACHINE, (child,))
        await db.execute(unit.TAIL, records)
    return time.perf_counter() - started


# --- from the commit to the controller -----------------------------------------------------------


async def _claim(estate: Estate, size: Size, report: Report) -> None:
    """How long after its acceptance an operation is with a controller that waits for one."""
    controller = estate.controller()
    async with controller.working():
        instance = await estate.deploy("one")
    since_answer: list[float] = []
    since_request: list[float] = []
    for _ in range(max(20, int(size.seconds * 10))):
        claiming = asyncio.create_task(_timed(controller.claim()))
        await asyncio.sleep(0.05)
        sent = time.perf_counter()
        await estate.ping(instance)
        answered = time.perf_counter()
        claimed, at = await claiming
        since_request.append((at - sent) * 1000)
        since_answer.append(max(0.0, at - answered) * 1000)
        await controller.report(claimed["operations"])
    median, p99 = statistics.median(since_answer), _share(since_answer, 0.99)
    report("accepted until claimed: median", median, "ms", "<= 10", median <= 10)
    report("accepted until claimed: p99", p99, "ms", "<= 50", p99 <= 50)
    report("asked for until claimed: median", statistics.median(since_request), "ms")
    report("asked for until claimed: p99", _share(since_request, 0.99), "ms")


async def _timed(awaited: Awaitable[Brief]) -> tuple[Brief, float]:
    return await awaited, time.perf_counter()


# --- many members by one request -----------------------------------------------------------------


async def _bulk(estate: Estate, size: Size, report: Report) -> None:
    """One request adds members on simulated nodes."""
    async with estate.controller().working():
        instance = await estate.deploy("one")
        idle = await _idle_writes(estate)
        empty = processes.memory(estate.site)
        async with _sampling(estate) as samples:
            before, started = await _writes(estate), time.perf_counter()
            asked = await estate.add(instance, estate.machines)
            accepted = time.perf_counter() - started
            ended = await estate.ended(asked)
            span = time.perf_counter() - started
            written = await _writes(estate) - before - idle * span
    count = len(estate.machines)
    assert ended["children"]["succeeded"] == count, ended
    rate, each = count / span, written / count
    title = f"one request adds {count} members"
    report(f"{title}: accepted after", accepted * 1000, "ms")
    report(f"{title}: rate", rate, "per s", ">= 50", rate >= 50)
    report(f"{title}: write transactions each", each, "", "<= 6", each <= 6)
    report(f"{title}: write transactions without it", idle, "per s")
    report(f"{title}: server's memory, most", max(samples), "MiB")
    report(f"{title}: server's memory, before", empty, "MiB")


async def _idle_writes(estate: Estate, seconds: float = 5) -> float:
    """Write transactions a second of agents and sweeps alone."""
    before = await _writes(estate)
    await asyncio.sleep(seconds)
    return (await _writes(estate) - before) / seconds


async def _writes(estate: Estate) -> int:
    """Transactions that wrote, so far: only those get a number."""
    found = await _sql(estate, "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
    return found[0][0]


@contextlib.asynccontextmanager
async def _sampling(estate: Estate) -> AsyncIterator[list[float]]:
    """The server's memory, twice a second."""
    samples: list[float] = []

    async def sample() -> None:
        while True:
            samples.append(await asyncio.to_thread(processes.memory, estate.site))
            await asyncio.sleep(0.5)

    async with asyncio.TaskGroup() as group:
        sampling = group.create_task(sample())
        yield samples
        sampling.cancel()


# --- many instances ------------------------------------------------------------------------------


async def _many(estate: Estate, size: Size, report: Report) -> None:
    """Every instance is observed once, and changed once."""
    controller = estate.controller()
    async with controller.working():
        await _multiply(estate, await estate.deploy("one"), size.instances)
        async with _watching_all(estate) as watches:
            assert len(watches) > size.instances, len(watches)
            observed = await _spread([_observing(estate, watch) for watch in watches])
        report(f"{len(watches)} instances: observed reports", observed, "per s")
        started = time.perf_counter()
        wishes = [_configuring(estate, watch["instance_id"]) for watch in watches]
        await _spread(wishes)
        accepted = len(watches) / (time.perf_counter() - started)
        await _until_configured(estate, len(watches))
        rate = len(watches) / (time.perf_counter() - started)
    report(
        f"{len(watches)} instances: reports sent again, the platform was busy", controller.busy, ""
    )
    report(f"{len(watches)} instances: changes accepted", accepted, "per s")
    report(f"{len(watches)} instances: changed", rate, "per s", ">= 66", rate >= 66)


INSTANCES: dict[str, LiteralString] = {
    "instances": "jsonb_build_object('id', {id}, 'name', 'copy-' || n)",
    "instance_revisions": "jsonb_build_object('instance_id', {id})",
    "instance_components": "jsonb_build_object('instance_id', {id})",
    "watches": "jsonb_build_object('instance_id', {id}, 'holder', null, 'token_hash', null)",
}


async def _multiply(estate: Estate, like: str, count: int) -> None:
    """So many more instances like one that was deployed, as rows."""
    new: LiteralString = "'ins_' || lpad(n::text, 26, '0')"
    for table, differs in INSTANCES.items():
        key = "id" if table == "instances" else "instance_id"
        await _sql(
            estate,
            f"INSERT INTO {table} SELECT r.* FROM {table} x, generate_series(1, {count}) n,"
            f" LATERAL jsonb_populate_record(x, {differs.format(id=new)}) r"
            f" WHERE x.{key} = '{like}'",
        )
        await _sql(estate, f"ANALYZE {table}")


@contextlib.asynccontextmanager
async def _watching_all(estate: Estate) -> AsyncIterator[list[dict[str, Any]]]:
    """The watches of all instances, held by a replica of their own that goes on listening."""
    watcher, found = estate.controller(), list[dict[str, Any]]()
    while some := (await watcher.claim(capacity=0, watch_capacity=100_000, wait=0))["watches"]:
        found += some

    async def listen() -> None:
        while True:
            await watcher.claim(capacity=0, wait=10)

    async with asyncio.TaskGroup() as group:
        listening = group.create_task(listen())
        yield found
        listening.cancel()


async def _observing(estate: Estate, watch: dict[str, Any]) -> None:
    seen = {"fence": watch["fence"], "health": "healthy", "fresh_for": 600}
    path = f"/v1/instances/{watch['instance_id']}/observed"
    await estate.line.call("PUT", path, seen, token=watch["grant"])


async def _configuring(estate: Estate, instance: str) -> None:
    await estate.ask(f"/v1/instances/{instance}/configure", {"config": {"note": "changed"}})


async def _until_configured(estate: Estate, count: int) -> None:
    ended = "SELECT count(*) FROM operations WHERE kind = 'instance.configure' AND status = "
    async with asyncio.timeout(played.WITHIN):
        while (await _sql(estate, f"{ended} 'succeeded'"))[0][0] < count:
            await asyncio.sleep(0.1)


async def _spread(calls: Sequence[Awaitable[None]]) -> float:
    """Make the calls, so many at a time; calls a second."""
    left, started = iter(calls), time.perf_counter()

    async def client() -> None:
        for call in left:
            await call

    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return len(calls) / (time.perf_counter() - started)


# --- a holder goes silent ------------------------------------------------------------------------


async def _takeover(estate: Estate, size: Size, report: Report) -> None:
    """How long after a lease's end somebody else has the operation."""
    silent, successor = estate.controller(), estate.controller()
    async with silent.working():
        instance = await estate.deploy("one")
    leases: dict[str, float] = {}
    for _ in range(HELD):
        await estate.ping(instance)
        (brief,) = (await silent.claim())["operations"]
        leases[brief["id"]] = datetime.fromisoformat(brief["lease_expires_at"]).timestamp()
        await asyncio.sleep(0.3)
    lags: list[float] = []
    async with asyncio.timeout(120):
        while len(lags) < HELD:
            for brief in (await successor.claim())["operations"]:
                lags.append(time.time() - leases[brief["id"]])
                await successor.report([brief])
    report("taken over after the lease's end: median", statistics.median(lags), "s")
    report("taken over after the lease's end: most", max(lags), "s", "<= 1", max(lags) <= 1)


# --- rows that pile up ---------------------------------------------------------------------------


async def _growth(estate: Estate, size: Size, report: Report) -> None:
    """The same claims and lists, with few and with many operations in the table."""
    controller = estate.controller()
    async with controller.working():
        instance = await estate.deploy("one")
        like = await estate.ended(await estate.ping(instance))
    rows = [count for count in (FEW, 100_000, 1_000_000) if count <= size.rows]
    first: dict[str, float] = {}
    begun = 0
    for count in rows:
        await _pile_up(estate, like["id"], begun + 1, count)
        begun = count
        lags = await _claims_and_lists(estate, controller, instance, int(size.seconds * 10))
        for name, taken in lags.items():
            median = statistics.median(taken)
            report(f"{name}, {count} operations: median", median, "ms")
            if name not in first:
                first[name] = median
                continue
            ratio = median / first[name]
            report(
                f"{name}, {count} operations against {FEW}: ratio",
                ratio,
                "",
                "<= 1.5",
                ratio <= 1.5,
            )


async def _pile_up(estate: Estate, like: str, first: int, last: int) -> None:
    """More operations of the instance that ended, as rows. What they refer to exists."""
    await _sql(
        estate,
        "SET session_replication_role = replica",
        "INSERT INTO operations SELECT r.* FROM operations x,"
        f" generate_series({first}, {last}) n, LATERAL jsonb_populate_record(x,"
        " jsonb_build_object('id', 'opn_' || lpad(n::text, 26, '0'),"
        f" 'correlation_id', 'copy-' || n)) r WHERE x.id = '{like}'",
        "VACUUM ANALYZE operations",
    )


async def _claims_and_lists(
    estate: Estate, controller: played.Controller, instance: str, rounds: int
) -> dict[str, list[float]]:
    lists = {
        "list of an instance's": f"/v1/operations?instance={instance}&limit=50",
        "list of a project's": f"/v1/operations?project={estate.tenant.project}&limit=50",
        "list of what failed": f"/v1/operations?instance={instance}&status=failed&limit=50",
    }
    lags: dict[str, list[float]] = {"claim": [], "accept": []} | {name: [] for name in lists}

    async def note(name: str, awaited: Awaitable[Brief]) -> Brief:
        started = time.perf_counter()
        found = await awaited
        lags[name].append((time.perf_counter() - started) * 1000)
        return found

    for _ in range(max(20, rounds)):
        await note("accept", estate.ping(instance))
        claimed = await note("claim", controller.claim(wait=0))
        assert claimed["operations"], claimed
        await controller.report(claimed["operations"])
        for name, path in lists.items():
            await note(name, estate.read(path))
    return lags


# --- an action meanwhile -------------------------------------------------------------------------


async def _actions(estate: Estate, size: Size, report: Report) -> None:
    """An action's answer, with its end in it, while the instance has something else to do."""
    is_empty = asyncio.Event()

    def says(brief: Brief) -> Said:
        if brief["kind"] == "member.drain" and brief["member"] and not is_empty.is_set():
            return {"state": "waiting", "wait": {"seconds": 1}}
        return played.done(brief)

    async with estate.controller(says).working():
        instance = await estate.deploy("one", estate.machines[:1])
        wish = {"members": await estate.members(instance), "reason": "a benchmark"}
        draining = await estate.ask(f"/v1/instances/{instance}/members/drain", wish)
        until = time.perf_counter() + size.seconds
        alone = await _pings(estate, instance, lambda: time.perf_counter() > until)
        is_empty.set()
        await estate.ended(draining)
        adding = asyncio.create_task(_adding(estate, instance))
        meanwhile = await _pings(estate, instance, adding.done)
        await adding
    for name, lags in (
        ("a drain waits", alone),
        (f"{len(estate.machines) - 1} members are added", meanwhile),
    ):
        most = max(lags)
        report(f"action while {name}: median of {len(lags)}", statistics.median(lags), "s")
        report(f"action while {name}: most", most, "s", "< 1", most < 1)


async def _adding(estate: Estate, instance: str) -> None:
    await estate.ended(await estate.add(instance, estate.machines[1:]))


async def _pings(estate: Estate, instance: str, is_over: Callable[[], bool]) -> list[float]:
    lags: list[float] = []
    while not lags or not is_over():
        started = time.perf_counter()
        ended = await estate.ping(instance, wait=30)
        lags.append(time.perf_counter() - started)
        assert ended["status"] == "succeeded", ended
    return lags


# --- shared --------------------------------------------------------------------------------------


async def _sql(estate: Estate, *statements: str) -> list[tuple[Any, ...]]:
    """Run statements as somebody who sees everything; what the last one found."""
    async with await psycopg.AsyncConnection.connect(estate.site.super_url, autocommit=True) as db:
        found: list[tuple[Any, ...]] = []
        for statement in statements:
            cursor = await db.execute(cast(LiteralString, statement))
            found = await cursor.fetchall() if cursor.description else []
    return found


def _share(lags: list[float], share: float) -> float:
    return sorted(lags)[min(len(lags) - 1, int(len(lags) * share))]


Part = Callable[[Estate, Size, Report], Awaitable[None]]
PARTS: dict[str, tuple[Callable[[Size], int], Part]] = {
    "accept": (lambda _: 2 * CLIENTS, _accept),
    "claim": (lambda _: 0, _claim),
    "bulk": (lambda size: size.members, _bulk),
    "many": (lambda _: 0, _many),
    "takeover": (lambda _: 0, _takeover),
    "growth": (lambda _: 0, _growth),
    "actions": (lambda size: 1 + min(size.members, ADDED_MEANWHILE), _actions),
}
"""By name: how many machines it needs, and what it does."""
