"""The protocol between controllers and the platform."""

from collections.abc import Sequence
from typing import Any

from pydantic import AwareDatetime, Field

from moorage import _operations as operations
from moorage import errors
from moorage._calls import Group, call
from moorage._model import Model
from moorage._operation import Arguments
from moorage._problem import BY_STATUS, ApiError
from moorage.controller.briefs import Claimed, Direction, StepRecord
from moorage.controller.holds import Rows
from moorage.controller.outcomes import Recovery
from moorage.controller.reports import (
    ErrorReport,
    InstanceReport,
    MemberReport,
    Observed,
    Pause,
    Progress,
    Report,
    ReportAnswer,
    Residue,
    State,
    Usage,
)

UPSERTS = 5000
RECORDS = 1000
MESSAGE = 2000


class Claim(Model):
    app: str
    replica: str
    release: str
    capacity: int
    watch_capacity: int
    wait: float
    after: int
    holds: list[str]
    watching: list[str]


class ReportEntry(Model):
    """A report with what proves the right to it.

    What is None is not sent: a report that only says that somebody is at work costs the platform
    least.
    """

    operation: str
    grant: str = Field(repr=False)
    fence: int
    sequence: int
    state: State
    steps: list[StepRecord] | None = None
    message: str | None = None
    progress: Progress | None = None
    member: MemberReport | None = None
    instance: InstanceReport | None = None
    wait: Pause | None = None
    result: dict[str, Any] | None = None
    residue: list[Residue] | None = None
    error: ErrorReport | None = None
    recovery: Recovery | None = None


class ReportEntries(Model):
    reports: list[ReportEntry]


class Refusal(Model):
    status: int
    code: str
    detail: str = ""
    correlation_id: str = "none"


class ReportTaken(Model):
    operation: str
    problem: Refusal | None = None
    status: str | None = None
    direction: Direction | None = None
    fence: int | None = None
    sequence: int | None = None
    lease_expires_at: AwareDatetime | None = None
    cancel_requested: bool | None = None
    cancel_reason: str | None = None


class ReportsTaken(Model):
    reports: list[ReportTaken]


class FencedObserved(Observed):
    fence: int


class ViewPut(Model):
    fence: int
    generation: int
    upserts: list[dict[str, Any]]
    deletes: list[str]
    complete: bool
    total: int


class ProbeWish(Model):
    name: str
    member: str


class Probes(Model):
    fence: int
    probes: list[ProbeWish]


class ProbeTask(Model):
    id: str


class ProbesTaken(Model):
    tasks: list[ProbeTask]


class RepairRequest(Model):
    fence: int
    reason: str
    members: list[str] = Field(default_factory=list[str])


class UsageReport(Model):
    fence: int
    records: list[Usage]


class Principals(Model):
    items: list[dict[str, Any]]


