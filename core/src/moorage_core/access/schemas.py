"""Wire shapes of logins, access grants and certificates."""

from typing import Annotated

from pydantic import Field, StringConstraints

from moorage_core.kit.ids import (
    AccessGrantId,
    AllocationId,
    LoginId,
    OrgId,
    ProjectId,
    SshAuthorityId,
    UserId,
)
from moorage_core.kit.wire import WHOLE, Input, Moment, Output, Reason

LoginName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,30}$")]


class UnixLoginCreate(Input):
    user: UserId
    """Somebody with a role in the org or in one of its projects."""
    login: LoginName | None = None
    """Left out: made from the local part of their address."""


class UnixLoginRead(Output):
    id: LoginId
    org_id: OrgId
    user_id: UserId
    login: str
    uid: int
    created_at: Moment


class AccessGrantCreate(Input):
    user: UserId | None = None
    """Who is let in. Left out: you."""
    sudo: bool = False
    """May become root on the machine."""
    forwarding: bool = False
    """May forward ports and their SSH agent through the machine."""
    expires_in: Annotated[int, Field(ge=60, le=315_360_000), WHOLE] = 8 * 3600
    """Seconds from now."""
    reason: Reason | None = None


class AccessGrantRead(Output):
    id: AccessGrantId
    org_id: OrgId
    project_id: ProjectId
    allocation_id: AllocationId
    user_id: UserId
    user_name: str | None
    login: str
    uid: int
    sudo: bool
    forwarding: bool
    reason: str | None
    granted_by: str
    granted_by_name: str | None
    expires_at: Moment
    ended_at: Moment | None
    ended_because: str | None
    carried_out: bool
    """The node has said so: of a live grant, that the person can enter; of one that has ended, that
    they are gone with all their sessions."""
    problem: str | None
    """What the node said where it could not carry it out."""
    version: int
    created_at: Moment
    updated_at: Moment


class SshCertificateCreate(Input):
    public_key: Annotated[str, StringConstraints(min_length=1, max_length=8000)]
    """One line as in an OpenSSH .pub file. The private key stays yours."""


class SshCertificateRead(Output):
    certificate: str
    """One line as in an OpenSSH -cert.pub file."""
    serial: int
    key_id: str
    principal: str
    expires_at: Moment
    grant_id: AccessGrantId
    login: str
    node_name: str
    addresses: list[str]
    """Where the machine can be reached, best first."""
    port: int
    host_keys: list[str]
    """The machine's own public keys, to be pinned."""


class SshAuthorityRead(Output):
    id: SshAuthorityId
    public_key: str
    fingerprint: str
    created_at: Moment
    retired_at: Moment | None


class SshAuthorityRotate(Input):
    reason: Reason
    at_once: bool = False
    """Retire all older ones now, for a key that leaked. Otherwise the last one is still accepted,
    so that nobody is locked out of a machine that has not heard of the new one."""
