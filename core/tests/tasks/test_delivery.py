"""What a node is told at a poll, and what is concluded from what it holds."""

import pytest

from core.tests.factories import machines
from core.tests.retention.plans import ExplainingDb
from core.tests.site import Site
from core.tests.tasks.workplaces import Workplace, make_workplace
from moorage_core.kit.db import Scope
from moorage_core.tasks import commands, node_store


@pytest.fixture
async def place(site: Site) -> Workplace:
    return await make_workplace(site)


async def test_a_node_that_nobody_holds_is_told_nothing(site: Site) -> None:
    place = await make_workplace(site)
    idle = Workplace(
        place.tenant, await machines.make_node_row(site), "none", place.operation, place.token
    )

    handed = await idle.poll()

    assert handed.binding is None
    assert not handed.urgent


async def test_a_node_is_told_who_holds_it(place: Workplace) -> None:
    handed = await place.poll()

    assert handed.binding is not None
    assert handed.binding.allocation_id == place.allocation
    assert handed.binding.org_id == place.tenant.org.id
    assert handed.binding.project_id == place.tenant.project.id


async def test_a_queued_task_is_handed_over_once_the_node_has_it(place: Workplace) -> None:
    task = await place.queue(input={"argv": ["uptime"]}, timeout_seconds=30)

    first = await place.poll()
    second = await place.poll((task, "received"))

    assert [each.id for each in first.tasks] == [task]
    assert first.tasks[0].input == {"argv": ["uptime"]}
    assert first.tasks[0].timeout == 30
    assert second.tasks == []
    assert (await place.row(task))["status"] == "sent"


async def test_a_task_whose_answer_was_lost_is_sent_again(place: Workplace) -> None:
    task = await place.queue()

    await place.poll()
    again = await place.poll()

    assert [each.id for each in again.tasks] == [task]
    assert (await place.row(task))["sent_count"] == 2


async def test_a_poll_that_has_waited_sends_only_what_is_new(place: Workplace) -> None:
    sent = await place.queue()
    await place.poll()
    queued = await place.queue()

    handed = await place.poll(fresh=False)

    assert [each.id for each in handed.tasks] == [queued]
    assert (await place.row(sent))["sent_count"] == 1


async def test_a_running_task_that_the_node_does_not_hold_is_unknown(place: Workplace) -> None:
    task = await place.queue()
    await place.poll()
    await place.say(task, "running")

    await place.poll()

    row = await place.row(task)
    assert row["status"] == "unknown"
    assert row["error_code"] == "lost_on_node"


async def test_a_poll_that_has_waited_takes_no_running_task_for_lost(place: Workplace) -> None:
    task = await place.queue()
    await place.poll()
    await place.say(task, "running")

    await place.poll(fresh=False)

    assert (await place.row(task))["status"] == "running"


async def test_a_node_is_told_once_in_a_while_to_stop_a_task(place: Workplace) -> None:
    task = await place.queue()
    await place.poll()
    await place.say(task, "running")
    await place.site.rows("UPDATE tasks SET cancel_requested_at = now() WHERE id = %s", task)

    first = await place.poll((task, "running"))
    second = await place.poll((task, "running"))

    assert first.cancel == [task]
    assert second.cancel == []
    assert not second.urgent


async def test_a_task_that_is_to_stop_and_that_no_node_has_is_cancelled(place: Workplace) -> None:
    task = await place.queue()
    await place.poll()
    await place.site.rows("UPDATE tasks SET cancel_requested_at = now() WHERE id = %s", task)

    handed = await place.poll()

    assert handed.tasks == []
    assert (await place.row(task))["status"] == "cancelled"


async def test_what_has_ended_and_what_nobody_knows_is_forgotten(place: Workplace) -> None:
    task = await place.queue()
    await place.poll()
    await place.say(task, "succeeded")

    handed = await place.poll((task, "succeeded"), ("tsk_" + "7" * 26, "failed"))

    assert sorted(handed.forget) == sorted([task, "tsk_" + "7" * 26])


async def test_a_task_that_was_given_up_here_is_stopped_there(place: Workplace) -> None:
    task = await place.queue()
    await place.poll()
    await place.say(task, "running")
    await place.poll()

    handed = await place.poll((task, "running"))

    assert handed.cancel == [task]


async def test_a_node_sees_no_task_of_another_node(site: Site, place: Workplace) -> None:
    other = await make_workplace(site, place.tenant)
    task = await other.queue()

    handed = await place.poll()
    outcome = await place.say(task, "succeeded")

    assert handed.tasks == []
    assert outcome == "refused"
    assert (await place.row(task))["status"] == "queued"


async def test_an_answer_brings_no_more_tasks_than_a_node_can_begin(place: Workplace) -> None:
    for _ in range(40):
        await place.queue()

    first = await place.poll()
    busy = [(task.id, "running") for task in first.tasks]
    full = await place.poll(*busy)
    later = await place.poll(*[(id, "succeeded") for id, _ in busy[:3]], *busy[3:])

    assert len(first.tasks) == 32
    assert full.tasks == []
    assert len(later.tasks) == 3
    queued = await place.site.rows(
        "SELECT 1 FROM tasks WHERE node_id = %s AND status = 'queued'", place.node
    )
    assert len(queued) == 5


