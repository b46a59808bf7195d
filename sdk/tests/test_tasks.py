"""Sessions and tasks through the client, with a machine that does what it is told."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import psycopg
import pytest

import moorage
from moorage import Client
from moorage.errors import OperationEnded, TaskDiffers
from moorage.models import ProjectRead, SessionIssued, TaskCreate
from moorage_core.embedded import folder, postgres
from sdk.tests.conftest import new_slug
from sdk.tests.running import Platform
from sdk.tests.scripted_node import ScriptedNode
from sdk.tests.wire import LoseAnswer, Wire

REASON = "its disk is nearly full"


@pytest.fixture
def database(platform: Platform) -> Iterator[psycopg.Connection[Any]]:
    found = postgres.find_running(folder.prepare(platform.folder / "data"))
    assert found is not None
    with psycopg.connect(found.super_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def machine(
    platform: Platform, database: psycopg.Connection[Any], project: ProjectRead
) -> Iterator[ScriptedNode]:
    place = {"id": project.id, "org_id": project.org_id}
    with ScriptedNode(platform.url, database, place, new_slug()) as node:
        yield node


@pytest.fixture
async def session(admin: Client, project: ProjectRead, machine: ScriptedNode) -> SessionIssued:
    return await admin.node_sessions.create(project, allocations=[machine.id], reason=REASON)


@pytest.fixture
async def holder(platform: Platform, session: SessionIssued) -> AsyncIterator[Client]:
    """Whoever holds the session's token."""
    async with Client(platform.url, auth=moorage.AccessToken(session.token)) as client:
        yield client


def echo(machine: ScriptedNode, *words: str, key: str = "say/it") -> TaskCreate:
    return TaskCreate(key=key, kind="exec", allocation=machine.id, input={"argv": ["echo", *words]})


async def test_a_task_is_done_and_its_output_followed(
    holder: Client, session: SessionIssued, machine: ScriptedNode
) -> None:
    (task,) = await holder.tasks.create(session.id, [echo(machine, "hello")])

    said = b"".join([piece async for piece in holder.tasks.follow(task)])
    ended = await holder.tasks.wait(task)

    assert said == b"hello\n"
    assert ended.status == "succeeded"
    assert ended.result == {"exit_code": 0}


async def test_many_tasks_are_waited_for_at_once_and_listed_page_by_page(
    holder: Client, session: SessionIssued, machine: ScriptedNode
) -> None:
    wishes = [echo(machine, str(n), key=f"say/{n}") for n in range(60)]
    made = await holder.tasks.create(session.id, wishes)

    page = await holder.tasks.list(session.id, wait=30)
    while page.open:
        page = await holder.tasks.list(session.id, wait=30)

    listed = [task.id async for task in holder.tasks.all(session.id, status="succeeded")]
    assert sorted(listed) == sorted(task.id for task in made)


async def test_asking_again_gives_the_same_task_and_asking_otherwise_is_refused(
    holder: Client, session: SessionIssued, machine: ScriptedNode
) -> None:
    (first,) = await holder.tasks.create(session.id, [echo(machine, "a")])
    (again,) = await holder.tasks.create(session.id, [echo(machine, "a")])

    with pytest.raises(TaskDiffers):
        await holder.tasks.create(session.id, [echo(machine, "b")])

    assert again.id == first.id


async def test_an_answer_that_is_lost_makes_no_second_task(
    bad: Wire, session: SessionIssued, machine: ScriptedNode
) -> None:
    bad.faults = [LoseAnswer()]
    async with Client(bad.url, auth=moorage.AccessToken(session.token)) as holder:
        await holder.tasks.create(session.id, [echo(machine, "once")])

        tasks = [task async for task in holder.tasks.all(session.id)]

    assert len(tasks) == 1


async def test_a_session_is_listed_renewed_and_ended(
    admin: Client, project: ProjectRead, session: SessionIssued
) -> None:
    renewed = await admin.operations.renew(session.id, lease=7200)
    ended = await admin.operations.end(session.id, message="All clean.")

    with pytest.raises(OperationEnded):
        await admin.operations.end(session.id)

    listed = [each.id async for each in admin.node_sessions.list(project, status="succeeded")]
    every = [each.id async for each in admin.operations.list(project=project)]
    assert renewed.lease_expires_at is not None
    assert session.lease_expires_at is not None
    assert renewed.lease_expires_at > session.lease_expires_at
    assert (await admin.operations.get(session.id)).message == ended.message == "All clean."
    assert listed == every == [session.id]


async def test_a_secret_goes_in_and_does_not_come_back(
    holder: Client, session: SessionIssued
) -> None:
    stored = await holder.operations.put_secret(
        session.id, name="key", purpose="cluster_key", value="planted"
    )

    assert "planted" not in stored.model_dump_json()


async def test_a_token_is_of_no_use_after_the_end(
    admin: Client, holder: Client, session: SessionIssued, machine: ScriptedNode
) -> None:
    await admin.operations.end(session.id)

    with pytest.raises(moorage.Unauthenticated):
        await holder.tasks.create(session.id, [echo(machine, "late")])


async def test_a_task_can_be_stopped(
    admin: Client,
    project: ProjectRead,
    platform: Platform,
    database: psycopg.Connection[Any],
) -> None:
    place = {"id": project.id, "org_id": project.org_id}
    idle = ScriptedNode(platform.url, database, place, new_slug())
    opened = await admin.node_sessions.create(project, allocations=[idle.id], reason=REASON)
    async with Client(platform.url, auth=moorage.AccessToken(opened.token)) as client:
        (task,) = await client.tasks.create(opened.id, [echo(idle, "never")])

        stopped = await client.tasks.cancel(task)

    assert stopped.status == "cancelled"
