"""Random lives of an instance: the platform does what the rules say, whatever is asked when.

Hypothesis makes up moves of people, controllers and time; a real platform and a model on paper make
each of them, and are compared afterwards. `MODEL_EXAMPLES` and `MODEL_STEPS` make it longer;
`--hypothesis-seed` repeats a run by the seed that it printed.
"""

import asyncio
import os
import random
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from core.tests.factories.instances import make_echo
from core.tests.factories.tenants import make_tenant
from core.tests.model import acting, asking, life, line
from core.tests.model.life import ACTIONS, CLUSTER_THAT_ACTS, Brief, Life, Seen
from core.tests.model.paper import Paper
from core.tests.site import TimedSite

EXAMPLES = int(os.environ.get("MODEL_EXAMPLES", "8"))
STEPS = int(os.environ.get("MODEL_STEPS", "25"))
SHRINK = os.environ.get("MODEL_SHRINK") == "1"
"""Minutes of looking for a shorter life that fails as well."""
ERROR = {"code": "broken", "message": "It does not work."}
LEFT = {"what": "/etc/app", "where": "there", "why": "read-only"}
CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "instance.configure": ("configure", {}),
    "instance.upgrade": ("upgrade", {"version": "1.1.0"}),
    "instance.rollback": ("rollback", {"accept_losses": True}),
    "instance.stop": ("stop", {}),
    "instance.start": ("start", {}),
    "instance.restart": ("restart", {}),
    "instance.repair": ("repair", {"reason": "it limps"}),
    "credential.rotate": ("rotate", {"reason": "somebody left"}),
    "instance.decommission": ("decommission", {}),
}
"""What is asked of an instance: the route, and what it takes."""
RECOVERIES = ("retryable", "reconcilable", "repairable", "operator", "terminal")
SAID: list[dict[str, Any]] = [
    {"state": "running"},
    {"state": "running", "step": {}},
    {"state": "running", "step": {"no_return": True}},
    {"state": "undoing"},
    {"state": "succeeded"},
    {"state": "cancelled"},
    {"state": "cancelled", "residue": [LEFT]},
    {"state": "waiting", "wait": {"seconds": 5}},
    {"state": "waiting", "wait": {"seconds": 20, "retry": True}},
    {"state": "blocked", "error": ERROR},
    *({"state": "failed", "error": ERROR, "recovery": each} for each in RECOVERIES),
]
SHOWN = (
    *("status", "direction", "attempt", "phase", "fence", "no_return"),
    *("recovery", "error", "stops"),
)
"""Of an operation, on paper and by the API alike."""
MOST_ROUNDS = 60
"""Rounds of honest work after which nobody believes in an end any more."""

some = st.sampled_from([None, 1])
few = st.sampled_from([None, 0])


