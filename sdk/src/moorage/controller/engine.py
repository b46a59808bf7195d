"""Does one operation that was handed over: finds the function, runs it, says how it went.

Knows no network: a `Hold` is all it has. Whatever ends a try is said in one report, and the
platform decides what comes of it. Nothing is said any more once the operation is lost.
"""

import asyncio
import logging
import traceback
from typing import Any

from moorage._problem import ApiError
from moorage.controller import references
from moorage.controller.app import App, Handler
from moorage.controller.briefs import StepRecord
from moorage.controller.holds import Hold
from moorage.controller.journal import Journal
from moorage.controller.machine import StepContext, current
from moorage.controller.operation import (
    ActionOperation,
    BatchOperation,
    InstanceOperation,
    MemberOperation,
    Operation,
)
from moorage.controller.outbox import Outbox
from moorage.controller.outcomes import Fail, Outcome, Retry, StepsChanged, Wait
from moorage.controller.reports import ErrorReport, Pause

BUG_ATTEMPTS = 5
"""After so many tries that ended in a bug a person has to look."""
PARENTS = frozenset({"instance.deploy", "instance.decommission"})
FRAMES = 6
LONGEST, MOST_LINES = 2000, 100
"""Of what is said of a failure."""
log = logging.getLogger("moorage.controller")


async def perform(app: App, hold: Hold, *, renew: bool = True) -> None:
    """Do what the operation asks for, in its direction, and say how it went.

    Raises:
        Lost: the operation is another's.
    """
    run = _Run(app, hold)
    work = asyncio.create_task(run.whole())
    tasks = [work, asyncio.create_task(run.outbox.renew())] if renew else [work]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done():
                task.result()
    except ApiError as refused:
        # What the work had to say was refused when it was told beside it.
        await _stopped(work)
        await run.bug(refused)
    finally:
        for task in tasks:
            await _stopped(task)


async def _stopped(task: "asyncio.Task[Any]") -> None:
    """Stop a task and wait until it has stopped. What it raised is for whoever asks for it."""
    if not task.done():
        task.cancel()
        await asyncio.wait({task})
    if not task.cancelled():
        task.exception()


async def _whole(handler: Handler[Any], operation: Operation) -> Any:
    """What a function returns, once all of its steps have ended, those beside others as well."""
    beside = operation.steps_beside
    try:
        returned = await handler(operation)
        for taken in beside:
            await asyncio.wait([taken])
            if taken.cancelled():
                raise RuntimeError("A step beside others was stopped by the function it is of.")
            taken.result()
    except Exception as raised:
        # It is said once nothing is at work any more. Whoever waits would hide what is broken.
        ended = await asyncio.gather(*beside, return_exceptions=True)
        failed = next((each for each in ended if isinstance(each, Fail)), None)
        if failed is not None and isinstance(raised, Wait | Retry):
            raise failed from raised
        raise
    finally:
        for taken in beside:
            await _stopped(taken)
    return returned