async def test_what_takes_people_away_waits_for_no_room(place: Workplace) -> None:
    for _ in range(33):
        await place.queue()
    busy = [(task.id, "running") for task in (await place.poll()).tasks]
    own = await place.queue(kind="access-sync", input={})

    handed = await place.poll(*busy)

    assert [task.id for task in handed.tasks] == [own]


async def test_of_packages_one_goes_at_a_time(place: Workplace) -> None:
    wish = {"kind": "packages", "input": {"present": ["cron"]}}
    first, second = await place.queue(**wish), await place.queue(**wish)
    other = await place.queue()

    handed = await place.poll()
    meanwhile = await place.poll((first, "running"), (other, "running"))
    later = await place.poll((first, "succeeded"), (other, "running"))

    assert sorted(task.id for task in handed.tasks) == sorted([first, other])
    assert meanwhile.tasks == []
    assert [task.id for task in later.tasks] == [second]


async def test_a_node_with_room_again_is_woken_for_what_waits(place: Workplace) -> None:
    for _ in range(33):
        await place.queue()
    first = await place.poll()

    with place.site.platform.hub.watch([f"node:{place.node}"]) as waiter:
        await place.say(first.tasks[0].id, "succeeded")

        assert await waiter.wait(0)
    handed = await place.poll(*[(task.id, "running") for task in first.tasks], fresh=False)
    assert len(handed.tasks) == 1
    assert handed.cancel == []


async def test_sending_again_gives_no_more_time(place: Workplace) -> None:
    task = await place.queue()
    await place.poll()
    due = (await place.row(task))["due_at"]

    await place.poll()

    assert (await place.row(task))["due_at"] == due


async def test_a_look_reads_no_more_than_a_poll_can_use(place: Workplace) -> None:
    task = await place.queue()
    await place.site.rows(
        "INSERT INTO tasks SELECT (jsonb_populate_record(t, jsonb_build_object('id',"
        " 'tsk_' || lpad(g::text, 26, '0'), 'key', g))).* FROM tasks t, generate_series(1, 999) g"
        " WHERE t.id = %s",
        task,
    )

    async with place.site.platform.database.transaction(Scope(principal=place.node)) as db:
        rows = await node_store.look(db, place.node, holds=[task], reach="agent")
    await place.site.rows("DELETE FROM tasks WHERE node_id = %s", place.node)

    assert len(rows) < 300
    assert task in [row["id"] for row in rows]


async def test_a_task_of_a_host_that_nobody_holds_any_more_is_ended_too(
    place: Workplace,
) -> None:
    task = await place.queue(reach="ssh")
    await place.site.rows(
        "UPDATE allocations SET status = 'released' WHERE id = %s", place.allocation
    )

    ended = await commands.refuse(
        place.site.platform, place.node, code="host_key_changed", message="Another key."
    )

    assert ended == 1
    assert (await place.row(task))["error_code"] == "host_key_changed"


async def test_a_look_without_news_costs_one_statement(place: Workplace) -> None:
    database = place.site.platform.database
    before = (database.transactions, database.statements)

    await place.poll()

    assert (database.transactions - before[0], database.statements - before[1]) == (1, 1)


async def test_handing_over_many_tasks_costs_two_statements(place: Workplace) -> None:
    for _ in range(5):
        await place.queue()
    database = place.site.platform.database
    before = (database.transactions, database.statements)

    handed = await place.poll()

    assert len(handed.tasks) == 5
    assert (database.transactions - before[0], database.statements - before[1]) == (1, 2)


async def test_a_look_reads_what_is_open_however_much_there_was(place: Workplace) -> None:
    # What other tests left open would be read here: their nodes have next to no tasks.
    await place.site.rows("DELETE FROM tasks")
    await place.queue()
    await place.site.rows(
        "INSERT INTO tasks (id, org_id, project_id, operation_id, allocation_id, node_id, reach,"
        " kind, key, fence, run_as, input, fingerprint, timeout_seconds, output_limit, status,"
        " due_at, ended_at, correlation_id, created_at)"
        " SELECT 'tsk_' || g, t.org_id, t.project_id, t.operation_id, t.allocation_id, t.node_id,"
        " 'agent', 'exec', g::text, 1, 'root', '{}', '', 1, 1, 'failed', now(), now(), 'c', now()"
        " FROM generate_series(1, 20000) g, tasks t WHERE t.node_id = %s",
        place.node,
    )
    await place.site.rows("ANALYZE tasks")

    async with place.site.platform.database.transaction(Scope(principal=place.node)) as db:
        explaining = ExplainingDb(db)
        rows = await node_store.look(explaining, place.node, holds=["tsk_7"], reach="agent")

    assert len(rows) == 2
    assert "tasks" not in explaining.tables_read_whole
    assert explaining.most_rows <= 100