class Lives(RuleBasedStateMachine):
    """An instance on the platform and on paper."""

    start: Callable[[], Life]
    do: Callable[[Coroutine[Any, Any, Any]], Any]

    def __init__(self) -> None:
        super().__init__()
        self.life = self.start()
        self.paper = Paper()
        self.briefs: list[Brief] = []
        self.changed = 0
        self.is_sound = True

    @initialize(replicas=st.integers(0, 2), done=st.sampled_from([True, True, True, False]))
    def deploy(self, replicas: int, done: bool) -> None:
        self.do(self.life.begin(replicas))
        seen: Seen = self.do(self.life.look())
        ids = life.new({}, seen.operations)
        members = [(id, seen.members[id]["component"]) for id in sorted(seen.members)]
        self.compare(None, lambda paper: asking.deploy(paper, ids, members))
        for _ in range(3 if replicas else 2):
            if done:
                self.work_honestly()

    # What people ask for

    @rule(kind=st.sampled_from(sorted(CHANGES)), preempt=st.booleans())
    def change(self, kind: str, preempt: bool) -> None:
        verb, body = CHANGES[kind]
        preempt = preempt and kind in ("instance.stop", "instance.decommission")
        more: dict[str, Any] = {"preempt": True} if preempt else {}
        if kind == "instance.configure":
            self.changed += 1
            more = {"config": {"note": f"change {self.changed}"}}
        refused = self.do(self.life.change(verb, **body, **more))
        self.compare(
            refused, lambda paper: asking.change(paper, kind, self.new_ops, preempt=preempt)
        )

    @rule(name=st.sampled_from(sorted(ACTIONS)), data=st.data())
    def act(self, name: str, data: st.DataObject) -> None:
        member = None
        if name == "poke":
            replicas = [p.id for p in self.paper.parts.values() if p.component == "replica"]
            if not replicas:
                return
            member = data.draw(st.sampled_from(replicas))
        refused = self.do(self.life.act(name, member))
        self.compare(refused, lambda paper: asking.act(paper, ACTIONS[name], self.new_ops, member))

    @rule(number=st.integers(1, 2), parallel=some, budget=few)
    def add(self, number: int, parallel: int | None, budget: int | None) -> None:
        machines = self.do(self.life.machines(number))
        body = {"component": "replica", "allocations": machines, "max_parallel": parallel}
        refused = self.do(self.life.change("members", **body, failure_budget=budget))
        how: dict[str, Any] = {"parallel": parallel, "budget": budget}
        self.compare(
            refused, lambda p: asking.add(p, self.new_ops, self.new_members, number, **how)
        )

    @precondition(lambda self: self.paper.parts)
    @rule(
        verb=st.sampled_from(["drain", "resume", "remove"]),
        data=st.data(),
        parallel=some,
        budget=few,
    )
    def ask_members(
        self, verb: str, data: st.DataObject, parallel: int | None, budget: int | None
    ) -> None:
        each = st.sampled_from(self.likely())
        members = data.draw(st.lists(each, min_size=1, max_size=2, unique=True))
        body = {"members": members, "max_parallel": parallel, "failure_budget": budget}
        refused = self.do(self.life.change(f"members/{verb}", **body, reason="test"))
        how: dict[str, Any] = {"parallel": parallel, "budget": budget}
        self.compare(refused, lambda p: asking.ask_members(p, verb, self.new_ops, members, **how))

    def likely(self) -> list[str]:
        """Members: those that are there more often, and above all those that are at something."""
        parts = self.paper.parts.values()
        live = [part.id for part in parts if part.is_live]
        busy = {id for op in self.paper.ops.values() if op.is_open for id in op.members}
        return [part.id for part in parts] + live * 2 + [id for id in live if id in busy] * 6

    @precondition(lambda self: self.paper.parts)
    @rule(data=st.data())
    def replace(self, data: st.DataObject) -> None:
        old = data.draw(st.sampled_from(self.likely()))
        (machine,) = self.do(self.life.machines(1))
        body = {"allocation": machine, "reason": "test"}
        refused = self.do(self.life.ask(f"/v1/members/{old}/replace", body))
        self.compare(refused, lambda p: asking.replace(p, self.new_ops, old, self.new_members))

    @rule(verb=st.sampled_from(["cancel", "retry", "resume", "abandon"]), data=st.data())
    def person(self, verb: str, data: st.DataObject) -> None:
        paper = self.paper
        offered = [op.id for op in paper.ops.values() if verb in paper.verbs(op)]
        # What was asked for last has others before it: there it matters most.
        id = data.draw(st.sampled_from([*paper.ops, *offered * 3, *offered[-2:] * 6]))
        refused = self.do(self.life.person(verb, id))
        self.compare(refused, lambda p: p.person(verb, id))

    @precondition(lambda self: self.paper.open_roots())
    @rule()
    def have_second_thoughts(self) -> None:
        """What was asked for last is not wanted any more."""
        id = self.paper.open_roots()[-1].id
        refused = self.do(self.life.person("cancel", id))
        self.compare(refused, lambda p: p.person("cancel", id))

    # What controllers do

    @rule()
    def set_to_work(self) -> None:
        """A controller that takes everything there is, and is not done with it yet."""
        for _ in range(2):
            self.claim("one", 100)
            for brief in self.held():
                if self.paper.ops[brief.id].phase == "prepare":
                    self.report(brief, {"state": "succeeded"})

    @rule(replica=st.sampled_from(["one", "two"]), capacity=st.sampled_from([1, 100]))
    def claim(self, replica: str, capacity: int) -> None:
        got: list[Brief] = self.do(self.life.claim(replica, capacity))
        told: list[str] = []
        self.compare(None, lambda paper: told.extend(acting.claim(paper, replica, capacity)))
        assert sorted(each.id for each in got) == sorted(told)
        self.briefs += got

    @precondition(lambda self: self.held())
    @rule(said=st.sampled_from(SAID), data=st.data())
    def say(self, said: dict[str, Any], data: st.DataObject) -> None:
        brief = data.draw(st.sampled_from(self.held()))
        self.report(brief, said)

    @precondition(lambda self: self.briefs)
    @rule(said=st.sampled_from(SAID), gap=st.sampled_from([0, 0, 1]), data=st.data())
    def say_out_of_turn(self, said: dict[str, Any], gap: int, data: st.DataObject) -> None:
        """As whoever held it once; or with a number that is not the next."""
        brief = data.draw(st.sampled_from(self.briefs))
        self.report(brief, said, number=brief.sequence + 1 + gap)

    @precondition(lambda self: any(brief.last for brief in self.briefs))
    @rule(data=st.data())
    def say_again(self, data: st.DataObject) -> None:
        """The answer was lost."""
        brief = data.draw(st.sampled_from([each for each in self.briefs if each.last]))
        self.report(brief, brief.last, number=brief.sequence)

    @rule(replica=st.sampled_from(["one", "two"]))
    def leave(self, replica: str) -> None:
        self.do(self.life.leave(replica))
        self.compare(None, lambda paper: acting.leave(paper, replica))

    @rule(rounds=st.integers(1, 3))
    def work(self, rounds: int) -> None:
        """A controller that does its work, for a while."""
        for _ in range(rounds):
            self.work_honestly()

    @rule(seconds=st.sampled_from([6, 31]))
    def pass_time(self, seconds: int) -> None:
        self.do(self.life.pass_time(seconds))
        self.compare(None, lambda paper: acting.pass_time(paper, seconds))

    def held(self) -> list[Brief]:
        ops = self.paper.ops
        return [
            brief
            for brief in self.briefs
            if ops[brief.id].fence == brief.fence and ops[brief.id].holder is not None
        ]

    def work_honestly(self) -> None:
        self.claim("one", 100)
        for brief in self.held():
            op = self.paper.ops[brief.id]
            if op.holder is not None and op.fence == brief.fence:
                undoes = op.direction == "undo" or op.stops
                self.report(brief, {"state": "cancelled" if undoes else "succeeded"})

    def report(self, brief: Brief, said: dict[str, Any], number: int | None = None) -> None:
        sequence = number or brief.sequence + 1
        said = dict(said)
        if "step" in said:
            step = {"number": sequence, "name": f"step {sequence}", "status": "succeeded"}
            step |= {"phase": brief.phase or "run"} | said.pop("step")
            said["steps"] = [
                step | {"attempt": brief.fence, "number": brief.fence * 100 + sequence}
            ]
        refused = self.do(self.life.say(brief, sequence, said))
        if refused is None and sequence == brief.sequence + 1:
            brief.sequence, brief.last = sequence, said
        self.compare(
            refused, lambda paper: acting.report(paper, brief.id, brief.fence, sequence, dict(said))
        )

    # Comparing

    def compare(self, refused: str | None, move: Callable[[Paper], None]) -> None:
        """Make the move on paper, too, and look whether it comes to the same."""
        self.is_sound = False
        seen: Seen = self.do(self.life.look())
        self.new_ops = life.new(self.paper.ops, seen.operations)
        self.new_members = life.new(self.paper.parts, seen.members)
        self.paper, expected = self.paper.attempt(move)
        assert refused == expected
        paper = self.paper
        assert line.conflicts(paper.ops) == []
        assert _operations_seen(seen) == _operations_on(paper)
        assert _members_seen(seen) == {p.id: (p.status, p.owner) for p in paper.parts.values()}
        assert _instance_seen(seen) == _instance_on(paper)
        self.is_sound = True

    def teardown(self) -> None:
        if self.life.id and self.is_sound:
            self.come_to_an_end()
        if self.life.id and self.paper.status != "deleted":
            self.do(self.life.give_up())

    def come_to_an_end(self) -> None:
        """Nothing waits for ever once people and controllers do what is theirs; all was told."""
        for _ in range(MOST_ROUNDS):
            if not self.paper.open_roots():
                break
            for op in list(self.paper.ops.values()):
                if self.paper.ops[op.id].status == "blocked":
                    self.go_on(op.id)
            self.work_honestly()
            self.pass_time(31)
        assert self.paper.open_roots() == []
        events = self.do(self.life.events())
        told = {id: [_state(each) for each in mine] for id, mine in events.items()}
        paper = self.paper
        assert {id: told.get(id, []) for id in paper.ops} == {
            op.id: op.told for op in paper.ops.values()
        }
        assert {id: _changes(told[id]) for id in paper.parts} == {
            part.id: part.told for part in paper.parts.values()
        }
        assert _changes(told[self.life.id]) == paper.told
        for mine in events.values():
            versions = [each["subjectversion"] for each in mine]
            assert versions == sorted(versions)

    def go_on(self, id: str) -> None:
        """Resume what is blocked; where nobody could do it any more, give it up."""
        for verb in ("resume", "abandon"):
            refused = self.do(self.life.person(verb, id))
            self.compare(refused, lambda p, verb=verb: p.person(verb, id))
            if refused is None:
                return


