"""With the app's own key and its live grants: what is not the app's is not there for it.

The kit asks in the controller's place, with the tokens that the controller was given. A refusal is
the platform's doing; that it comes for this app, with this manifest, is what is shown here.
"""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from moorage import AccessToken, ApiError, Client
from moorage.models import TaskCreate
from moorage.resources.controllers import Claim
from moorage_conformance.checks.handed_over import Held, reached
from moorage_conformance.findings import Broken
from moorage_conformance.judging import Check, Judge
from moorage_conformance.life import Life
from moorage_conformance.stage import Stage

OTHER_APP = Check("SO-1", "Its key claims nothing of another app.")
NOTHING_ELSE = Check("ON-2", "Its key opens nothing but claims.")
FOREIGN = Check("ON-3", "Under a grant, what belongs to others is not there.")
OTHER_MACHINE = Check("MC-1", "Under a grant, a machine that is not the operation's is refused.")
OTHER_KIND = Check("MC-3", "Under a grant, a task that the manifest does not declare is refused.")
OVER = Check("MC-4", "A grant opens nothing once its operation has ended.")
LOOKS = Check("WV-5", "Under a watch, a task that may change something is refused.")
UNASKED = Check("SO-4", "A scope that the manifest does not ask for is refused.")
CHECKS = (OTHER_APP, NOTHING_ELSE, FOREIGN, OTHER_MACHINE, OTHER_KIND, OVER, LOOKS, UNASKED)

KINDS = ("exec", "put", "get", "service", "packages", "access-sync", "wipe")
HIDDEN = frozenset({"not_found"})
ENDED = frozenset({"grant_ended", "operation_ended", "unauthenticated", "watch_ended"})
FOREIGN_MACHINE = frozenset({"allocation_foreign"})


@dataclass(frozen=True)
class Try:
    """Something that must be refused, and how."""

    check: Check
    what: str
    codes: frozenset[str]
    ask: Callable[[], Awaitable[object]]


async def live(stage: Stage, judge: Judge) -> None:
    """Hold an operation in the middle, and try what its grant does not open."""
    one = Life(stage)
    async with stage.acting():
        try:
            await one.done(await one.deploy())
            await _expect(judge, [*_with_key(stage, one)])
            held = Held(0)
            with stage.road.bent(held):
                asked = await one.client.instances.repair(one.id, reason="A grant is tried.")
                await reached(held, asked)
                grant = next(e for e in reversed(stage.road.exchanges) if e.is_task).token
                await _expect(judge, [*_with_grant(stage, one, asked.id, grant)])
                await _expect(judge, [*_with_watch(stage, one, asked.id)])
                held.let_go()
                await one.done(asked)
            await _expect(judge, [*_with_what_is_over(stage, one, asked.id, grant)])
        finally:
            await one.end()


async def _expect(judge: Judge, tries: list[Try]) -> None:
    for each in tries:
        with judge.on(each.check):
            seen = await _code(each.ask)
            if seen not in each.codes:
                codes = " or ".join(sorted(each.codes))
                raise Broken(f"{each.what} is refused with {codes}.", f"The answer is {seen}.")


async def _code(ask: Callable[[], Awaitable[object]]) -> str:
    try:
        await ask()
    except ApiError as err:
        return err.code
    return "a success"


def _with_key(stage: Stage, one: Life) -> Iterator[Try]:
    """As the operator's account."""
    operator = stage.operator
    claim = Claim(
        app=f"{stage.plan.manifest.slug}-of-others",
        replica="conformance-boundary",
        release="0.0.0",
        capacity=1,
        watch_capacity=0,
        wait=0,
        after=0,
        holds=[],
        watching=[],
    )
    refused = frozenset({"not_an_operator"})
    yield Try(
        OTHER_APP, "A claim for another app", refused, lambda: operator.controllers.claim(claim)
    )
    hidden = HIDDEN | {"forbidden"}
    yield Try(NOTHING_ELSE, "Reading the instance", hidden, lambda: operator.instances.get(one.id))
    machine = one.other
    yield Try(NOTHING_ELSE, "Reading a machine", hidden, lambda: operator.allocations.get(machine))


def _with_grant(stage: Stage, one: Life, operation: str, grant: str) -> Iterator[Try]:
    """As the holder of an operation."""
    holder, manifest = _acting(stage, grant), stage.plan.manifest
    declared = manifest.tasks.kinds if manifest.tasks else []
    yield Try(
        OTHER_MACHINE,
        "A task on a machine without a member",
        FOREIGN_MACHINE,
        lambda: holder.tasks.create(operation, [_task(declared[0], one.other)]),
    )
    if strange := [kind for kind in KINDS if kind not in declared]:
        codes = frozenset({"task_not_declared", "task_kind_not_allowed"})
        yield Try(
            OTHER_KIND,
            f"A task of the kind {strange[0]}",
            codes,
            lambda: holder.tasks.create(operation, [_task(strange[0], one.first[0])]),
        )
    yield Try(
        FOREIGN,
        "A task of another operation",
        HIDDEN | ENDED,
        lambda: holder.tasks.create(_another(operation), [_task(declared[0], one.first[0])]),
    )
    yield Try(
        FOREIGN,
        "Who may be on another instance",
        HIDDEN,
        lambda: holder.controllers.principals(_another(one.id)),
    )
    if "principals.read" not in manifest.scopes:
        yield Try(
            UNASKED,
            "Who may be on the machines",
            frozenset({"scope_not_asked"}),
            lambda: holder.controllers.principals(one.id),
        )


def _with_watch(stage: Stage, one: Life, operation: str) -> Iterator[Try]:
    """As whoever watches the instance."""
    told = [e.answer.json for e in stage.road.exchanges if e.is_claim and e.answer]
    watches = [w for each in told for w in each.get("watches", ()) if w["instance_id"] == one.id]
    declared = stage.plan.manifest.tasks.kinds if stage.plan.manifest.tasks else []
    if not watches or not declared:
        return
    watcher = _acting(stage, watches[-1]["grant"])
    yield Try(
        LOOKS,
        "A task",
        HIDDEN | {"watch_changes_nothing", "forbidden"},
        lambda: watcher.tasks.create(operation, [_task(declared[0], one.first[0])]),
    )


def _with_what_is_over(stage: Stage, one: Life, operation: str, grant: str) -> Iterator[Try]:
    declared = stage.plan.manifest.tasks.kinds if stage.plan.manifest.tasks else ["exec"]
    holder = _acting(stage, grant)
    yield Try(
        OVER,
        "A task after the end",
        ENDED,
        lambda: holder.tasks.create(operation, [_task(declared[0], one.first[0])]),
    )


def _acting(stage: Stage, token: str) -> Client:
    return stage.operator.acting(
        AccessToken(token), correlation_id="conformance-boundary", traceparent=None
    )


def _task(kind: str, machine: str) -> TaskCreate:
    given = {"argv": ["true"]} if kind == "exec" else {"path": "/tmp/none", "content": ""}  # noqa: S108
    return TaskCreate.model_validate(
        {"key": "boundary", "kind": kind, "allocation": machine, "input": given}
    )


def _another(id: str) -> str:
    """An id that was never given out."""
    kind, _, _ = id.partition("_")
    return f"{kind}_00000000000000000000000000"
