"""What a controller says of an operation, as it comes over the wire. Two routes take it."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from moorage_core.kit.wire import WHOLE, Input

Text = Annotated[str, StringConstraints(max_length=2000)]
Word = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_.-]{0,62}$")]
Hint = Annotated[str, StringConstraints(max_length=100)]
Health = Literal["healthy", "degraded", "unhealthy", "unknown"]
Count = Annotated[int, Field(ge=0, le=1_000_000), WHOLE]
State = Literal["running", "undoing", "waiting", "blocked", "succeeded", "failed", "cancelled"]
StepStatus = Literal["running", "succeeded", "failed", "undoing", "undone", "undo_failed"]
RecoveryName = Literal["retryable", "reconcilable", "repairable", "operator", "terminal"]


class UndoReport(Input):
    """The registered function that takes a step back, so that any replica can run it."""

    function: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    arguments: list[Any] = Field(default_factory=list[Any])


class StepReport(Input):
    """An entry of the journal. Written before the step begins, and again at its end."""

    phase: Literal["run", "prepare", "finish"] = "run"
    number: Annotated[int, Field(ge=1, le=10_000), WHOLE]
    name: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    status: StepStatus
    attempt: Annotated[int, Field(ge=1, le=1_000_000), WHOLE] = 1
    message: Text | None = None
    result: Any = None
    undo: UndoReport | None = None
    no_return: bool = False
    """From here on the operation rolls forward only."""


class ProgressReport(Input):
    done: Count
    total: Count


class MemberSaid(Input):
    """What the controller knows of the member that it is at work on. What is left out, stays."""

    health: Health | None = None
    reasons: list[Text] | None = None
    runtime_version: Annotated[str, StringConstraints(max_length=100)] | None = None
    config_hash: Annotated[str, StringConstraints(max_length=200)] | None = None
    adapter_detail: dict[str, Any] | None = None


class InstanceSaid(Input):
    """What the controller knows of the instance. What is left out, stays."""

    endpoints: dict[str, Any] | None = None
    topology_mode: Annotated[str, StringConstraints(max_length=100)] | None = None
    runtime_version: Annotated[str, StringConstraints(max_length=100)] | None = None


class WaitReport(Input):
    """It gives its lease back for so long, or until one of the hints comes."""

    seconds: Annotated[float, Field(gt=0, le=86_400)] | None = None
    hints: list[Hint] = Field(default_factory=list[Hint], max_length=20)
    retry: bool = False
    """The next claim is another attempt."""


class ResidueReport(Input):
    """What could not be taken back."""

    what: Text
    where: Text
    why: Text


class ErrorReport(Input):
    code: Word
    message: Text
    log: list[Text] = Field(default_factory=list[Text], max_length=100)
    """The last lines of what went wrong."""


class ReportCreate(Input):
    """What has become of an operation since the last report. It renews the lease."""

    fence: Annotated[int, Field(ge=1), WHOLE]
    sequence: Annotated[int, Field(ge=1), WHOLE]
    """Counts this holder's reports. One that was lost is sent again with its number."""
    state: State
    steps: list[StepReport] = Field(default_factory=list[StepReport], max_length=1000)
    message: Text | None = None
    progress: ProgressReport | None = None
    member: MemberSaid | None = None
    instance: InstanceSaid | None = None
    wait: WaitReport | None = None
    result: Any = None
    residue: list[ResidueReport] = Field(default_factory=list[ResidueReport], max_length=1000)
    error: ErrorReport | None = None
    recovery: RecoveryName = "operator"

    @property
    def is_renewal(self) -> bool:
        """It says that the controller is there, and nothing else."""
        said = self.model_fields_set - {"fence", "sequence", "state"}
        return self.state in ("running", "undoing") and not said
