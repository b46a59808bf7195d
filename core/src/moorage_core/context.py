"""What a command works with: who asks, through which transaction, and what it leaves behind."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from moorage_core.authz.principals import Principal
from moorage_core.kit.clock import Clock
from moorage_core.kit.db import Db

if TYPE_CHECKING:
    from moorage_core.platform import Platform


@dataclass(frozen=True)
class AuditRecord:
    """One entry for the audit log, as the command knows it."""

    action: str
    target: str
    org: str
    project: str | None = None
    reason: str | None = None
    break_glass: bool = False
    app_slug: str | None = None
    app_instance_id: str | None = None
    details: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass
class Trace:
    """The ids that follow a request through logs, events, audit and operations."""

    correlation_id: str
    traceparent: str | None = None


@dataclass(frozen=True)
class EventRecord:
    """One event to publish.

    The subject's row is locked by this transaction; `version` is its own.
    """

    type: str
    subject: str
    version: int
    org: str
    data: dict[str, Any]
    trace: Trace
    """Of whoever wished for it, who need not be whoever does it."""
    project: str | None = None
    app_slug: str | None = None
    app_instance_id: str | None = None
    topics: tuple[str, ...] = ()


@dataclass
class Context:
    """One request, or one piece of background work, inside one transaction."""

    principal: Principal
    db: Db
    clock: Clock
    trace: Trace
    platform: "Platform"
    audit: list[AuditRecord] = field(default_factory=list[AuditRecord])
    events: list[EventRecord] = field(default_factory=list[EventRecord])
    topics: set[str] = field(default_factory=set[str])
    """Woken after the commit, besides the topics of the events."""
    checked: set[str] = field(default_factory=set[str])
    """The permission keys that were asked for: a route that never asks is a bug."""
    prepared: Any = None
    """What the route did before the transaction began, where it declares something."""

    @property
    def now(self) -> datetime:
        return self.clock.now()
