# Generated from contract/openapi.json by tools/gen_sdk.py; `make gen` writes it.
"""The shapes of requests and answers."""

from typing import Any, Literal

from pydantic import AwareDatetime, Field

from moorage._model import Model


class AccessTokenCreate(Model):
    name: str
    expires_in: int = Field(..., description="Seconds from now.")
    permissions: list[str] | None = None
    org: str | None = None
    project: str | None = None


class AccessTokenIssued(Model):
    id: str
    name: str
    permissions: list[str] | None
    org_id: str | None
    project_id: str | None
    created_at: AwareDatetime
    expires_at: AwareDatetime
    revoked_at: AwareDatetime | None
    token: str


class AccessTokenRead(Model):
    id: str
    name: str
    permissions: list[str] | None
    org_id: str | None
    project_id: str | None
    created_at: AwareDatetime
    expires_at: AwareDatetime
    revoked_at: AwareDatetime | None


class AdminAppoint(Model):
    email: str
    reason: str


class AuditKeyRead(Model):
    """A public key that seals are checked with."""

    id: str
    pem: str
    raw: str


class CloudEvent(Model):
    """One event. Attribute names have no underscores because CloudEvents allows none."""

    specversion: str
    id: str
    source: str
    type: str
    subject: str
    time: AwareDatetime
    datacontenttype: str
    dataschema: str
    sequence: str
    subjectversion: int
    correlationid: str
    orgid: str
    projectid: str | None
    appslug: str | None
    appinstanceid: str | None
    traceparent: str | None
    data: dict[str, Any]


class DeliveryRead(Model):
    id: str
    webhook_id: str
    event_id: str
    event_type: str
    status: str
    attempts: int
    due_at: AwareDatetime | None
    answer_status: int | None
    error: str | None
    version: int
    created_at: AwareDatetime
    tried_at: AwareDatetime | None
    ended_at: AwareDatetime | None


class EntryRead(Model):
    """Who did what, to what, when; or was refused it, `count` times within a minute."""

    seq: int
    id: str
    at: AwareDatetime
    org_id: str
    project_id: str | None
    actor_kind: str
    actor_id: str
    actor_name: str
    credential: str | None
    action: str
    target: str
    outcome: str
    count: int
    break_glass: bool
    reason: str | None
    correlation_id: str
    app_slug: str | None
    app_instance_id: str | None
    details: dict[str, Any]


class EventsRead(Model):
    """
    Events in order.

    Ask again with `after` = `next`; nothing is missed and nothing comes twice.
    """

    items: list[CloudEvent]
    next: str


class GrantRead(Model):
    org_id: str
    org_slug: str
    org_name: str
    project_id: str | None
    project_slug: str | None
    project_name: str | None
    permissions: list[str]


class KeyIssued(Model):
    id: str
    service_account_id: str
    kind: str
    created_at: AwareDatetime
    expires_at: AwareDatetime | None
    revoked_at: AwareDatetime | None
    secret: str | None


class KeyRead(Model):
    id: str
    service_account_id: str
    kind: str
    created_at: AwareDatetime
    expires_at: AwareDatetime | None
    revoked_at: AwareDatetime | None


class Login(Model):
    email: str
    password: str


class LoginRead(Model):
    user_id: str
    session_id: str
    csrf_token: str
    expires_at: AwareDatetime


class MeRead(Model):
    kind: str
    id: str
    name: str
    session_id: str | None
    csrf_token: str | None
    grants: list[GrantRead]
    own_permissions: list[str]


class MemberAdd(Model):
    email: str
    role: Literal["platform_admin", "tenant_admin", "project_admin", "project_member", "viewer"]


class MemberRead(Model):
    id: str
    org_id: str
    project_id: str | None
    user_id: str
    email: str
    name: str
    role: str
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class MemberUpdate(Model):
    role: Literal["platform_admin", "tenant_admin", "project_admin", "project_member", "viewer"]


class OidcIdentityLink(Model):
    subject: str
    reason: str | None = None


class OidcProviderCreate(Model):
    slug: str
    name: str
    issuer: str = Field(
        ..., description="Exactly as the provider writes it, a slash at the end included."
    )
    client_id: str
    client_secret: str = Field(..., description="Kept sealed, and never shown again.")
    domains: list[str] = Field(
        ..., description="E-mail domains that it speaks for, without those below them; `*` for all."
    )
    enabled: bool | None = True


