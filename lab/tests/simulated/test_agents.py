"""Simulated agents against a platform's side of the protocol."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from lab.tests.simulated.standin import Node, StandIn, serving
from moorage_lab.simulated import Agent, Behaviour, Crowd, ImpossibleWorld, Reaction
from moorage_lab.simulated.http1 import Server
from moorage_lab.simulated.script import Memory, Task


@pytest.fixture
async def platform() -> AsyncIterator[StandIn]:
    async with serving(StandIn()) as running:
        yield running


def crowd(platform: StandIn, count: int = 1, **options: Any) -> Crowd:
    tokens = [platform.enrolment() for _ in range(count)]
    return Crowd(Server(platform.url), tokens, **options)


def only(platform: StandIn) -> Node:
    (node,) = platform.nodes.values()
    return node


async def until(is_so: Callable[[], object], *, seconds: float = 10) -> None:
    async with asyncio.timeout(seconds):
        while not is_so():
            await asyncio.sleep(0.005)


async def test_an_agent_enrols_once_proves_itself_and_says_what_it_is_made_of(
    platform: StandIn,
) -> None:
    async with crowd(platform) as agents:
        await agents.until_working()
        await until(lambda: len(only(platform).polls) > 1)

    first, second = only(platform).polls[:2]
    assert first["inventory"]["cpu"]["threads"] == 8
    assert "inventory" not in second


async def test_a_task_is_done_and_its_output_is_there_before_its_end_is(platform: StandIn) -> None:
    async with crowd(platform) as agents:
        await agents.until_working()
        node = only(platform)
        task = node.hand("exec", {"argv": ["echo", "hello"]})
        await until(lambda: task in node.ends())

        assert node.output[f"{task}/stdout"] == b"hello\n"
        assert node.ends()[task]["result"]["exit_code"] == 0


async def test_a_task_is_held_until_it_is_to_be_forgotten(platform: StandIn) -> None:
    async with crowd(platform) as agents:
        await agents.until_working()
        node = only(platform)
        task = node.hand("probe", {"parts": ["residue"]})
        await until(lambda: {"task": task, "state": "succeeded"} in node.polls[-1]["holds"])
        node.forget.append(task)
        node.woken.set()
        await until(lambda: node.polls[-1]["holds"] == [])

        assert node.ends()[task]["result"] == {"residue": {}}


async def test_ensuring_the_same_twice_changes_nothing_the_second_time(platform: StandIn) -> None:
    async with crowd(platform) as agents:
        await agents.until_working()
        node = only(platform)
        tasks = [node.hand("put", {"path": "/etc/x", "content": "eA=="}) for _ in range(2)]
        await until(lambda: len(node.ends()) == 2)

        assert [node.ends()[task]["changed"] for task in tasks] == [True, False]


@pytest.mark.parametrize(
    ("changes", "code"),
    [({"allocation_id": "alc_2"}, "wrong_allocation"), ({"kind": "dance"}, "unknown_kind")],
)
async def test_an_agent_refuses_what_is_not_for_it(
    platform: StandIn, changes: dict[str, str], code: str
) -> None:
    async with crowd(platform) as agents:
        await agents.until_working()
        node = only(platform)
        task = node.hand("exec", {"argv": ["true"]}, **changes)
        await until(lambda: task in node.ends())

        assert node.ends()[task]["error"]["code"] == code


async def test_an_agent_refuses_a_lower_fence_than_it_has_seen(platform: StandIn) -> None:
    async with crowd(platform) as agents:
        await agents.until_working()
        node = only(platform)
        late = node.hand("exec", {"argv": ["true"]}, fence=2)
        await until(lambda: late in node.ends())
        stale = node.hand("exec", {"argv": ["true"]}, fence=1)
        await until(lambda: stale in node.ends())

        assert node.ends()[stale]["error"]["code"] == "stale_fence"


async def test_a_slow_task_can_be_cancelled(platform: StandIn) -> None:
    async with crowd(platform, behaviour=Behaviour(delay=600)) as agents:
        await agents.until_working()
        node = only(platform)
        task = node.hand("exec", {"argv": ["sleep", "600"]})
        await until(lambda: node.reports)
        node.cancel.append(task)
        node.woken.set()
        await until(lambda: task in node.ends())

        assert [report["state"] for report in node.reports] == ["running", "cancelled"]


async def test_tasks_fail_as_often_as_the_behaviour_says(platform: StandIn) -> None:
    async with crowd(platform, behaviour=Behaviour(failing=1.0)) as agents:
        await agents.until_working()
        node = only(platform)
        task = node.hand("exec", {"argv": ["true"]})
        await until(lambda: task in node.ends())

        assert node.ends()[task]["error"]["code"] == "exit_nonzero"


async def test_a_silent_agent_reports_what_it_did_when_it_is_heard_again(platform: StandIn) -> None:
    async with crowd(platform, behaviour=Behaviour(delay=0.05)) as agents:
        await agents.until_working()
        node = only(platform)
        task = node.hand("exec", {"argv": ["true"]})
        await until(lambda: node.reports)
        agents.agents[0].fall_silent()
        await until(lambda: agents.states()["silent"])
        await until(lambda: agents.agents[0].holds[task].state == "succeeded")
        assert node.ends() == {}

        agents.agents[0].speak()

        await until(lambda: task in node.ends())


async def test_the_second_holder_of_an_identity_is_found_out(platform: StandIn) -> None:
    async with crowd(platform) as agents:
        await agents.until_working()
        copied = agents.agents[0].clone()
        await agents.agents[0].exchange()

        agents.join(copied)

        await until(lambda: agents.states()["conflict"] == 2)


async def test_a_used_token_is_refused(platform: StandIn) -> None:
    token = platform.enrolment()
    async with Crowd(Server(platform.url), [token, token]) as agents:
        await until(lambda: agents.states() == {"working": 1, "refused": 1})


async def test_large_output_goes_up_in_pieces(platform: StandIn) -> None:
    async with crowd(platform, behaviour=Behaviour(output=600_000, pieces=2)) as agents:
        await agents.until_working()
        node = only(platform)
        task = node.hand("exec", {"argv": ["true"]}, output_limit=500_000)
        await until(lambda: task in node.ends())

        assert len(node.output[f"{task}/stdout"]) == 500_000


async def test_agents_go_on_when_the_platform_was_restarted() -> None:
    platform = StandIn()
    async with AsyncExitStack() as stack:
        async with serving(platform):
            agents = await stack.enter_async_context(crowd(platform))
            await agents.until_working()
        await until(lambda: agents.tally.unreachable)

        async with serving(platform):
            task = only(platform).hand("exec", {"argv": ["true"]})
            await until(lambda: task in only(platform).ends())


async def test_hundreds_of_agents_run_in_one_process(platform: StandIn) -> None:
    async with crowd(platform, 300) as agents:
        await agents.until_working()
        tasks = [node.hand("exec", {"argv": ["true"]}) for node in platform.nodes.values()]
        await until(lambda: agents.tally.ends["succeeded"] == len(tasks))

        assert [len(node.ends()) for node in platform.nodes.values()] == [1] * 300


# --- an agent that is killed ----------------------------------------------------------------------


async def killed(platform: StandIn, kind: str, reaction: Reaction, said: str) -> tuple[Node, str]:
    """A task of an agent that was killed when it had said this much, and has a successor."""
    begun: list[str] = []

    def script(task: Task, memory: Memory) -> Reaction:
        begun.append(task["id"])
        return reaction

    agent = Agent(Server(platform.url), token=platform.enrolment(), script=script)
    async with running(agent):
        await until(lambda: platform.nodes and only(platform).polls)
        node = only(platform)
        task = node.hand(kind, {})
        await until(lambda: said in [report["state"] for report in node.reports])
    node.polls.clear()
    async with running(agent.successor()):
        await until(lambda: node.polls and task in node.ends())
    assert begun == [task]
    return node, task


@asynccontextmanager
async def running(agent: Agent) -> AsyncIterator[None]:
    work = asyncio.create_task(agent.run())
    try:
        yield
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


async def test_what_was_done_is_still_held_by_the_agent_that_comes_after(platform: StandIn) -> None:
    node, task = await killed(platform, "put", Reaction(), "succeeded")

    assert node.polls[0]["holds"] == [{"task": task, "state": "succeeded"}]
    assert len(node.reports) == 1


async def test_what_an_agent_did_itself_when_it_was_killed_has_no_known_end(
    platform: StandIn,
) -> None:
    node, task = await killed(platform, "put", Reaction(seconds=600), "running")

    assert node.ends()[task]["state"] == "unknown"
    assert node.ends()[task]["error"]["code"] == "lost"


async def test_no_two_agents_run_on_one_disk(platform: StandIn) -> None:
    agent = Agent(Server(platform.url))

    with pytest.raises(ImpossibleWorld, match="has not ended"):
        agent.successor()
