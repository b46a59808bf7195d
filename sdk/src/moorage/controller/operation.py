"""An operation as the author of an app sees it: the target, the machines, and the steps."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar, TypeVarTuple, cast

from moorage.controller import references
from moorage.controller.briefs import (
    Brief,
    Children,
    Instance,
    Member,
    Requester,
    StepRecord,
    Undo,
)
from moorage.controller.holds import Hold, Purpose
from moorage.controller.journal import Journal
from moorage.controller.machine import Machine, Secret, StepContext, current
from moorage.controller.outbox import Outbox
from moorage.controller.outcomes import Fail, Outcome, Retry, Wait
from moorage.controller.reports import (
    Health,
    InstanceReport,
    MemberReport,
    Observed,
    Progress,
    Residue,
)
from moorage_manifest import Manifest

T = TypeVar("T")
Args = TypeVarTuple("Args")
LONGEST = 2000
LONGEST_NAME = 200
log = logging.getLogger("moorage.controller")


class Operation:
    """What is to be done, and everything that doing it needs."""

    def __init__(self, hold: Hold, manifest: Manifest, journal: Journal, outbox: Outbox) -> None:
        self._hold = hold
        self._manifest = manifest
        self._journal = journal
        self._outbox = outbox
        self._beside: list[asyncio.Task[Any]] = []
        self.log: logging.LoggerAdapter[logging.Logger] = logging.LoggerAdapter(log, {})

    # What it is about

    @property
    def _brief(self) -> Brief:
        return self._hold.brief

    @property
    def id(self) -> str:
        return self._brief.id

    @property
    def kind(self) -> str:
        return self._brief.kind

    @property
    def input(self) -> dict[str, Any]:
        """What was asked for, beside the target."""
        return self._brief.input

    @property
    def reason(self) -> str | None:
        return self._brief.reason

    @property
    def attempt(self) -> int:
        return self._brief.attempt

    @property
    def requested_by(self) -> Requester | None:
        """Who asked for it."""
        return self._brief.requested_by

    @property
    def correlation_id(self) -> str:
        return self._brief.correlation_id

    @property
    def instance(self) -> Instance:
        """The instance as it is to be after the operation."""
        return self._brief.instance

    @property
    def members(self) -> list[Member]:
        """The members of the instance that are there."""
        return self._brief.instance.members

    @property
    def children(self) -> Children:
        """Of a parent: how the operations below it went."""
        return self._brief.children or Children()

    def machine(self, member: Member | str) -> Machine:
        """The machine of a member of the instance."""
        return Machine(
            self._member(member),
            tasks=self._hold,
            manifest=self._manifest,
            artifacts=self.instance.artifacts,
        )

    def machines(self, component: str | None = None) -> list[Machine]:
        """The machines of all members, or of those of one component."""
        found = [m for m in self.members if component is None or m.component == component]
        return [self.machine(member) for member in found if member.allocation_id is not None]

    # Steps

    async def step(
        self,
        name: str,
        function: Callable[[*Args], Awaitable[T]],
        *args: *Args,
        undo: Callable[[*Args], Awaitable[object]] | None = None,
        no_return: bool = False,
    ) -> T:
        """Take a step, or have the result of the one that was taken before.

        Args:
            name: What people see. It must not change while operations are under way.
            function: What to do. Its arguments and its result are JSON, machines or secrets.
            undo: Takes the step back, with the same arguments: a function at the top of a module.
            no_return: There is no way back once this has begun; the operation rolls forward only.
        """
        step, again = self._begin(name, _undo(undo, args), no_return=no_return)
        return await self._take(step, function, args, again=again)

    def beside(
        self,
        name: str,
        function: Callable[[*Args], Awaitable[T]],
        *args: *Args,
        undo: Callable[[*Args], Awaitable[object]] | None = None,
    ) -> "asyncio.Task[T]":
        """Take a step while those after it are taken. Takes what `step` takes.

        For what takes its time and is needed only later: a database starts while files are written.
        It has its place among the steps where it is begun. A step that fails lets the others end,
        and an operation does not end before all of them have. If it fails the operation does, also
        where the failure is caught. It must not wait for what a step after it does: whoever takes
        the operation over waits for its tasks before those steps go on.

        Returns:
            What to await where the result is needed, or that it is done.
        """
        step, again = self._begin(name, _undo(undo, args), no_return=False)
        taken = asyncio.create_task(self._take(step, function, args, again=again))
        self._beside.append(taken)
        return taken

    def _begin(self, name: str, undo: Undo | None, *, no_return: bool) -> tuple[StepRecord, bool]:
        """The next step as it stands in the journal, and whether it was at work before."""
        if not 0 < len(name) <= LONGEST_NAME:
            raise ValueError(f"The name of a step has 1 to {LONGEST_NAME} characters.")
        again = self._journal.was_begun(name)
        return self._journal.begin(name, undo=undo, no_return=no_return), again

    async def _take(
        self,
        step: StepRecord,
        function: Callable[[*Args], Awaitable[T]],
        args: tuple[*Args],
        *,
        again: bool,
    ) -> T:
        if step.status == "succeeded":
            return cast(T, self._read(step.result))
        if again:
            # Whatever the step had asked machines to do ends before it is taken up again.
            await self._hold.settle(stop=False)
        await self._outbox.flush()
        token = current.set(StepContext(f"{step.phase}/{step.number}.{step.attempt}"))
        try:
            result = references.result(await function(*args))
        except (Wait, Retry) as err:
            self._journal.look_again(step, err.message)
            raise
        except Exception as err:
            self._journal.fail(step, str(err) if isinstance(err, Outcome) else type(err).__name__)
            raise
        finally:
            current.reset(token)
        self._journal.succeed(step, result)
        self._outbox.touch()
        return cast(T, self._read(result))

    # What people see

    def message(self, text: str) -> None:
        """Say what is going on, in a line."""
        self._outbox.message = text
        self._outbox.touch()

    def progress(self, done: int, total: int) -> None:
        """Say how far the work is."""
        self._outbox.progress = Progress(done=done, total=total)
        self._outbox.touch()

    def result(self, value: Mapping[str, Any]) -> None:
        """What the operation leads to, for whoever asked."""
        self._outbox.result = references.result(value)

    def residue(self, what: str, where: str, why: str) -> None:
        """Name something that stays behind, so that nobody has to find it."""
        said = {"what": what, "where": where, "why": why}
        short = {name: text[:LONGEST] for name, text in said.items()}
        self._outbox.residue.append(Residue.model_validate(short))

    def report_instance(
        self,
        *,
        endpoints: Mapping[str, Any] | None = None,
        topology_mode: str | None = None,
        runtime_version: str | None = None,
    ) -> None:
        """Say what is known of the instance. It goes with the next report."""
        known = self._outbox.instance or InstanceReport()
        said = {
            "endpoints": None if endpoints is None else dict(endpoints),
            "topology_mode": topology_mode,
            "runtime_version": runtime_version,
        }
        new = {name: value for name, value in said.items() if value is not None}
        self._outbox.instance = known.model_copy(update=new)
        self._outbox.touch()

    async def observe(self, observed: Observed) -> None:
        """Say how the instance is, without waiting for the next look."""
        await self._hold.observe(observed)

    # What the platform keeps

    def secret(self, name: str) -> Secret:
        """A secret of the instance, for a machine to use."""
        return Secret(name)

    async def put_secret(
        self,
        name: str,
        *,
        purpose: Purpose = "cluster_key",
        value: str | None = None,
        generate: int | None = None,
        rotate: bool = False,
    ) -> Secret:
        """Put a secret of the instance into custody; one that is there already stays.

        Args:
            value: The secret itself, where the app must choose it.
            generate: In place of a value: make one of so many random bytes. Nobody sees it.
            rotate: Put a new one in the place of the one that is there.
        """
        await self._hold.put_secret(
            name, purpose=purpose, value=value, generate=generate, rotate=rotate
        )
        return Secret(name)

    async def principals(self) -> list[dict[str, Any]]:
        """Who may be on the instance's machines: login, uid, projects."""
        return await self._hold.principals()

    # Inside

    @property
    def steps_beside(self) -> "Sequence[asyncio.Task[Any]]":
        """Steps that were taken beside others, whether they have ended or not."""
        return self._beside

    def read_arguments(self, written: list[Any]) -> list[Any]:
        """The arguments of a recorded step, with the machines that they name."""
        return [self._read(argument) for argument in written]

    def _member(self, named: Member | str) -> Member:
        if isinstance(named, Member):
            return named
        own = [] if self._brief.member is None else [self._brief.member]
        for member in (*own, *self._brief.members, *self.members):
            if named in (member.id, member.name):
                return member
        raise Fail("member_missing", f"The instance has no member {named}.", recovery="terminal")

    def _read(self, value: Any) -> Any:
        return references.read(value, self._resolve)

    def _resolve(self, kind: str, named: str) -> Any:
        if kind == references.SECRET:
            return Secret(named)
        member = self._member(named)
        return member if kind == references.MEMBER else self.machine(member)