class OidcProviderRead(Model):
    id: str
    slug: str
    name: str
    issuer: str
    client_id: str
    domains: list[str]
    enabled: bool
    callback_url: str
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class OidcProviderUpdate(Model):
    """What is left out stays as it is. The issuer stays: subjects mean something to it alone."""

    name: str | None = None
    client_id: str | None = None
    client_secret: str | None = None
    domains: list[str] | None = None
    enabled: bool | None = None


class OrgCreate(Model):
    slug: str
    name: str
    admin_email: str


class OrgRead(Model):
    id: str
    slug: str
    name: str
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class OrgUpdate(Model):
    name: str


class PasswordChange(Model):
    current: str
    password: str


class PasswordCodeIssue(Model):
    reason: str | None = None


class PasswordCodeRead(Model):
    user_id: str
    code: str
    expires_at: AwareDatetime


class PasswordSet(Model):
    code: str
    password: str


class ProjectCreate(Model):
    slug: str
    name: str


class ProjectRead(Model):
    id: str
    org_id: str
    slug: str
    name: str
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class ProjectUpdate(Model):
    name: str


class PublicKey(Model):
    """An Ed25519 public key as a JWK."""

    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    x: str


class KeyCreate(Model):
    public_key: PublicKey | None = None
    expires_in: int | None = None


class PublicKeyRead(Model):
    kty: str
    crv: str
    x: str
    kid: str
    alg: str
    use: str


class KeySetRead(Model):
    keys: list[PublicKeyRead]


class RoleRead(Model):
    role: str
    description: str
    levels: list[str]
    permissions: list[str]


class RolesRead(Model):
    items: list[RoleRead]


class SealRead(Model):
    """A signed statement about a batch of entries. Hashes and the signature are in hex."""

    number: int
    first_seq: int
    last_seq: int
    entries: int
    root: str
    previous: str
    at: str
    key_id: str
    signature: str
    signed: str


class SealsRead(Model):
    """Seals, the newest first, and the keys that they are checked with."""

    items: list[SealRead]
    next: str | None
    keys: list[AuditKeyRead]


class SecretRotation(Model):
    overlap_hours: int | None = 24


class ServiceAccountCreate(Model):
    name: str
    permissions: list[str]


class ServiceAccountRead(Model):
    id: str
    org_id: str
    project_id: str
    name: str
    permissions: list[str]
    disabled: bool
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class ServiceAccountUpdate(Model):
    name: str | None = None
    permissions: list[str] | None = None
    disabled: bool | None = None


class SessionRead(Model):
    id: str
    user_agent: str
    created_at: AwareDatetime
    seen_at: AwareDatetime
    expires_at: AwareDatetime


class SignInChoice(Model):
    """One button of the login page."""

    slug: str
    name: str


class SignInChoices(Model):
    items: list[SignInChoice]


class StatusRead(Model):
    status: str
    version: str


class StepRead(Model):
    side: str
    hash: str


class ProofRead(Model):
    """Shows that an entry was sealed as it is, to whoever knows the platform's audit key."""

    entry: EntryRead
    content: str
    seq: int
    path: list[StepRead]
    seal: SealRead
    public_key: AuditKeyRead
    how_to_check: str


class TokenRead(Model):
    access_token: str
    token_type: str
    expires_in: int


class TokenRequest(Model):
    """Either an assertion signed by one of the account's keys, or a key's id with its secret."""

    service_account: str
    key: str
    client_assertion: str | None = None
    client_secret: str | None = None


class UserCreate(Model):
    email: str
    name: str


class UserRead(Model):
    id: str
    email: str
    name: str
    has_password: bool
    disabled: bool
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class UserUpdate(Model):
    name: str | None = None
    disabled: bool | None = None


class WebhookCreate(Model):
    org: str
    project: str | None = None
    url: str = Field(..., description="Where to POST the events: https, no user name, no fragment.")
    types: list[str] = Field(
        ..., description="Event types: `iam.org.created`, all that begin alike as `iam.*`, or `*`."
    )
    enabled: bool | None = True


class WebhookIssued(Model):
    """A webhook with its signing secret, which is shown this once."""

    id: str
    org_id: str
    project_id: str | None
    url: str
    types: list[str]
    enabled: bool
    previous_until: AwareDatetime | None
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime
    secret: str


class WebhookRead(Model):
    id: str
    org_id: str
    project_id: str | None
    url: str
    types: list[str]
    enabled: bool
    previous_until: AwareDatetime | None
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class WebhookUpdate(Model):
    """What is left out stays as it is."""

    url: str | None = None
    types: list[str] | None = None
    enabled: bool | None = None
