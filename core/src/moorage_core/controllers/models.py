"""Rows of controllers."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Operator:
    """An app operator as which somebody claims."""

    id: str
    app_id: str
    app_slug: str
    org_id: str
    project_id: str


@dataclass(frozen=True)
class Replica:
    """A process that listens, and what there is for it. Its watches live as long as its lease."""

    id: str
    operator_id: str
    handed: int
    """The number of the last thing that was handed to it."""
    lease_expires_at: datetime
    has_operations: bool
    """One of its operator's is ready."""
    has_watches: bool
    """An instance of its operator is watched by nobody."""
    has_hints: bool
    has_cancels: bool


@dataclass(frozen=True)
class Told:
    """Something that a replica holds and may not have heard of."""

    id: str
    org_id: str
    handout: int


@dataclass(frozen=True)
class Watch:
    """The right of one replica to observe one instance."""

    instance_id: str
    org_id: str
    project_id: str
    operator_id: str
    holder: str | None
    fence: int
    handout: int


@dataclass(frozen=True)
class Hint:
    """What moved of an instance since its watcher was told."""

    instance_id: str
    org_id: str
    moved: list[str]


@dataclass(frozen=True)
class PersonOnCluster:
    """Somebody who may be on the machines of an instance."""

    user_id: str
    name: str
    login: str
    uid: int
    roles: list[str]
    projects: list[str]


@dataclass(frozen=True)
class Probe:
    """A declared command, and the machine to run it on."""

    name: str
    command: list[str]
    timeout: int
    allocation: str
