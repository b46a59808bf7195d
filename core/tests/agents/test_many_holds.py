"""Agents that hold more than anybody expected are heard all the same."""

import pytest

from core.tests.factories import machines
from core.tests.factories.hosts import Host
from core.tests.site import Site
from core.tests.tasks.workplaces import Workplace, make_workplace


@pytest.fixture
async def place(site: Site) -> Workplace:
    return await make_workplace(site)


@pytest.fixture
async def host(site: Site, place: Workplace) -> Host:
    token = await machines.give_node_token(site, place.node)
    return Host(site.client, node=place.node, token=token)


def made_up(count: int) -> list[dict[str, str]]:
    return [{"task": f"tsk_{n:026d}", "state": "failed"} for n in range(count)]


async def test_a_node_that_holds_thousands_of_tasks_is_heard_and_gets_work(
    place: Workplace, host: Host
) -> None:
    task = await place.queue()

    answer = await host.poll(holds=made_up(2000))

    assert answer.status_code == 200, answer.text[:200]
    assert [each["id"] for each in answer.json()["tasks"]] == [task]
    assert len(answer.json()["forget"]) == 2000


async def test_from_a_list_that_is_cut_no_task_is_taken_for_lost(
    place: Workplace, host: Host
) -> None:
    task = await place.queue()
    await place.poll()
    await place.say(task, "running")

    answer = await host.poll(holds=[*made_up(5000), {"task": task, "state": "running"}])

    assert answer.status_code == 200, answer.text[:200]
    assert (await place.row(task))["status"] == "running"