class Controllers(Group):
    """The protocol of controllers: as an app operator, or under the grant of what is held.

    `moorage.App` and `python -m moorage run` speak it for you.
    """

    @call(operations.CLAIM, Claimed)
    def claim(self, said: Claim) -> Arguments:
        """Say that you listen, and get what is new. Waits while there is nothing."""
        # A function: `after` makes it safe to repeat.
        return Arguments(body=lambda: said, wait=said.wait)

    async def report(self, entries: Sequence[ReportEntry]) -> list[ReportAnswer | ApiError]:
        """Report on many operations; an answer for each, in their order."""
        taken = await self._report(entries)
        return [_answer(each) for each in taken.reports]

    @call(operations.REPORT_MANY, ReportsTaken)
    def _report(self, reports: Sequence[ReportEntry]) -> Arguments:
        # A function: by their sequence reports can be repeated.
        return Arguments(body=lambda: ReportEntries(reports=[*reports]))

    @call(operations.REPORT_OPERATION, ReportAnswer)
    def report_one(self, entry: ReportEntry) -> Arguments:
        """Report on one operation. Needs its token; the entry's own is not sent."""
        said = entry.model_copy(update={"operation": None, "grant": None})
        return Arguments(path={"operation": entry.operation}, body=lambda: said)

    @call(operations.LEAVE, None)
    def leave(self, replica: str) -> Arguments:
        """Say that you listen no more. What you hold goes to others at once."""
        return Arguments(path={"replica": replica})

    @call(operations.PUT_OBSERVED, None)
    def observe(self, instance: str, observed: Observed, *, fence: int) -> Arguments:
        """Say how an instance is. Needs the token of a watch or an operation of it."""
        said = FencedObserved(**dict(observed), fence=fence)
        return Arguments(path={"instance": instance}, body=lambda: said)

    async def put_view(self, instance: str, name: str, rows: Rows, *, fence: int) -> None:
        """Send a change of a view, in several pieces where it is large."""
        pieces = range(0, max(len(rows.upserts), len(rows.deletes), 1), UPSERTS)
        for at in pieces:
            await self._put_view(
                instance,
                name,
                ViewPut(
                    fence=fence,
                    generation=rows.generation,
                    upserts=rows.upserts[at : at + UPSERTS],
                    deletes=rows.deletes[at : at + UPSERTS],
                    complete=rows.complete and at == pieces[-1],
                    total=rows.total,
                ),
            )

    @call(operations.PUT_VIEW, None)
    def _put_view(self, instance: str, name: str, said: ViewPut) -> Arguments:
        return Arguments(path={"instance": instance, "view": name}, body=lambda: said)

    @call(operations.CREATE_PROBES, ProbesTaken)
    def probe(self, instance: str, probes: Sequence[ProbeWish], *, fence: int) -> Arguments:
        """Run declared probes on members. Needs the token of a watch."""
        said = Probes(fence=fence, probes=[*probes])
        return Arguments(path={"instance": instance}, body=lambda: said)

    @call(operations.LIST_PRINCIPALS, Principals)
    def principals(self, instance: str) -> Arguments:
        """Who may be on the machines of an instance."""
        return Arguments(path={"instance": instance})

    @call(operations.REPORT_USAGE, None)
    def usage(self, records: Sequence[Usage], *, fence: int) -> Arguments:
        """Say what was used. A record that was said before counts once."""
        return Arguments(body=lambda: UsageReport(fence=fence, records=[*records]))

    @call(operations.REQUEST_REPAIR, None)
    def request_repair(
        self, instance: str, reason: str, *, members: Sequence[str] = (), fence: int
    ) -> Arguments:
        """Ask for a repair of an instance, or of members of it. Needs the token of a watch."""
        said = RepairRequest(fence=fence, reason=reason, members=[*members])
        return Arguments(path={"instance": instance}, body=said)


def entry(operation: str, grant: str, said: Report, *, fence: int, sequence: int) -> ReportEntry:
    """A report as it goes over the wire: without what says nothing, and no longer than allowed."""
    return ReportEntry(
        operation=operation,
        grant=grant,
        fence=fence,
        sequence=sequence,
        state=said.state,
        steps=[_short(step) for step in said.steps] or None,
        message=None if said.message is None else _text(said.message),
        progress=said.progress,
        member=said.member,
        instance=said.instance,
        wait=said.wait,
        result=said.result,
        residue=said.residue or None,
        error=said.error and _error(said.error),
        recovery=said.recovery,
    )


def _short(step: StepRecord) -> StepRecord:
    if step.message is None:
        return step
    return step.model_copy(update={"message": _text(step.message)})


def _error(said: ErrorReport) -> ErrorReport:
    changes = {"message": _text(said.message), "log": [_text(line) for line in said.log]}
    return said.model_copy(update=changes)


def _text(said: str) -> str:
    """For people: what programs print may hold characters that the platform does not take."""
    return said.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()[:MESSAGE]


def _answer(taken: ReportTaken) -> ReportAnswer | ApiError:
    if (problem := taken.problem) is None:
        said = taken.model_dump(exclude_none=True, exclude={"operation", "problem"})
        return ReportAnswer.model_validate(said)
    kind = errors.BY_CODE.get(problem.code, BY_STATUS.get(problem.status, ApiError))
    return kind(
        problem.detail,
        status=problem.status,
        code=problem.code,
        correlation_id=problem.correlation_id,
    )