def _operations_seen(seen: Seen) -> dict[str, dict[str, Any]]:
    return {
        id: {
            "status": each["status"],
            "direction": each["direction"],
            "attempt": each["attempt"],
            "phase": each["phase"],
            "fence": each["fence"],
            "no_return": each["no_return"],
            "recovery": each["recovery"],
            "error": each["error"] and each["error"]["code"],
            "residue": len(each["residue"]),
            "stops": each["cancel_requested_at"] is not None,
            "verbs": each["verbs"],
            "children": each["children"],
        }
        for id, each in seen.operations.items()
    }


def _operations_on(paper: Paper) -> dict[str, dict[str, Any]]:
    return {
        op.id: {name: getattr(op, name) for name in SHOWN}
        | {
            "residue": _residue_on(paper, op.id),
            "verbs": paper.offered(op),
            "children": _children_on(paper, op.id),
        }
        for op in paper.ops.values()
    }


def _residue_on(paper: Paper, id: str) -> int:
    """A parent shows what its children could not take back, too."""
    op = paper.ops[id]
    return op.residue + sum(child.residue for child in paper.children(op))


def _children_on(paper: Paper, id: str) -> dict[str, int] | None:
    op = paper.ops[id]
    if op.phase is None:
        return None
    children = paper.children(op)
    return {
        "total": len(children),
        "ended": sum(not each.is_open for each in children),
        "succeeded": paper.count(op, "succeeded"),
        "failed": paper.failures(op),
    }