class InstanceOperation(Operation):
    """Something to be done with the instance as a whole."""

    @property
    def concerned(self) -> list[Member]:
        """Of a repair: the members that it is about. None are named: all of them."""
        named = set(self._brief.member_ids)
        return [member for member in self.members if not named or member.id in named]


class MemberOperation(Operation):
    """Something to be done with one member."""

    @property
    def member(self) -> Member:
        """The member that it is about."""
        found = self._brief.member
        if found is None:
            raise Fail("member_missing", f"Operation {self.id} has no member.", recovery="terminal")
        return found

    @property
    def node(self) -> Machine:
        """The member's machine."""
        return self.machine(self.member)

    def report_member(
        self,
        *,
        health: Health | None = None,
        reasons: Sequence[str] | None = None,
        runtime_version: str | None = None,
        config_hash: str | None = None,
        adapter_detail: Mapping[str, Any] | None = None,
    ) -> None:
        """Say what is known of the member. It goes with the next report."""
        known = self._outbox.member or MemberReport()
        said: dict[str, Any] = {
            "health": health,
            "reasons": None if reasons is None else [*reasons],
            "runtime_version": runtime_version,
            "config_hash": config_hash,
            "adapter_detail": None if adapter_detail is None else dict(adapter_detail),
        }
        new = {name: value for name, value in said.items() if value is not None}
        self._outbox.member = known.model_copy(update=new)
        self._outbox.touch()


class BatchOperation(Operation):
    """What is done once for all members of a request: before their own operations, or after."""

    def __init__(
        self,
        hold: Hold,
        manifest: Manifest,
        journal: Journal,
        outbox: Outbox,
        *,
        component: str,
    ) -> None:
        super().__init__(hold, manifest, journal, outbox)
        self.component = component

    @property
    def batch(self) -> list[Member]:
        """The members of this component that the request is about."""
        brief, named = self._brief, set(self._brief.batch)
        told = {m.id: m for m in (*brief.instance.members, *brief.members) if m.id in named}
        return [member for member in told.values() if member.component == self.component]


class ActionOperation(MemberOperation):
    """A verb of the app's own. It has a member where the manifest names a component."""

    @property
    def action(self) -> str:
        return self._brief.action or ""


def _undo(function: Callable[..., Awaitable[object]] | None, args: Sequence[Any]) -> Undo | None:
    if function is None:
        return None
    return Undo(function=references.name_of(function), arguments=references.written(args))
