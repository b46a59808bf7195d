"""Wire shapes of service accounts."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from moorage_core.kit.ids import OrgId, ProjectId, ServiceAccountId, ServiceAccountKeyId
from moorage_core.kit.wire import WHOLE, Input, Moment, Name, Output, PermissionKey

Permissions = Annotated[list[PermissionKey], Field(max_length=200)]


class ServiceAccountCreate(Input):
    name: Name
    permissions: Permissions
    """Exactly what the account may do in its project. You must hold each of them yourself."""


class ServiceAccountUpdate(Input):
    name: Name | None = None
    permissions: Permissions | None = None
    disabled: bool | None = None


class ServiceAccountRead(Output):
    id: ServiceAccountId
    org_id: OrgId
    project_id: ProjectId
    name: str
    permissions: list[str]
    disabled: bool
    version: int
    created_at: Moment
    updated_at: Moment


class PublicKey(Input):
    """An Ed25519 public key as a JWK."""

    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    x: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{43}$")]


class KeyCreate(Input):
    public_key: PublicKey | None = None
    """Your public key; the private one stays yours. Left out: a secret is made and shown once."""
    expires_in: Annotated[int, Field(ge=60, le=315_360_000), WHOLE] | None = None
    """Seconds from now. Left out: until it is revoked."""


class KeyRead(Output):
    id: ServiceAccountKeyId
    service_account_id: ServiceAccountId
    kind: str
    created_at: Moment
    expires_at: Moment | None
    revoked_at: Moment | None


class KeyIssued(KeyRead):
    secret: str | None
    """Shown once; null for keys whose private half you hold."""


class TokenRequest(Input):
    """Either an assertion signed by one of the account's keys, or a key's id with its secret."""

    service_account: ServiceAccountId
    key: ServiceAccountKeyId
    client_assertion: Annotated[str, StringConstraints(min_length=1, max_length=4000)] | None = None
    """For Ed25519 keys, a JWT: iss = sub = the account, aud = this platform, exp within 5 minutes,
    a new jti."""
    client_secret: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    """For secret keys."""


class TokenRead(Output):
    access_token: str
    token_type: Literal["Bearer"]
    expires_in: int
