"""Wire shapes of access credentials and of hosts without agent."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr, StringConstraints

from moorage_core.kit.ids import AccessCredentialId, AllocationId, OrgId, ProjectId
from moorage_core.kit.wire import WHOLE, Input, Moment, Name, Output

Username = Annotated[str, StringConstraints(pattern=r"^[a-z_][a-z0-9_-]{0,31}$")]
PrivateKey = Annotated[SecretStr, Field(min_length=1, max_length=16_384)]
Fingerprint = Annotated[str, StringConstraints(pattern=r"^SHA256:[A-Za-z0-9+/]{43}$")]


class AccessCredentialCreate(Input):
    name: Name
    username: Username
    """The account on the hosts: root, or one that may use sudo without a password."""
    private_key: PrivateKey | None = None
    """In OpenSSH's or PEM form, without passphrase. Left out: a key is made here."""


class CredentialRotation(Input):
    private_key: PrivateKey | None = None
    """In OpenSSH's or PEM form, without passphrase. Left out: a key is made here."""
    overlap_hours: Annotated[int, Field(ge=0, le=720), WHOLE] = 24
    """For so long the old key is tried too. 0 if it has leaked."""


class AccessCredentialRead(Output):
    id: AccessCredentialId
    org_id: OrgId
    project_id: ProjectId
    name: str
    username: str
    public_key: str
    """What belongs into the account's authorized_keys."""
    fingerprint: str
    rotated_at: Moment | None
    previous_until: Moment | None
    """Until then the key before this one is tried as well."""
    revoked_at: Moment | None
    version: int
    created_at: Moment
    updated_at: Moment


class SshHostWrite(Input):
    credential: AccessCredentialId


class SshHostConfirm(Input):
    fingerprint: Fingerprint
    """As you read it on the host itself: `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub`."""


class SshHostRead(Output):
    allocation_id: AllocationId
    credential_id: AccessCredentialId | None
    address: str
    port: int
    state: Literal["unset", "unconfirmed", "confirmed"]
    offered_fingerprint: str | None
    """Of the key that the host showed when it was last asked."""
    offered_at: Moment | None
    host_fingerprint: str | None
    """Of the key that it must show. Tasks run under no other."""
    confirmed_at: Moment | None
    confirmed_by: str | None
    problem: str | None
    """What kept us out the last time."""
    version: int
