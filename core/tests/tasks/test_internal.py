"""The platform's own tasks, and slices that have a say in a kind."""

import dataclasses
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from core.tests.site import Site
from core.tests.tasks.workplaces import Workplace, make_workplace
from moorage_core import unit
from moorage_core.context import Context
from moorage_core.operations import commands as operations
from moorage_core.operations.models import Operation
from moorage_core.tasks import commands
from moorage_core.tasks.models import Report, Task


@dataclass
class Listing:
    """A slice that makes an input anew for each answer, and hears the end."""

    rendered: list[str] = field(default_factory=list[str])
    heard: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    async def render(self, ctx: Context, task: Task) -> dict[str, Any]:
        seen = await ctx.db.value("SELECT name FROM projects WHERE id = %s", (task.project_id,))
        assert seen is not None, "the task's project cannot be seen"
        self.rendered.append(task.id)
        return {"people": [], "turn": len(self.rendered)}

    async def ended(self, ctx: Context, task: Task) -> None:
        seen = await ctx.db.value("SELECT name FROM projects WHERE id = %s", (task.project_id,))
        assert seen is not None, "the task's project cannot be seen"
        self.heard.append((task.id, task.status))


@pytest.fixture
async def place(site: Site) -> Workplace:
    return await make_workplace(site)


async def opened(ctx: Context, place: Workplace) -> Operation:
    return await operations.open_internal(
        ctx,
        org=place.tenant.org.id,
        project=place.tenant.project.id,
        allocations=[place.allocation],
        reason="make a list of people",
        lease=timedelta(days=3650),
    )


async def add(
    ctx: Context,
    place: Workplace,
    operation: Operation,
    kind: str,
    given: dict[str, Any] | None = None,
) -> Task:
    return await commands.add_internal(
        ctx,
        operation,
        allocation=place.allocation,
        kind=kind,
        key=kind,
        input=given or {},
        timeout=60,
        wakes="people",
    )


async def test_the_platforms_own_kinds_are_done_without_a_token(place: Workplace) -> None:
    async with unit.work(place.site.platform, place.tenant.org.id) as ctx:
        operation = await opened(ctx, place)
        task = await add(ctx, place, operation, "wipe")

    handed = await place.take()

    assert (handed.id, handed.kind) == (task.id, "wipe")
    grants = await place.site.rows(
        "SELECT 1 FROM operation_grants WHERE operation_id = %s", operation.id
    )
    assert grants == []
    assert operation.requested_by_kind == "system"


async def test_what_has_not_ended_is_not_asked_for_again(place: Workplace) -> None:
    async with unit.work(place.site.platform, place.tenant.org.id) as ctx:
        operation = await opened(ctx, place)
        first = await add(ctx, place, operation, "wipe")
        same = await add(ctx, place, operation, "wipe")
    await place.poll()
    await place.say(first.id, "failed")
    async with unit.work(place.site.platform, place.tenant.org.id) as ctx:
        later = await add(ctx, place, operation, "wipe")

    assert same.id == first.id
    assert (later.id != first.id, later.attempt) == (True, 2)


async def test_its_end_wakes_whoever_waits_for_it(place: Workplace) -> None:
    async with unit.work(place.site.platform, place.tenant.org.id) as ctx:
        task = await add(ctx, place, await opened(ctx, place), "wipe")
    await place.poll()

    with place.site.platform.hub.watch(["people"]) as waiter:
        await place.say(task.id, "succeeded")

        assert await waiter.wait(0)


async def test_a_slice_makes_the_input_at_the_moment_of_handing_over(place: Workplace) -> None:
    hook = Listing()
    platform = dataclasses.replace(place.site.platform, task_hooks={"access-sync": hook})
    async with unit.work(platform, place.tenant.org.id) as ctx:
        task = await add(ctx, place, await opened(ctx, place), "access-sync")

    first = await commands.for_poll(platform, place.node, [])
    again = await commands.for_poll(platform, place.node, [])
    await commands.report(platform, place.node, [Report(task.id, 1, "succeeded")])

    assert [each.input["turn"] for each in (*first.tasks, *again.tasks)] == [1, 2]
    assert (await place.row(task.id))["input"] == {}
    assert hook.heard == [(task.id, "succeeded")]


async def test_closing_ends_it_and_closing_again_changes_nothing(place: Workplace) -> None:
    async with unit.work(place.site.platform, place.tenant.org.id) as ctx:
        operation = await opened(ctx, place)
        task = await add(ctx, place, operation, "wipe")
        org = place.tenant.org.id
        closed = await operations.close(ctx, operation.id, "failed", org=org, message="no")
        again = await operations.close(ctx, operation.id, "succeeded", org=org)

    assert (closed.status, again.status, again.message) == ("failed", "failed", "no")
    assert (await place.row(task.id))["status"] == "cancelled"


async def test_giving_a_machine_back_ends_the_work_on_it(place: Workplace) -> None:
    task = await place.queue()
    async with unit.work(place.site.platform, place.tenant.org.id) as ctx:
        mine = await opened(ctx, place)
        ended = await operations.end_on_allocation(
            ctx,
            place.allocation,
            org=place.tenant.org.id,
            message="The machine is being given back.",
            besides=[mine.id],
        )

    assert [each.id for each in ended] == [place.operation]
    assert (await place.row(task))["status"] == "cancelled"
    assert (await place.holder.get(f"/v1/tasks/{task}")).status_code == 401


@pytest.mark.parametrize(
    ("verb", "body"), [("end", {"outcome": "succeeded"}), ("renew", {"lease": 3600})]
)
async def test_the_holder_of_the_machine_neither_ends_nor_renews_it(
    place: Workplace, verb: str, body: dict[str, Any]
) -> None:
    async with unit.work(place.site.platform, place.tenant.org.id) as ctx:
        operation = await opened(ctx, place)
        task = await add(ctx, place, operation, "wipe")

    answer = await place.tenant.admin.post(f"/v1/operations/{operation.id}/{verb}", body)

    assert answer.status_code == 409
    assert answer.json()["code"] == "platforms_own"
    assert (await place.row(task.id))["status"] == "queued"


@pytest.mark.parametrize("kind", ["wipe", "access-sync", "probe"])
async def test_the_holder_of_the_machine_cancels_none_of_its_tasks(
    place: Workplace, kind: str
) -> None:
    given = {"parts": ["residue"]} if kind == "probe" else {}
    async with unit.work(place.site.platform, place.tenant.org.id) as ctx:
        operation = await opened(ctx, place)
        task = await add(ctx, place, operation, kind, given)

    answer = await place.tenant.admin.post(f"/v1/tasks/{task.id}/cancel")

    assert answer.status_code == 409
    assert answer.json()["code"] == "platforms_own"
    assert (await place.row(task.id))["status"] == "queued"
