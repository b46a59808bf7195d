"""Rows of the webhook tables."""

from dataclasses import dataclass
from datetime import datetime

from moorage_core.secrets.models import SealedSecret


@dataclass(frozen=True)
class Webhook:
    """Where events of an org, or of one of its projects, are pushed to."""

    id: str
    org_id: str
    project_id: str | None
    url: str
    types: list[str]
    secret_id: str | None
    """Its signing keys in the secret store; None once it is deleted."""
    previous_until: datetime | None
    """Until then the signing key before the newest signs as well."""
    enabled: bool
    version: int
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None


@dataclass(frozen=True)
class Delivery:
    """One event on its way to one webhook."""

    id: str
    org_id: str
    project_id: str | None
    webhook_id: str
    event_seq: int
    event_id: str
    event_type: str
    status: str
    attempts: int
    due_at: datetime | None
    answer_status: int | None
    error: str | None
    version: int
    created_at: datetime
    tried_at: datetime | None
    ended_at: datetime | None


@dataclass(frozen=True)
class Claim:
    """A delivery that this process holds until its lease runs out."""

    id: str
    org_id: str
    webhook_id: str
    held_until: datetime


@dataclass(frozen=True)
class Match:
    """An event that a webhook asked for."""

    webhook_id: str
    org_id: str
    project_id: str | None
    event_seq: int
    event_id: str
    event_type: str


@dataclass(frozen=True)
class Unsigned:
    """What is to be sent, before it is signed."""

    webhook: Webhook
    event_id: str
    body: bytes
    keys: SealedSecret


@dataclass(frozen=True)
class Parcel:
    """What to send, and where."""

    url: str
    headers: dict[str, str]
    body: bytes
