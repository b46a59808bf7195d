"""What the engine needs of a platform: one protocol, over the wire or in a test's world.

Fences, leases and sequences are the wire's matter. To the engine an operation is held until `Lost`
is raised.
"""

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from moorage.controller.briefs import Brief
from moorage.controller.reports import Observed, Report, Usage

TaskKind = Literal["exec", "put", "get", "packages", "service", "probe"]
Stream = Literal["stdout", "stderr", "content"]
Purpose = Literal["artifact_pull", "cluster_key", "join", "database"]
ENSURING: frozenset[str] = frozenset({"put", "get", "packages", "service", "probe"})
"""Kinds that make sure of something, and can be done again when nobody knows how they ended."""


@dataclass(frozen=True)
class Wish:
    """One thing to do on one machine."""

    key: str
    """The name of the task: whoever asks again with the same gets the same task."""
    kind: TaskKind
    allocation: str
    input: dict[str, Any] = field(repr=False)
    run_as: str = "root"
    timeout: int = 600
    attempt: int = 1
    repeatable: bool = False
    output_limit: int | None = None


@dataclass(frozen=True)
class Ended:
    """How a task ended."""

    id: str
    status: str
    changed: bool | None = None
    result: dict[str, Any] = field(default_factory=dict[str, Any])
    error_code: str | None = None
    error_message: str | None = None
    silent: frozenset[str] = frozenset()
    """Streams to which it wrote nothing, as far as that is known."""


class Tasks(Protocol):
    """Machines, as far as the right that is held reaches."""

    async def task(self, wish: Wish) -> Ended:
        """Have it done, and wait for its end. Asked again, the same task."""
        ...

    async def output(self, task: str, stream: Stream) -> bytes:
        """What a task that has ended wrote."""
        ...


class Hold(Tasks, Protocol):
    """One operation that is held."""

    @property
    def brief(self) -> Brief: ...

    async def report(self, said: Report) -> None:
        """Say what is so, and keep the operation. Raises `Lost` where it is another's."""
        ...

    async def cancel_asked(self) -> None:
        """Returns once somebody wants the operation to stop."""
        ...

    async def settle(self, *, stop: bool) -> None:
        """Returns when no task of the operation runs any more; `stop` asks them to end."""
        ...

    async def put_secret(
        self, name: str, *, purpose: Purpose, value: str | None, generate: int | None, rotate: bool
    ) -> None:
        """Put a secret of the instance into custody, or leave the one that is there."""
        ...

    async def principals(self) -> list[dict[str, Any]]:
        """Who may be on the instance's machines."""
        ...

    async def observe(self, observed: Observed) -> None:
        """Say how the instance is."""
        ...


@dataclass(frozen=True)
class Rows:
    """A change of a view: what came or differs, and what went."""

    generation: int
    upserts: list[dict[str, Any]]
    deletes: list[str]
    complete: bool
    total: int


class WatchHold(Protocol):
    """One instance that is watched."""

    async def probe(self, name: str, member: str) -> tuple[Ended, bytes]:
        """Run a declared probe on a member, and what it wrote."""
        ...

    async def observe(self, observed: Observed) -> None: ...

    async def put_view(self, name: str, rows: Rows) -> None: ...

    async def principals(self) -> list[dict[str, Any]]: ...

    async def usage(self, records: list[Usage]) -> None: ...

    async def request_repair(self, reason: str, members: list[str]) -> None: ...
