"""What goes wrong with one instance keeps no other waiting."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import structlog

from core.tests.operations.queues import Queue, make_queue
from core.tests.site import TimedSite
from moorage_core import unit
from moorage_core.errors import ApiError
from moorage_core.operations import commands, queue_store, reports
from moorage_core.operations.report_shapes import ReportCreate


@pytest.fixture
async def queue(timed: TimedSite) -> Queue:
    return await make_queue(timed)


@pytest.fixture
async def other(queue: Queue, timed: TimedSite) -> Queue:
    """Another instance of the same operator."""
    return await make_queue(timed, queue.tenant)


@asynccontextmanager
async def poisoned(queue: Queue, operation: str) -> AsyncGenerator[None]:
    """A database that takes no change of one operation."""
    sql = queue.site.sql
    await sql.execute(
        f"""
        CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF NEW.id = '{operation}' THEN RAISE EXCEPTION 'poison'; END IF;
            RETURN NEW;
        END $$
        """.encode()
    )
    await sql.execute(
        "CREATE TRIGGER poison BEFORE UPDATE ON operations FOR EACH ROW EXECUTE FUNCTION poison()"
    )
    try:
        yield
    finally:
        await sql.execute("DROP TRIGGER poison ON operations")
        await sql.execute("DROP FUNCTION poison")


async def both(queue: Queue, other: Queue) -> tuple[list[dict[str, Any]], list[Queue]]:
    """An operation of each instance, claimed; the one that is looked at first comes first."""
    queues = sorted([queue, other], key=lambda each: each.instance)
    ids = [await each.ask("instance.configure") for each in queues]
    briefs = {brief["id"]: brief for brief in await queue.claim()}
    return [briefs[id] for id in ids], queues


def entry(brief: dict[str, Any], state: str = "succeeded") -> reports.Entry:
    said = {"fence": brief["fence"], "sequence": 1, "state": state}
    return reports.Entry(brief["id"], brief["grant"], ReportCreate.model_validate(said))


async def test_a_report_that_breaks_spoils_no_other(queue: Queue, other: Queue) -> None:
    briefs, queues = await both(queue, other)

    async with poisoned(queue, briefs[0]["id"]):
        bad, good = await reports.take(queue.platform, [entry(each) for each in briefs])

    assert isinstance(bad, ApiError)
    assert (bad.status, bad.code) == (500, "internal")
    assert not isinstance(good, ApiError)
    assert await queues[1].status(good.id) == "succeeded"


@pytest.mark.parametrize(("state", "ends"), [("succeeded", "succeeded"), ("running", "running")])
async def test_a_report_about_an_instance_that_is_being_changed_is_put_off_alone(
    queue: Queue, other: Queue, state: str, ends: str
) -> None:
    briefs, queues = await both(queue, other)
    org = queue.tenant.org.id

    async with unit.work(queue.platform, org) as ctx:
        await commands.lock_instance(ctx, queues[0].instance, org=org)
        await ctx.db.run("SELECT FROM operations WHERE id = %s FOR UPDATE", (briefs[0]["id"],))
        said = [entry(each, state) for each in briefs]
        busy, good = await reports.take(queue.platform, said)

    assert isinstance(busy, ApiError)
    assert (busy.status, busy.code) == (503, "busy")
    assert not isinstance(good, ApiError)
    assert (good.status, good.sequence) == (ends, 1)


async def test_what_waits_is_woken_although_another_cannot_be(queue: Queue, other: Queue) -> None:
    briefs, queues = await both(queue, other)
    for brief in briefs:
        await queue.done(brief, "waiting", wait={"seconds": 5})

    async with poisoned(queue, briefs[0]["id"]):
        await queue.pass_time(10)

    statuses = [await queues[at].status(brief["id"]) for at, brief in enumerate(briefs)]
    assert statuses == ["waiting", "ready"]


async def test_the_log_repeats_nothing_that_the_database_says(
    queue: Queue, timed: TimedSite
) -> None:
    await queue.ask("instance.configure")
    brief = await queue.take()
    await queue.done(brief, "waiting", wait={"seconds": 5})

    with structlog.testing.capture_logs() as lines:
        async with poisoned(queue, brief["id"]):
            await queue.pass_time(10)

    (line,) = [each for each in lines if each["event"] == "sweep.put_off"]
    assert (line["error"], line["instance"]) == ("RaiseException P0001", queue.instance)
    assert "poison" not in str(lines)


async def test_a_lease_ends_although_another_cannot_be(queue: Queue, other: Queue) -> None:
    briefs, queues = await both(queue, other)

    async with poisoned(queue, briefs[0]["id"]):
        await queue.pass_time(40)

    statuses = [await queues[at].status(brief["id"]) for at, brief in enumerate(briefs)]
    assert statuses == ["running", "ready"]


async def test_what_is_late_and_cannot_be_stopped_hides_no_other(queue: Queue) -> None:
    first = await queue.ask("member.drain", "w1", alone=True, timeout=60)
    step = {"number": 1, "name": "burn", "status": "succeeded", "no_return": True}
    await queue.done(await queue.take(), "waiting", steps=[step], wait={"seconds": 30})
    await queue.ask("instance.restart")
    await queue.take()
    await queue.pass_time(31)

    await queue.pass_time(60)
    async with queue.platform.database.sweep() as db:
        late = await queue_store.list_late(db, now=queue.platform.clock.now(), limit=1)

    assert await queue.status(first) == "pending"
    assert late == []
