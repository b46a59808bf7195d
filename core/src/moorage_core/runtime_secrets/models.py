"""Rows of runtime secrets."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class RuntimeSecret:
    id: str
    org_id: str
    project_id: str
    operation_id: str
    name: str
    purpose: str
    secret_id: str
    size: int
    expires_at: datetime | None
    """None: as long as its instance."""
    version: int
    created_at: datetime
    instance_id: str | None = None
    """Whose it is, where an app's operation put it there: any operation of it may name it."""
    generation: int = 1
    """Of one name. Tasks get the newest."""
    pending: bool = False
    """Of a rotation that has not succeeded yet: nobody else gets it before, or if it never does."""


@dataclass(frozen=True)
class Found:
    """A secret that tasks of an operation name, and the key of the node's task that got it by each
    fence."""

    operation_id: str
    name: str
    id: str
    secret_id: str
    size: int
    expires_at: datetime | None
    given: dict[str, str]


@dataclass(frozen=True)
class Wanting:
    """A task that is about to be handed over, and the secrets that it names."""

    task: str
    key: str
    """What it is called in all its attempts."""
    operation: str
    project: str
    fence: int
    names: list[str]


@dataclass(frozen=True)
class Refused:
    """Why a task cannot have its secrets."""

    code: str
    message: str
