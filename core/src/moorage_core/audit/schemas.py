"""Wire shapes of the audit log."""

from typing import Any, Literal

from moorage_core.kit.ids import AuditEntryId, OrgId, ProjectId
from moorage_core.kit.pagination import PageRead
from moorage_core.kit.wire import Moment, Output


class EntryRead(Output):
    """Who did what, to what, when; or was refused it, `count` times within a minute."""

    seq: int
    id: AuditEntryId
    at: Moment
    org_id: OrgId
    project_id: ProjectId | None
    actor_kind: str
    actor_id: str
    actor_name: str
    credential: str | None
    """The id of the session, token or key that proved the actor."""
    action: str
    target: str
    target_name: str | None
    """What it is called now. Null where it is gone, or has no name."""
    outcome: Literal["allowed", "denied"]
    count: int
    break_glass: bool
    """The platform's operators reached into the org; `reason` says why."""
    reason: str | None
    correlation_id: str
    app_slug: str | None
    app_instance_id: str | None
    details: dict[str, Any]


class SealRead(Output):
    """A signed statement about a batch of entries. Hashes and the signature are in hex."""

    number: int
    first_seq: int
    last_seq: int
    entries: int
    root: str
    previous: str
    """The SHA-256 of `signed` of the seal before; zeros for the first."""
    at: str
    key_id: str
    signature: str
    signed: str
    """The exact text that was signed."""


class AuditKeyRead(Output):
    """A public key that seals are checked with."""

    id: str
    """The SHA-256 of the key's 32 bytes, in hex."""
    pem: str
    raw: str
    """The key's 32 bytes, in hex."""


class SealsRead(PageRead[SealRead]):
    """Seals, the newest first, and the keys that they are checked with."""

    keys: list[AuditKeyRead]


class StepRead(Output):
    side: Literal["left", "right"]
    hash: str


class ProofRead(Output):
    """Shows that an entry was sealed as it is, to whoever knows the platform's audit key."""

    entry: EntryRead
    content: str
    """The exact text of the entry that was hashed: the same fields as `entry`."""
    seq: int
    path: list[StepRead]
    seal: SealRead
    public_key: AuditKeyRead
    how_to_check: str
