"""Looking at tasks, waiting for them, stopping them."""

import asyncio

import httpx2
import pytest

from core.tests.site import Site
from core.tests.tasks.workplaces import Workplace, exec_wish, make_workplace
from moorage_core.tasks import commands


@pytest.fixture
async def place(site: Site) -> Workplace:
    return await make_workplace(site)


async def waiting(site: Site, request: "asyncio.Task[httpx2.Response]") -> None:
    """Until the request sleeps."""
    before = site.platform.hub.waiting
    while site.platform.hub.waiting == before and not request.done():
        await asyncio.sleep(0)


async def test_whoever_waits_for_a_task_is_answered_at_its_end(
    site: Site, place: Workplace
) -> None:
    (task,) = await place.ask(exec_wish())
    await place.poll()
    request = asyncio.create_task(place.holder.get(f"/v1/tasks/{task['id']}?wait=30"))
    await waiting(site, request)

    await place.say(task["id"], "succeeded")

    answer = await asyncio.wait_for(request, 20)
    assert answer.json()["status"] == "succeeded"


async def test_whoever_waits_for_a_task_is_not_woken_because_a_node_takes_it(
    site: Site, place: Workplace
) -> None:
    (task,) = await place.ask(exec_wish())

    with site.platform.hub.watch([f"task:{task['id']}"]) as waiter:
        await place.poll()
        woken = await waiter.wait(0)
        await place.say(task["id"], "succeeded")
        at_the_end = await waiter.wait(0)

    assert (woken, at_the_end) == (False, True)


async def test_whoever_waits_for_all_is_answered_when_the_last_has_ended(
    site: Site, place: Workplace
) -> None:
    first, second = await place.ask(exec_wish(), exec_wish())
    await place.poll()
    await place.say(first["id"], "succeeded")
    path = f"/v1/operations/{place.operation}/tasks?wait=30"
    request = asyncio.create_task(place.holder.get(path))
    await waiting(site, request)

    await place.say(second["id"], "failed")

    answer = await asyncio.wait_for(request, 20)
    assert answer.json()["open"] == 0
    assert [each["status"] for each in answer.json()["items"]] == ["succeeded", "failed"]


async def test_whoever_follows_output_gets_it_as_it_comes(site: Site, place: Workplace) -> None:
    (task,) = await place.ask(exec_wish())
    await place.poll()
    request = asyncio.create_task(place.holder.get(f"/v1/tasks/{task['id']}/output?wait=30"))
    await waiting(site, request)

    await commands.append_output(
        site.platform, place.node, task["id"], "stdout", offset=0, content=b"hello"
    )

    answer = await asyncio.wait_for(request, 20)
    assert answer.content == b"hello"


@pytest.mark.rule("TK-2")
async def test_a_token_that_ends_while_it_waits_is_turned_away(
    site: Site, place: Workplace
) -> None:
    (task,) = await place.ask(exec_wish())
    await place.poll()
    request = asyncio.create_task(place.holder.get(f"/v1/tasks/{task['id']}?wait=30"))
    await waiting(site, request)

    ended = await place.tenant.admin.post(
        f"/v1/operations/{place.operation}/end", {"outcome": "succeeded"}
    )

    answer = await asyncio.wait_for(request, 20)
    assert ended.status_code == 200, ended.text
    assert answer.status_code == 401


async def test_a_task_that_no_node_has_is_cancelled_at_once(place: Workplace) -> None:
    (task,) = await place.ask(exec_wish())

    answer = await place.holder.post(f"/v1/tasks/{task['id']}/cancel")
    again = await place.holder.post(f"/v1/tasks/{task['id']}/cancel")

    assert answer.json()["status"] == "cancelled"
    assert again.json()["code"] == "task_ended"
    assert (await place.poll()).tasks == []


async def test_a_task_that_a_node_has_is_asked_to_stop(place: Workplace) -> None:
    (task,) = await place.ask(exec_wish())
    await place.poll()
    await place.say(task["id"], "running")

    answer = await place.tenant.admin.post(f"/v1/tasks/{task['id']}/cancel")
    told = await place.poll((task["id"], "running"))
    await place.say(task["id"], "cancelled")

    assert answer.json()["status"] == "running"
    assert answer.json()["cancel_requested_at"] is not None
    assert told.cancel == [task["id"]]
    assert (await place.row(task["id"]))["status"] == "cancelled"


async def test_viewers_look_and_do_not_stop(site: Site, place: Workplace) -> None:
    (task,) = await place.ask(exec_wish())
    viewer = await site.actor("viewer", project=place.tenant.project)

    looked = await viewer.get(f"/v1/tasks/{task['id']}")
    stopped = await viewer.post(f"/v1/tasks/{task['id']}/cancel")

    assert looked.status_code == 200
    assert stopped.status_code == 403


async def test_an_answer_never_shows_an_input(place: Workplace) -> None:
    (task,) = await place.ask(exec_wish(input={"argv": ["echo", "planted-value"]}))

    answer = await place.holder.get(f"/v1/tasks/{task['id']}")

    assert "planted-value" not in answer.text