class _Run:
    """One try at an operation."""

    def __init__(self, app: App, hold: Hold) -> None:
        self.app = app
        self.hold = hold
        self.journal = Journal(hold.brief.steps, phase=hold.brief.phase or "run")
        self.outbox = Outbox(hold, self.journal)

    async def whole(self) -> None:
        """Forward, or back; and back where somebody wants it to stop and there still is a way."""
        if self.hold.brief.direction == "forward" and await self._forward_unless_cancelled():
            return
        if self.hold.brief.direction == "forward":
            # Machines end what they were told before it is taken back.
            await self.hold.settle(stop=True)
        await self.undo()

    async def _forward_unless_cancelled(self) -> bool:
        """Whether the work came to an end of its own."""
        work = asyncio.create_task(self.forward())
        asked = asyncio.create_task(self.hold.cancel_asked())
        try:
            await asyncio.wait({work, asked}, return_when=asyncio.FIRST_COMPLETED)
            if work.done() or self.journal.no_return:
                await work
        finally:
            await _stopped(work)
            await _stopped(asked)
        return await self.outbox.has_ended()

    # Forward

    async def forward(self) -> None:
        """Do the work, and say how it went; or that what was to be said was refused."""
        try:
            await self._try_forward()
        except ApiError as refused:
            await self.bug(refused)

    async def _try_forward(self) -> None:
        try:
            for handler, operation in self._plan():
                returned = await _whole(handler, operation)
                if returned is not None:
                    operation.result(returned)
            self.journal.check_whole()
        except Outcome as err:
            await self._end(err)
        except Exception as err:  # noqa: BLE001 - anything else is a bug, and said to be one
            await self.bug(err)
        else:
            box = self.outbox
            await box.flush(state="succeeded", result=box.result, residue=box.residue)

    def _plan(self) -> list[tuple[Handler[Any], Operation]]:
        """The functions to run, each with the operation as it is to see it.

        A parent without a function for its phase has nothing to do there; an operation without one
        cannot be done.
        """
        brief = self.hold.brief
        area, _, verb = brief.kind.partition(".")
        if area == "member" and brief.phase is not None:
            return self._batches(verb, brief.phase)
        handler: Handler[Any] | None = None
        kind: type[Operation] = InstanceOperation
        if area == "instance":
            slot = self.app.instance.slot(verb)
            after = slot.work if brief.kind in PARENTS else slot.after
            handler = {None: slot.work, "prepare": slot.before, "finish": after}[brief.phase]
        elif area == "member":
            component = "" if brief.member is None else brief.member.component
            handler = self.app.member(component).slot(verb).work
            kind = MemberOperation
        elif brief.kind == "action":
            handler = self.app.actions.get(brief.action or "")
            kind = ActionOperation
        elif brief.kind == "credential.rotate":
            handler = self.app.rotation
        if handler is not None:
            return [(handler, kind(*self._parts()))]
        if brief.phase is not None:
            return []
        what = brief.action if brief.kind == "action" else brief.kind
        raise Fail(
            "not_supported",
            f"Release {self.app.manifest.version} of the app's controller does not do {what}.",
            recovery="terminal",
        )

    def _batches(self, verb: str, phase: str) -> list[tuple[Handler[Any], Operation]]:
        """The phase of a request for many members: once for each component among them."""
        brief = self.hold.brief
        batch = {*brief.batch, *([] if brief.member is None else [brief.member.id])}
        told = (*brief.instance.members, *brief.members, *filter(None, [brief.member]))
        concerned = {member.component for member in told if member.id in batch}
        concerned |= {str(brief.input["component"])} if "component" in brief.input else set[str]()
        plan: list[tuple[Handler[Any], Operation]] = []
        for component in self.app.members:
            slot = self.app.members[component].slot(verb)
            after = slot.after or (slot.work if verb == "replace" else None)
            handler = slot.before if phase == "prepare" else after
            if component in concerned and handler is not None:
                plan.append((handler, BatchOperation(*self._parts(), component=component)))
        return plan

    def _parts(self) -> tuple[Hold, Any, Journal, Outbox]:
        return self.hold, self.app.manifest, self.journal, self.outbox

    # Ends

    async def _end(self, err: Outcome) -> None:
        said = self.outbox.flush
        if isinstance(err, Wait):
            pause = Pause(seconds=err.recheck, hints=[*err.hints])
            await said(state="waiting", message=err.message, wait=pause)
        elif isinstance(err, Retry):
            pause = Pause(seconds=err.after, retry=True)
            await said(state="waiting", message=err.message, wait=pause)
        elif isinstance(err, Fail):
            lines = [line[:LONGEST] for line in err.log[-MOST_LINES:]]
            error = ErrorReport(code=err.code, message=err.message[:LONGEST], log=lines)
            await said(
                state="failed",
                error=error,
                recovery=err.recovery,
                residue=self.outbox.residue,
            )
        else:
            code = "steps_changed" if isinstance(err, StepsChanged) else "stopped"
            error = ErrorReport(code=code, message=str(err))
            await said(state="blocked", error=error, recovery="operator")

    async def bug(self, err: Exception) -> None:
        """Shown as what it is. Time mends some bugs; after a few tries a person has to look."""
        log.exception("A bug of the app ended %s.", self.hold.brief.kind)
        final = self.hold.brief.attempt >= BUG_ATTEMPTS
        await self.outbox.flush(
            state="failed",
            error=ErrorReport(
                code="bug",
                message=f"A bug of the app's controller: {type(err).__name__}: {err}"[:LONGEST],
                log=_frames(err),
            ),
            recovery="operator" if final else "retryable",
            residue=self.outbox.residue,
        )

    # Back

    async def undo(self) -> None:
        """Take back what was done, the last step first. What stays is named, never passed over."""
        operation = Operation(*self._parts())
        box = self.outbox
        box.state = "undoing"
        await box.flush()
        for recorded in self.journal.to_undo():
            step = self.journal.undoing(recorded)
            if recorded.status == "undoing":
                await self.hold.settle(stop=False)
            await box.flush()
            try:
                await self._take_back(operation, step)
            except (Wait, Retry) as err:
                self.journal.look_again(step, err.message)
                await self._end(err)
                return
            except Exception as err:  # noqa: BLE001 - what cannot be undone is residue
                why = err.message if isinstance(err, Fail) else f"{type(err).__name__}: {err}"
                log.warning("%r could not be taken back: %s", step.name, why)
                self.journal.undo_failed(step, why)
                operation.residue(step.name, self._where(), why)
            else:
                self.journal.undone(step)
        await box.flush(state="cancelled", residue=box.residue)

    async def _take_back(self, operation: Operation, step: StepRecord) -> None:
        assert step.undo is not None
        function = references.function_of(step.undo.function)
        arguments = operation.read_arguments(step.undo.arguments)
        token = current.set(StepContext(f"undo/{step.phase}/{step.number}.{step.attempt}"))
        try:
            await function(*arguments)
        finally:
            current.reset(token)

    def _where(self) -> str:
        member = self.hold.brief.member
        return self.hold.brief.instance.name if member is None else member.name


def _frames(err: Exception) -> list[str]:
    """Where it happened. No values: they may be what nobody is to read."""
    frames = traceback.extract_tb(err.__traceback__)[-FRAMES:]
    return [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
