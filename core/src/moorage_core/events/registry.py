"""Every event type of the platform and the shape of its data.

`contract/events/<type>.json` is generated from this table. An event that is not in it cannot be
published.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict


class Data(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Named(Data):
    """Something with a name came to be, changed or went."""

    id: str
    slug: str
    name: str


class Membership(Data):
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


class Family(Data):
    """A named set of permission keys that several apps share."""

    name: str
    keys: list[str]


class Admission(Data):
    """An app's place in a family."""

    family: str
    app_id: str
    slug: str
    keys: list[str]


class Source(Data):
    """Where artifacts may come from."""

    id: str
    slug: str
    kind: str
    enabled: bool


class Artifact(Data):
    """Bytes by digest, with both their axes."""

    id: str
    name: str
    digest: str
    lifecycle: str
    trust: str


class PublisherKey(Data):
    id: str
    name: str
    revoked: bool


class App(Data):
    id: str
    slug: str
    name: str
    visibility: str


class Version(Data):
    """One release of an app."""

    id: str
    app_id: str
    slug: str
    number: str
    status: str
    manifest_digest: str


class Promotion(Data):
    """A channel points to a version now."""

    app_id: str
    slug: str
    channel: str
    version_id: str
    number: str
    manifest_digest: str
    previous_version_id: str | None


class ClearedChannel(Data):
    """A channel points to nothing any more."""

    app_id: str
    slug: str
    channel: str
    previous_version_id: str


class Operator(Data):
    """An identity that may claim an app's operations."""

    id: str
    app_id: str
    slug: str
    service_account_id: str
    serves: str


class Entitlement(Data):
    """A project's right to use an app."""

    id: str
    app_id: str
    slug: str
    channel: str | None
    versions: str
    enabled: bool
    accepted_digest: str


class Overlay(Data):
    """A layer of policy was written."""

    level: str
    entitlement_id: str | None
    document: dict[str, Any]


class Pull(Data):
    """A credential to pull one artifact; never its secret."""

    id: str
    artifact_id: str
    digest: str
    holder: str


Shape = type[Data]


class Region(Data):
    id: str
    slug: str


class Sku(Data):
    id: str
    slug: str
    gpus: int
    price_micros: int
    currency: str


class Node(Data):
    """A machine of the platform."""

    id: str
    name: str
    region: str
    sku: str
    status: str
    cordoned: bool
    reason: str | None


class Enrolment(Data):
    """The right of one host to become a node; never its token."""

    id: str
    node_id: str


class Allocation(Data):
    """A node held by a project."""

    id: str
    name: str
    node_name: str
    region: str
    sku: str
    gpus: int
    status: str
    dirty: list[str]
    message: str | None


class Operation(Data):
    """A durable wish to change something."""

    id: str
    kind: str
    status: str
    reason: str
    fence: int
    allocations: list[str]
    parent_id: str | None = None
    member_id: str | None = None
    direction: str = "forward"
    attempt: int = 1
    error_code: str | None = None


class Member(Data):
    """One part of an instance, on one machine."""

    id: str
    name: str
    component: str
    status: str
    status_reason: str | None
    health: str
    allocation_id: str | None
    source_project_id: str
    operation_id: str | None


class Instance(Data):
    """A deployed app; never its configuration."""

    id: str
    name: str
    status: str
    reason: str | None
    health: str
    app_version: str
    revision: int
    operation_id: str | None


class Plan(Data):
    """What a change would do."""

    id: str
    kind: str
    instance_id: str | None


class Task(Data):
    """One thing that is done on one node; never its input."""

    id: str
    operation_id: str
    allocation_id: str
    kind: str
    key: str
    status: str


class RuntimeSecret(Data):
    """A secret of something that runs; never its value."""

    id: str
    name: str
    purpose: str
    operation_id: str


class Login(Data):
    id: str
    user_id: str
    login: str
    uid: int


class AccessGrant(Data):
    """Somebody's right to enter a machine."""

    id: str
    allocation_id: str
    user_id: str
    login: str
    sudo: bool
    forwarding: bool
    ended_because: str | None


class Certificate(Data):
    """A certificate for an SSH key."""

    grant_id: str
    serial: int
    key_id: str


class SshAuthority(Data):
    """A key that signs people's certificates; never the key itself."""

    id: str
    fingerprint: str


class AccessCredential(Data):
    """An SSH key in custody; never the key itself."""

    id: str
    name: str
    username: str
    fingerprint: str