def _members_seen(seen: Seen) -> dict[str, tuple[str, str | None]]:
    return {
        id: (each["status"], each["drain"] and each["drain"]["owner"])
        for id, each in seen.members.items()
    }


def _instance_seen(seen: Seen) -> dict[str, Any]:
    names = ("desired", "current", "ready")
    shown = seen.instance
    counts = {c["key"]: tuple(c[name] for name in names) for c in shown["components"]}
    return {name: shown[name] for name in ("status", "revision", "app_version")} | counts


def _instance_on(paper: Paper) -> dict[str, Any]:
    counts = {
        key: (
            desired,
            len(paper.live(key)),
            sum(part.status == "ready" for part in paper.live(key)),
        )
        for key, desired in paper.desired.items()
    }
    shown = {"status": paper.status, "revision": paper.revision, "app_version": paper.version}
    return shown | counts


def _state(event: dict[str, Any]) -> str:
    return event["type"].rpartition(".")[2]


def _changes(told: list[str]) -> list[str]:
    """What became of something: the same told twice is the same."""
    return [each for at, each in enumerate(told) if at == 0 or told[at - 1] != each]


async def test_random_lives_keep_to_the_rules(
    timed: TimedSite, request: pytest.FixtureRequest
) -> None:
    echo = await make_echo(await make_tenant(timed), more=CLUSTER_THAT_ACTS)
    slug = echo.app["slug"].replace("-", "_")
    await echo.publish("1.1.0", more=CLUSTER_THAT_ACTS.replace("$app", slug))
    root = await timed.actor("platform_admin")
    key = await life.controller_key(echo)
    loop = asyncio.get_running_loop()

    class TheseLives(Lives):
        start = staticmethod(lambda: Life(timed, echo, root, key))
        do = staticmethod(lambda deed: asyncio.run_coroutine_threadsafe(deed, loop).result(60))

    number = request.config.getoption("--hypothesis-seed") or random.getrandbits(32)
    sys.stdout.write(f"{EXAMPLES} lives of {STEPS} moves: --hypothesis-seed={number}\n")
    how = settings(
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        phases=[Phase.generate, *([Phase.shrink] if SHRINK else [])],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    machine = seed(int(number))(TheseLives)
    await asyncio.to_thread(run_state_machine_as_test, machine, settings=how)
