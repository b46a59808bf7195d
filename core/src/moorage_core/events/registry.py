"""Every event type of the platform and the shape of its data.

`contract/events/<type>.json` is generated from this table. An event that is not in it cannot be
published.
"""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict


class Data(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Named(Data):
    """Something with a name came to be, changed or went."""

    id: str
    slug: str
    name: str


class Member(Data):
    """Somebody's role in an org or a project."""

    id: str
    user_id: str
    role: str


class Person(Data):
    """An account of a person."""

    id: str
    disabled: bool


class Credential(Data):
    """A token or key; never its secret."""

    id: str
    owner_id: str


class ServiceAccount(Data):
    id: str
    name: str
    permissions: list[str]
    disabled: bool


class Provider(Data):
    """A sign-in provider."""

    id: str
    slug: str
    enabled: bool


class Identity(Data):
    """Which account an identity at a sign-in provider opens."""

    user_id: str
    provider_id: str


class Webhook(Data):
    id: str
    types: list[str]
    enabled: bool


class Delivery(Data):
    id: str
    webhook_id: str


class BreakGlass(Data):
    """The platform's operators reached into a tenant."""

    action: str
    target: str
    reason: str


Shape = type[Data]


@dataclass(frozen=True)
class EventType:
    type: str
    summary: str
    data: Shape


ORG_CREATED = EventType("iam.org.created", "An org was created.", Named)
ORG_UPDATED = EventType("iam.org.updated", "An org was renamed.", Named)
ORG_DELETED = EventType("iam.org.deleted", "An org was deleted.", Named)
PROJECT_CREATED = EventType("iam.project.created", "A project was created.", Named)
PROJECT_UPDATED = EventType("iam.project.updated", "A project was renamed.", Named)
PROJECT_DELETED = EventType("iam.project.deleted", "A project was deleted.", Named)
MEMBER_ADDED = EventType("iam.member.added", "Somebody was given a role.", Member)
MEMBER_UPDATED = EventType("iam.member.updated", "Somebody's role was changed.", Member)
MEMBER_REMOVED = EventType("iam.member.removed", "Somebody's role was taken away.", Member)
USER_CREATED = EventType("iam.user.created", "An account was made for a person.", Person)
USER_UPDATED = EventType("iam.user.updated", "An account was changed, enabled or disabled.", Person)
USER_PASSWORD_RESET = EventType(
    "iam.user.password_reset", "A one-time code to set a password was issued.", Person
)
USER_PASSWORD_CHANGED = EventType("iam.user.password_changed", "A password was changed.", Person)
SESSION_STARTED = EventType("iam.session.started", "Somebody signed in.", Credential)
SESSION_ENDED = EventType("iam.session.ended", "Somebody signed out.", Credential)
ACCESS_TOKEN_CREATED = EventType(
    "iam.access_token.created", "A personal token was made.", Credential
)
ACCESS_TOKEN_REVOKED = EventType(
    "iam.access_token.revoked", "A personal token was revoked.", Credential
)
SERVICE_ACCOUNT_CREATED = EventType(
    "iam.service_account.created", "A service account was made.", ServiceAccount
)
SERVICE_ACCOUNT_UPDATED = EventType(
    "iam.service_account.updated",
    "A service account was changed, enabled or disabled.",
    ServiceAccount,
)
SERVICE_ACCOUNT_DELETED = EventType(
    "iam.service_account.deleted", "A service account was deleted.", ServiceAccount
)
SERVICE_ACCOUNT_KEY_CREATED = EventType(
    "iam.service_account_key.created", "A service account got a key.", Credential
)
SERVICE_ACCOUNT_KEY_REVOKED = EventType(
    "iam.service_account_key.revoked", "A service account's key was revoked.", Credential
)
SIGNING_KEY_ROTATED = EventType(
    "iam.signing_key.rotated", "A new key for signing tokens was made.", Credential
)
OIDC_PROVIDER_CREATED = EventType(
    "iam.oidc_provider.created", "A sign-in provider was added.", Provider
)
OIDC_PROVIDER_UPDATED = EventType(
    "iam.oidc_provider.updated", "A sign-in provider was changed.", Provider
)
OIDC_PROVIDER_DELETED = EventType(
    "iam.oidc_provider.deleted", "A sign-in provider was removed.", Provider
)
OIDC_IDENTITY_LINKED = EventType(
    "iam.oidc_identity.linked", "An identity at a sign-in provider was linked.", Identity
)
OIDC_IDENTITY_UNLINKED = EventType(
    "iam.oidc_identity.unlinked", "An identity at a sign-in provider was unlinked.", Identity
)
BREAK_GLASS_USED = EventType(
    "iam.break_glass.used", "The platform's operators reached into a tenant.", BreakGlass
)
WEBHOOK_CREATED = EventType("events.webhook.created", "A webhook was added.", Webhook)
WEBHOOK_UPDATED = EventType("events.webhook.updated", "A webhook was changed.", Webhook)
WEBHOOK_DELETED = EventType("events.webhook.deleted", "A webhook was removed.", Webhook)
DELIVERY_REQUEUED = EventType(
    "events.delivery.requeued", "A delivery is to be tried again by hand.", Delivery
)

TYPES: dict[str, EventType] = {
    value.type: value for value in list(globals().values()) if isinstance(value, EventType)
}