class SshHost(Data):
    """How a host without agent is reached."""

    allocation_id: str
    credential_id: str
    address: str
    fingerprint: str | None


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
MEMBERSHIP_ADDED = EventType("iam.member.added", "Somebody was given a role.", Membership)
MEMBERSHIP_UPDATED = EventType("iam.member.updated", "Somebody's role was changed.", Membership)
MEMBERSHIP_REMOVED = EventType("iam.member.removed", "Somebody's role was taken away.", Membership)
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
DEVICE_CODE_APPROVED = EventType(
    "iam.device_code.approved", "Somebody let a program sign in as them.", Credential
)
DEVICE_CODE_DENIED = EventType(
    "iam.device_code.denied", "Somebody kept a program from signing in as them.", Credential
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
FAMILY_WRITTEN = EventType("catalog.family.written", "A family was added or extended.", Family)
FAMILY_APP_ADMITTED = EventType(
    "catalog.family.app_admitted", "An app was admitted to a family.", Admission
)
FAMILY_APP_WITHDRAWN = EventType(
    "catalog.family.app_withdrawn", "An app's admission to a family was withdrawn.", Admission
)
SOURCE_CREATED = EventType("catalog.source.created", "A source of artifacts was added.", Source)
SOURCE_UPDATED = EventType(
    "catalog.source.updated", "A source of artifacts was changed, enabled or disabled.", Source
)
SOURCE_DELETED = EventType("catalog.source.deleted", "A source of artifacts was removed.", Source)
PUBLISHER_KEY_CREATED = EventType(
    "catalog.publisher_key.created", "A publisher's key was added.", PublisherKey
)
PUBLISHER_KEY_REVOKED = EventType(
    "catalog.publisher_key.revoked", "A publisher's key was revoked.", PublisherKey
)
ARTIFACT_CREATED = EventType(
    "catalog.artifact.created", "An artifact was announced or registered.", Artifact
)
ARTIFACT_PUBLISHED = EventType(
    "catalog.artifact.published", "An artifact's bytes arrived and match its digest.", Artifact
)
ARTIFACT_UPDATED = EventType(
    "catalog.artifact.updated", "An artifact's lifecycle was changed.", Artifact
)
ARTIFACT_VERIFIED = EventType(
    "catalog.artifact.verified", "An artifact was signed by its publisher.", Artifact
)
ARTIFACT_FAILED = EventType(
    "catalog.artifact.failed", "An artifact is no longer trusted.", Artifact
)
ARTIFACT_REVOKED = EventType(
    "catalog.artifact.revoked", "An artifact was revoked for good.", Artifact
)
ARTIFACT_DELETED = EventType(
    "catalog.artifact.deleted", "An artifact that nothing used was removed.", Artifact
)
APP_CREATED = EventType("catalog.app.created", "An app was registered.", App)
APP_UPDATED = EventType("catalog.app.updated", "An app was renamed or shown to others.", App)
APP_DELETED = EventType("catalog.app.deleted", "An app that was never published was removed.", App)
VERSION_DRAFTED = EventType("catalog.version.drafted", "A draft of a version was written.", Version)
VERSION_PUBLISHED = EventType("catalog.version.published", "A version was published.", Version)
VERSION_DEPRECATED = EventType("catalog.version.deprecated", "A version was deprecated.", Version)
VERSION_RESTORED = EventType(
    "catalog.version.restored", "A version is no longer deprecated.", Version
)
VERSION_RETIRED = EventType("catalog.version.retired", "A version was retired.", Version)
VERSION_DELETED = EventType("catalog.version.deleted", "A draft was thrown away.", Version)
VERSION_PROMOTED = EventType(
    "catalog.version.promoted", "A channel points to a version now.", Promotion
)
CHANNEL_CLEARED = EventType(
    "catalog.channel.cleared", "A channel points to nothing any more.", ClearedChannel
)
OPERATOR_REGISTERED = EventType(
    "catalog.operator.registered", "An app operator was registered.", Operator
)
OPERATOR_REMOVED = EventType("catalog.operator.removed", "An app operator was removed.", Operator)
ENTITLEMENT_CREATED = EventType(
    "catalog.entitlement.created", "A project was entitled to an app.", Entitlement
)
ENTITLEMENT_UPDATED = EventType(
    "catalog.entitlement.updated", "An entitlement was changed, enabled or disabled.", Entitlement
)
ENTITLEMENT_CONSENTED = EventType(
    "catalog.entitlement.consented", "What an app asks for was accepted.", Entitlement
)
ENTITLEMENT_DELETED = EventType(
    "catalog.entitlement.deleted", "An entitlement was taken away.", Entitlement
)
PULL_ISSUED = EventType("catalog.pull.issued", "A credential to pull an artifact was issued.", Pull)
OVERLAY_WRITTEN = EventType("policy.overlay.written", "A layer of policy was written.", Overlay)

REGION_CREATED = EventType("infra.region.created", "A region was added.", Region)
REGION_UPDATED = EventType("infra.region.updated", "A region was renamed or retired.", Region)
SKU_CREATED = EventType("infra.sku.created", "A class of machines was added.", Sku)
SKU_UPDATED = EventType("infra.sku.updated", "A class of machines was changed or retired.", Sku)
NODE_CREATED = EventType("infra.node.created", "A node was announced.", Node)
NODE_ENROLLED = EventType("infra.node.enrolled", "A host enrolled as a node.", Node)
NODE_UPDATED = EventType(
    "infra.node.updated", "A node was renamed, labelled, cordoned or uncordoned.", Node
)
NODE_AVAILABLE = EventType("infra.node.available", "A node can be allocated.", Node)
NODE_ALLOCATED = EventType("infra.node.allocated", "A node is held by a project.", Node)
NODE_CLEANING = EventType("infra.node.cleaning", "A node is being cleaned.", Node)
NODE_MAINTENANCE = EventType(
    "infra.node.maintenance", "A node was taken out for maintenance.", Node
)
NODE_QUARANTINED = EventType(
    "infra.node.quarantined", "A node was taken out because something is wrong with it.", Node
)
NODE_RETIRED = EventType("infra.node.retired", "A node is gone for good.", Node)
NODE_UNREACHABLE = EventType("infra.node.unreachable", "A node fell silent.", Node)
NODE_REACHABLE = EventType("infra.node.reachable", "A node was heard of again.", Node)
NODE_REIMAGING = EventType("infra.node.reimaging", "A node is to be imaged anew.", Node)
ENROLMENT_ISSUED = EventType("infra.enrolment.issued", "A host may enrol as a node.", Enrolment)
ENROLMENT_REVOKED = EventType("infra.enrolment.revoked", "An enrolment was taken back.", Enrolment)
ALLOCATION_REQUESTED = EventType("infra.allocation.requested", "A node was asked for.", Allocation)
ALLOCATION_PROVISIONING = EventType(
    "infra.allocation.provisioning", "A node is being made ready.", Allocation
)
ALLOCATION_ACTIVE = EventType("infra.allocation.active", "A node is held and ready.", Allocation)
ALLOCATION_UPDATED = EventType(
    "infra.allocation.updated", "What is noted on an allocation was changed.", Allocation
)
ALLOCATION_RELEASING = EventType(
    "infra.allocation.releasing", "A node is being given back.", Allocation
)
ALLOCATION_RELEASED = EventType("infra.allocation.released", "A node was given back.", Allocation)
ALLOCATION_FAILED = EventType(
    "infra.allocation.failed", "A node could not be made ready.", Allocation
)
ALLOCATION_RELEASE_FAILED = EventType(
    "infra.allocation.release_failed", "A node could not be cleaned.", Allocation
)
OPERATION_RUNNING = EventType("apps.operation.running", "An operation began.", Operation)
OPERATION_REQUESTED = EventType(
    "apps.operation.requested", "Somebody wants something done.", Operation
)
OPERATION_WAITING = EventType(
    "apps.operation.waiting", "An operation waits, for a time or for something.", Operation
)
OPERATION_BLOCKED = EventType(
    "apps.operation.blocked", "An operation needs a person to decide.", Operation
)
OPERATION_UNDOING = EventType(
    "apps.operation.undoing", "What an operation did is being taken back.", Operation
)
OPERATION_ABANDONED = EventType(
    "apps.operation.abandoned", "An operation was ended without its controller.", Operation
)
OPERATION_CANCEL_REQUESTED = EventType(
    "apps.operation.cancel_requested", "An operation was asked to stop.", Operation
)
OPERATION_REOPENED = EventType(
    "apps.operation.reopened", "An operation is tried again, or goes on.", Operation
)
OPERATION_RENEWED = EventType(
    "apps.operation.renewed", "The lease of an operation was renewed.", Operation
)
OPERATION_SUCCEEDED = EventType("apps.operation.succeeded", "An operation was done.", Operation)
OPERATION_FAILED = EventType("apps.operation.failed", "An operation failed.", Operation)
OPERATION_CANCELLED = EventType(
    "apps.operation.cancelled", "An operation was cancelled.", Operation
)
INSTANCE_REQUESTED = EventType("apps.instance.requested", "An app is to be deployed.", Instance)
INSTANCE_DEPLOYING = EventType("apps.instance.deploying", "An app is being deployed.", Instance)
INSTANCE_RUNNING = EventType("apps.instance.running", "An instance runs.", Instance)
INSTANCE_STOPPING = EventType("apps.instance.stopping", "An instance is being stopped.", Instance)
INSTANCE_STOPPED = EventType("apps.instance.stopped", "An instance was stopped.", Instance)
INSTANCE_STARTING = EventType("apps.instance.starting", "An instance is being started.", Instance)
INSTANCE_RESTARTING = EventType(
    "apps.instance.restarting", "An instance is being restarted.", Instance
)
INSTANCE_CONFIGURING = EventType(
    "apps.instance.configuring", "An instance gets another configuration.", Instance
)
INSTANCE_UPGRADING = EventType(
    "apps.instance.upgrading", "An instance gets another version.", Instance
)
INSTANCE_ROLLING_BACK = EventType(
    "apps.instance.rolling_back", "An instance goes back to what it was.", Instance
)
INSTANCE_ROTATING = EventType("apps.instance.rotating", "An instance gets new secrets.", Instance)
INSTANCE_FAILED = EventType("apps.instance.failed", "An operation on an instance failed.", Instance)
INSTANCE_DELETING = EventType(
    "apps.instance.deleting", "An instance is being decommissioned.", Instance
)
INSTANCE_DELETE_FAILED = EventType(
    "apps.instance.delete_failed", "An instance could not be decommissioned.", Instance
)
INSTANCE_DELETED = EventType("apps.instance.deleted", "An instance is gone.", Instance)
INSTANCE_HEALTH_CHANGED = EventType(
    "apps.instance.health_changed", "An instance fares better or worse.", Instance
)
MEMBER_REQUESTED = EventType("apps.member.requested", "A member was asked for.", Member)
MEMBER_JOINING = EventType("apps.member.joining", "A member is being made.", Member)
MEMBER_READY = EventType("apps.member.ready", "A member works.", Member)
MEMBER_DRAINING = EventType("apps.member.draining", "A member takes nothing new.", Member)
MEMBER_DRAINED = EventType("apps.member.drained", "Nothing runs on a member any more.", Member)
MEMBER_REMOVING = EventType("apps.member.removing", "A member is being taken away.", Member)
MEMBER_REPLACING = EventType("apps.member.replacing", "Another takes a member's place.", Member)
MEMBER_FAILED = EventType("apps.member.failed", "An operation on a member failed.", Member)
MEMBER_REMOVED = EventType("apps.member.removed", "A member is gone.", Member)
MEMBER_HEALTH_CHANGED = EventType(
    "apps.member.health_changed", "A member fares better or worse.", Member
)
PLAN_MADE = EventType("apps.plan.made", "Somebody looked at what a change would do.", Plan)
TASK_CANCEL_REQUESTED = EventType(
    "apps.task.cancel_requested", "Somebody asked for a task to be stopped.", Task
)
RUNTIME_SECRET_STORED = EventType(
    "apps.secret.stored", "A secret of something that runs was put into custody.", RuntimeSecret
)
RUNTIME_SECRET_USED = EventType(
    "apps.secret.used", "An operation takes up a secret that its instance has.", RuntimeSecret
)
LOGIN_CREATED = EventType("iam.login.created", "Somebody got a login on machines.", Login)
ACCESS_GRANTED = EventType("infra.access.granted", "Somebody may enter a machine.", AccessGrant)
ACCESS_ENDED = EventType(
    "infra.access.ended", "Somebody may not enter a machine any more.", AccessGrant
)
CERTIFICATE_ISSUED = EventType(
    "infra.access.certificate_issued", "An SSH certificate was issued.", Certificate
)
SSH_AUTHORITY_CREATED = EventType(
    "infra.ssh_authority.created", "Another key signs people's certificates.", SshAuthority
)
SSH_AUTHORITY_RETIRED = EventType(
    "infra.ssh_authority.retired",
    "A key that signed people's certificates is accepted no more.",
    SshAuthority,
)
CREDENTIAL_CREATED = EventType(
    "infra.credential.created", "An SSH key was put into custody.", AccessCredential
)
CREDENTIAL_ROTATED = EventType(
    "infra.credential.rotated", "An SSH key in custody was replaced.", AccessCredential
)
CREDENTIAL_REVOKED = EventType(
    "infra.credential.revoked", "An SSH key in custody was revoked.", AccessCredential
)
SSH_HOST_SET = EventType(
    "infra.ssh_host.set", "How a host without agent is reached was set.", SshHost
)
SSH_HOST_OFFERED = EventType(
    "infra.ssh_host.offered", "A host without agent showed its key.", SshHost
)
SSH_HOST_CONFIRMED = EventType(
    "infra.ssh_host.confirmed", "The key of a host without agent was confirmed.", SshHost
)

TYPES: dict[str, EventType] = {
    value.type: value for value in list(globals().values()) if isinstance(value, EventType)
}
