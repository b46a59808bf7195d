# Generated from contract/openapi.json by tools/gen_sdk.py; `make gen` writes it.
"""The shapes of requests and answers."""

from typing import Any, Literal

from pydantic import AwareDatetime, Field

from moorage._model import Model


class AccessCredentialCreate(Model):
    name: str
    username: str
    private_key: str | None = None


class AccessCredentialRead(Model):
    id: str
    org_id: str
    project_id: str
    name: str
    username: str
    public_key: str
    fingerprint: str
    rotated_at: AwareDatetime | None
    previous_until: AwareDatetime | None
    revoked_at: AwareDatetime | None
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class AccessGrantCreate(Model):
    user: str | None = None
    sudo: bool | None = False
    forwarding: bool | None = False
    expires_in: int | None = 28800
    reason: str | None = None


class AccessGrantRead(Model):
    id: str
    org_id: str
    project_id: str
    allocation_id: str
    user_id: str
    user_name: str | None
    login: str
    uid: int
    sudo: bool
    forwarding: bool
    reason: str | None
    granted_by: str
    granted_by_name: str | None
    expires_at: AwareDatetime
    ended_at: AwareDatetime | None
    ended_because: str | None
    carried_out: bool
    problem: str | None
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


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


class ActionRead(Model):
    name: str
    title: str
    description: str | None
    input: dict[str, Any] | None
    output: dict[str, Any] | None
    permission: str
    allowed: bool
    lock: str
    component: str | None


class ActionList(Model):
    items: list[ActionRead]


class ActionRun(Model):
    input: dict[str, Any] | None = None
    member: str | None = None
    reason: str | None = None


class AdminAppoint(Model):
    email: str
    reason: str


class AdmissionRead(Model):
    family: str
    app_id: str
    slug: str
    keys: list[str]
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class AdmissionWrite(Model):
    keys: list[str]


class AllocationRelease(Model):
    reason: str | None = None


class AllocationRequest(Model):
    """Machines of one SKU in one region: all of them, or none."""

    sku: str
    region: str
    count: int | None = 1
    strategy: Literal["spread", "pack"] | None = "spread"
    name: str | None = None
    scheduler_type: str | None = None
    metadata: dict[str, Any] | None = None


class AllocationUpdate(Model):
    """What is left out stays as it is."""

    name: str | None = None
    scheduler_type: str | Literal[""] | None = None
    metadata: dict[str, Any] | None = None


class AppCreate(Model):
    slug: str
    name: str
    summary: str
    visibility: Literal["project", "org", "platform"] | None = "project"


class AppOperatorCreate(Model):
    app: str
    service_account: str
    name: str


class AppOperatorRead(Model):
    id: str
    app_id: str
    app_slug: str
    org_id: str
    project_id: str
    service_account_id: str | None
    name: str
    serves: str
    listening: bool
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class AppRead(Model):
    id: str
    org_id: str
    project_id: str
    publisher_name: str | None
    slug: str
    name: str
    summary: str
    visibility: str
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class AppUpdate(Model):
    name: str | None = None
    summary: str | None = None
    visibility: Literal["project", "org", "platform"] | None = None


class ArtifactBrief(Model):
    """Bytes that the instance's version needs."""

    name: str
    digest: str
    size: int


class ArtifactCreate(Model):
    name: str
    digest: str
    size: int
    media_type: str | None = "application/octet-stream"
    kind: Literal["blob", "oci"] | None = "blob"
    source: str | None = None
    location: str | None = None


class ArtifactRead(Model):
    id: str
    org_id: str
    project_id: str
    name: str
    kind: str
    digest: str
    size: int
    media_type: str
    source_id: str | None
    location: str | None
    lifecycle: str
    trust: str
    trust_reason: str | None
    received: int | None = None
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class ArtifactUpdate(Model):
    lifecycle: Literal["published", "deprecated", "retired"]


class AuditKeyRead(Model):
    """A public key that seals are checked with."""

    id: str
    pem: str
    raw: str


class BreakGlass(Model):
    reason: str


class BreakRead(Model):
    """
    Something below the layer that it takes away.

    Those who run the platform see how much of which org; the rest is the org's.
    """

    kind: str
    org_id: str
    project_id: str | None
    entitlement_id: str | None
    app: str | None
    version: str | None
    instead: str | None
    dimension: str | None
    value: str | None
    sentence: str


class BreaksRead(Model):
    count: int
    items: list[BreakRead]
    complete: bool


class CancelBrief(Model):
    """An operation that you hold, and are asked to take back."""

    operation: str
    reason: str | None


class CauseRead(Model):
    """Why it failed: the innermost thing that did."""

    code: str
    message: str
    operation_id: str
    step: str | None
    task_id: str | None
    exit_code: int | None
    log: list[str]


class ChannelRead(Model):
    channel: str
    version_id: str
    number: str
    status: str
    manifest_digest: str
    updated_at: AwareDatetime


class ChildrenBrief(Model):
    total: int
    succeeded: int | None = 0
    failed: int


class ChildrenRead(Model):
    total: int
    ended: int
    succeeded: int
    failed: int


class Claim(Model):
    app: str
    replica: str
    release: str | None = None
    capacity: int | None = 10
    watch_capacity: int | None = 0
    wait: int | None = 20
    after: int | None = 0
    holds: list[str] | None = None
    watching: list[str] | None = None


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


class ColumnRead(Model):
    name: str
    title: str
    type: str


class ComponentBrief(Model):
    key: str
    desired: int


class ComponentRead(Model):
    key: str
    desired: int
    current: int
    ready: int
    health: str
    summary: str | None


class ComponentSeen(Model):
    health: Literal["healthy", "degraded", "unhealthy", "progressing", "unknown"]
    summary: str | None = None


class ConditionRead(Model):
    type: str
    status: bool
    reason: str | None = None
    who_acts: str | None = None


class ConditionSaid(Model):
    """Something about an instance that is so or is not."""

    type: str
    status: bool
    reason: str | None = None
    message: str | None = None


class ConfigureWrite(Model):
    config: dict[str, Any]
    plan: str | None = None


class ConsentGive(Model):
    consent: str


class CostRead(Model):
    """Held time at the list price: an estimate, not a bill."""

    label: str
    held_seconds: int
    price_micros_per_hour: int
    amount_micros: int
    currency: str


class CpuRead(Model):
    model: str | None
    threads: int | None


class CredentialRotation(Model):
    private_key: str | None = None
    overlap_hours: int | None = 24


class DeclarationAskRead(Model):
    """One thing that is asked for."""

    what: str
    value: str
    sentence: str


class DeclaredFamilyKeyRead(Model):
    key: str
    description: str | None
    roles: list[str]
    means: str | None
    admitted: bool


class DeclaredKeyRead(Model):
    """A permission key on the app, and who holds it once this is accepted."""

    key: str
    description: str | None
    roles: list[str]


class DeclaredProbeRead(Model):
    """A command that runs on machines to see how the app is."""

    name: str
    component: str
    command: list[str]


class DeclaredTouchRead(Model):
    operation: str
    components: list[str]


class DeclaredUseRead(Model):
    """An action or a view, and who can use it once this is accepted."""

    name: str
    title: str | None
    permission: str
    roles: list[str]


class DeclarationRead(Model):
    """What a version asks for."""

    families: list[str]
    keys: list[DeclaredKeyRead]
    family_keys: list[DeclaredFamilyKeyRead]
    scopes: list[str]
    touches: list[DeclaredTouchRead]
    secrets: list[str]
    task_kinds: list[str]
    run_as: list[str]
    actions: list[DeclaredUseRead]
    views: list[DeclaredUseRead]
    probes: list[DeclaredProbeRead]
    sentences: list[str]


class DecommissionWrite(Model):
    reason: str | None = ""
    preempt: bool | None = False
    keep_allocations: bool | None = False
    plan: str | None = None


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


class DeniedRead(Model):
    value: str
    layer: str


class DeviceCodeCreate(Model):
    client: str
    token_expires_in: int = Field(..., description="Seconds for which the token lives.")


class DeviceCodeIssued(Model):
    device_code: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    expires_in: int
    interval: int


class DeviceCodeRead(Model):
    client: str
    address: str
    status: str
    token_expires_in: int
    created_at: AwareDatetime
    expires_at: AwareDatetime


class DeviceTokenRead(Model):
    status: str
    token: str | None = None
    token_id: str | None = None
    expires_at: AwareDatetime | None = None
    user_id: str | None = None


class DeviceTokenRequest(Model):
    device_code: str
    wait: float | None = Field(0, description="Seconds to wait for a decision.")


class DrainRead(Model):
    """Who drained it. Only that side lets it work again."""

    owner: str
    reason: str | None


class EffectRead(Model):
    field: str
    effect: str


class EffectiveChoice(Model):
    """What all layers together leave of one dimension."""

    allow: list[str] | None
    allowed_by: list[str]
    deny: list[DeniedRead]


class EffectiveConstraint(Model):
    constraint: str
    layer: str


class EffectiveQuota(Model):
    limit: int
    layer: str


class EnrolmentCreate(Model):
    expires_in: int | None = None


class EnrolmentIssued(Model):
    id: str
    node_id: str
    created_by: str
    created_by_name: str | None
    created_at: AwareDatetime
    expires_at: AwareDatetime
    used_at: AwareDatetime | None
    revoked_at: AwareDatetime | None
    token: str
    line: str


class EnrolmentRead(Model):
    id: str
    node_id: str
    created_by: str
    created_by_name: str | None
    created_at: AwareDatetime
    expires_at: AwareDatetime
    used_at: AwareDatetime | None
    revoked_at: AwareDatetime | None


class EntitledVersion(Model):
    id: str
    number: str
    status: str


class EntitlementCreate(Model):
    app: str
    channel: Literal["dev", "staging", "prod"] | None = None
    versions: str | None = "*"
    consent: str | None = None


class EntitlementRead(Model):
    id: str
    org_id: str
    project_id: str
    app_id: str
    app_slug: str
    app_name: str | None
    channel: str | None
    versions: str
    enabled: bool
    accepted_digest: str
    accepted_version_id: str
    accepted_by: str
    accepted_by_name: str | None
    accepted_at: AwareDatetime
    your_permissions: list[str]
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class EntitlementUpdate(Model):
    channel: Literal["dev", "staging", "prod"] | Literal["none"] | None = None
    versions: str | None = None
    enabled: bool | None = None
    consent: str | None = None


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
    target_name: str | None
    outcome: str
    count: int
    break_glass: bool
    reason: str | None
    correlation_id: str
    app_slug: str | None
    app_instance_id: str | None
    details: dict[str, Any]


class ErrorRead(Model):
    code: str
    message: str
    log: list[str] | None = None


class ErrorReport(Model):
    code: str
    message: str
    log: list[str] | None = None


class EventsRead(Model):
    """
    Events in order.

    Ask again with `after` = `next`; nothing is missed and nothing comes twice.
    """

    items: list[CloudEvent]
    next: str


class EvidenceRead(Model):
    """Something that a host said, and when we heard it."""

    id: str
    kind: str
    said_at: AwareDatetime | None
    received_at: AwareDatetime
    data: dict[str, Any]


class FamilyKeyRead(Model):
    key: str
    description: str
    means: str | None


class FamilyKeyWrite(Model):
    key: str
    description: str
    means: str | None = None


class FamilyRead(Model):
    name: str
    description: str
    keys: list[FamilyKeyRead]
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class FamilyWrite(Model):
    """The family as it should be. Keys may be added and reworded, never taken away."""

    description: str
    keys: list[FamilyKeyWrite]


class FaultRead(Model):
    """One thing wrong with a request, and where it stands."""

    location: str
    message: str


class ForcedRelease(Model):
    reason: str


class GpuRead(Model):
    model: str | None
    memory_bytes: int | None


class GrantRead(Model):
    org_id: str
    org_slug: str
    org_name: str
    project_id: str | None
    project_slug: str | None
    project_name: str | None
    permissions: list[str]


class HardwareRead(Model):
    """What its agent says that it is made of, in short."""

    os: str | None
    cpu_model: str | None
    threads: int | None
    memory_bytes: int | None
    gpus: list[str]


class HeldBackRead(Model):
    """A version that the entitlement would rather come to, and the layer that keeps it back."""

    number: str
    layer: str
    sentence: str


class HintBrief(Model):
    """Something moved of an instance that you watch."""

    instance_id: str
    moved: list[str]


class HolderRead(Model):
    """Whose it is for now. What they do with it is theirs."""

    allocation_id: str
    org_id: str
    org_name: str


class HostRead(Model):
    """The node, as long as it is held. What its agent says is the host's own word."""

    reach: str
    reachable: bool | None
    unreachable_since: AwareDatetime | None
    last_seen_at: AwareDatetime | None
    addresses: list[str]
    ssh_port: int
    os: str | None
    cpu: CpuRead
    memory_bytes: int | None
    gpus: list[GpuRead]
    quarantined: bool


class InstanceSaid(Model):
    """What the controller knows of the instance. What is left out, stays."""

    endpoints: dict[str, Any] | None = None
    topology_mode: str | None = None
    runtime_version: str | None = None


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


class LastOperationRead(Model):
    id: str
    kind: str
    status: str
    message: str | None
    created_at: AwareDatetime
    ended_at: AwareDatetime | None


class LeaseRenew(Model):
    lease: int | None = 3600


class LimitedChannels(Model):
    """Channels by which a version may be used."""

    allow: list[str] | None = None
    deny: list[str] | None = None


class LimitedOperations(Model):
    """Kinds of operation. Those that give something back are not among them: none is refused."""

    allow: (
        list[
            Literal[
                "allocate",
                "artifact.pull",
                "instance.deploy",
                "instance.configure",
                "instance.upgrade",
                "instance.rollback",
                "instance.start",
                "instance.restart",
                "instance.repair",
                "member.add",
                "member.resume",
                "member.replace",
                "action",
                "credential.rotate",
                "node.session",
            ]
        ]
        | None
    ) = None
    deny: (
        list[
            Literal[
                "allocate",
                "artifact.pull",
                "instance.deploy",
                "instance.configure",
                "instance.upgrade",
                "instance.rollback",
                "instance.start",
                "instance.restart",
                "instance.repair",
                "member.add",
                "member.resume",
                "member.replace",
                "action",
                "credential.rotate",
                "node.session",
            ]
        ]
        | None
    ) = None


class LimitedRead(Model):
    allow: list[str] | None
    deny: list[str]


class LimitedSources(Model):
    """Sources of artifacts: `store`, a shared one's slug, or `<org>/<slug>`."""

    allow: list[str] | None = None
    deny: list[str] | None = None


class LimitedWords(Model):
    """Values to allow, and values to deny. A denied one is denied, whatever else is said."""

    allow: list[str] | None = None
    deny: list[str] | None = None


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


class MemberBrief(Model):
    """A member, as its controller knows it."""

    id: str
    name: str
    component: str
    status: str
    health: str
    allocation_id: str | None = None
    node_name: str | None = None
    host_address: str | None = None
    reachable: bool | None = False
    inventory: dict[str, Any] | None = None
    app_version: str | None = None
    runtime_version: str | None = None
    config_hash: str | None = None
    adapter_detail: dict[str, Any] | None = None
    replaces_id: str | None = None


class MemberRead(Model):
    id: str
    org_id: str
    project_id: str
    instance_id: str
    component: str
    name: str
    status: str
    status_reason: str | None
    health: str
    health_reasons: list[str]
    allocation_id: str | None
    node_name: str | None
    host_address: str | None
    source_project_id: str
    managed: bool
    keep_allocation: bool
    app_version: str
    runtime_version: str | None
    config_hash: str | None
    adapter_detail: dict[str, Any]
    drain: DrainRead | None
    replaces_id: str | None
    last_operation_id: str | None
    correlation_id: str
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime
    removed_at: AwareDatetime | None


class MemberSaid(Model):
    """What the controller knows of the member that it is at work on. What is left out, stays."""

    health: Literal["healthy", "degraded", "unhealthy", "unknown"] | None = None
    reasons: list[str] | None = None
    runtime_version: str | None = None
    config_hash: str | None = None
    adapter_detail: dict[str, Any] | None = None


class MemberSeen(Model):
    health: Literal["healthy", "degraded", "unhealthy", "unknown"]
    reasons: list[str] | None = None
    runtime_version: str | None = None
    adapter_detail: dict[str, Any] | None = None


class MembersAdd(Model):
    """More members of a component: on machines of yours, or on some that the platform allocates."""

    component: str
    allocations: list[str] | None = None
    count: int | None = None
    sku: str | None = None
    region: str | None = None
    keep_allocations: bool | None = False
    max_parallel: int | None = None
    failure_budget: int | None = None
    reason: str | None = "add members"


class MembersDrain(Model):
    """Let members take nothing new, and empty them."""

    members: list[str]
    max_parallel: int | None = None
    failure_budget: int | None = None
    reason: str
    policy: Literal["wait", "deadline", "force"] | None = "wait"
    deadline: int | None = None


class MembersRemove(Model):
    """Empty members, and take them out of the instance."""

    members: list[str]
    max_parallel: int | None = None
    failure_budget: int | None = None
    reason: str
    policy: Literal["wait", "deadline", "force"] | None = "wait"
    deadline: int | None = None
    lost: bool | None = False
    keep_allocations: bool | None = False


class MembersResume(Model):
    """Let drained members work again. Only the side that drained one may."""

    members: list[str]
    max_parallel: int | None = None
    failure_budget: int | None = None
    reason: str


class MembershipAdd(Model):
    email: str
    role: Literal["platform_admin", "tenant_admin", "project_admin", "project_member", "viewer"]


class MembershipRead(Model):
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


class MembershipUpdate(Model):
    role: Literal["platform_admin", "tenant_admin", "project_admin", "project_member", "viewer"]


class MomentRead(Model):
    """One thing that happened."""

    at: AwareDatetime
    kind: str
    id: str
    text: str
    status: str | None
    details: dict[str, Any]


class NextRead(Model):
    """Something that can be done about it."""

    verb: str
    operation_id: str
    text: str


class NodeAct(Model):
    """Why, for the record."""

    reason: str


class NodeAllocationRequest(Model):
    """One named node for a project, by those who run the platform."""

    project: str
    reason: str
    name: str | None = None
    scheduler_type: str | None = None
    metadata: dict[str, Any] | None = None


class NodeCreate(Model):
    name: str
    region: str
    sku: str
    reach: Literal["agent", "ssh"] | None = "agent"
    address: str | None = None
    ssh_port: int | None = None
    labels: dict[str, str] | None = None


class NodeBatchCreate(Model):
    nodes: list[NodeCreate]
    expires_in: int | None = None


class NodeRead(Model):
    id: str
    name: str
    region: str
    sku: str
    reach: str
    address: str | None
    ssh_port: int | None
    status: str
    status_reason: str | None
    status_since: AwareDatetime
    cordoned: bool
    allocation_id: str | None
    holder: HolderRead | None
    last_org_id: str | None
    generation: int
    reimage_requested_at: AwareDatetime | None
    enrolled_at: AwareDatetime | None
    reachable: bool | None
    unreachable_since: AwareDatetime | None
    last_seen_at: AwareDatetime | None
    hostname: str | None
    agent_version: str | None
    hardware: HardwareRead | None
    inventory: dict[str, Any] | None
    inventory_at: AwareDatetime | None
    labels: dict[str, str]
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class NodeAnnounced(Model):
    node: NodeRead
    enrolment: EnrolmentIssued | None


class NodeBatchRead(Model):
    items: list[NodeAnnounced]


class NodeUpdate(Model):
    name: str | None = None
    address: str | None = None
    ssh_port: int | None = None
    labels: dict[str, str] | None = None
    cordoned: bool | None = None


class Observed(Model):
    """What a look at an instance has shown. It sets health and conditions, never a state."""

    fence: int
    health: Literal["healthy", "degraded", "unhealthy", "progressing", "unknown"]
    reasons: list[str] | None = None
    conditions: list[ConditionSaid] | None = None
    endpoints: dict[str, Any] | None = None
    topology_mode: str | None = None
    runtime_version: str | None = None
    components: dict[str, ComponentSeen] | None = None
    members: dict[str, MemberSeen] | None = None
    fresh_for: int | None = None


class ObservedTaken(Model):
    """What stands now."""

    instance_id: str
    health: str
    observed_until: AwareDatetime | None


class OfferedApp(Model):
    id: str
    slug: str
    name: str
    summary: str
    org_id: str
    project_id: str


class OfferRead(Model):
    """What a project would be entitled to, and what its tenant would accept with it."""

    app: OfferedApp
    version: EntitledVersion
    channel: str | None
    versions: str
    consent: str
    declaration: DeclarationRead
    entitlement_id: str | None


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


class OperationEnd(Model):
    outcome: Literal["succeeded", "failed"]
    message: str | None = None


class OperationStepRead(Model):
    """An entry of the journal."""

    phase: str
    number: int
    name: str
    status: str
    attempt: int
    message: str | None
    result: Any
    no_return: bool
    started_at: AwareDatetime
    finished_at: AwareDatetime | None


class OperatorRead(Model):
    """Who acts for the instance."""

    id: str
    name: str
    serves: str
    listening: bool
    last_seen_at: AwareDatetime | None


class InstanceRead(Model):
    id: str
    org_id: str
    project_id: str
    app_id: str
    app_slug: str
    name: str
    status: str
    status_reason: str | None
    health: str
    health_reasons: list[str]
    conditions: list[ConditionRead]
    components: list[ComponentRead]
    version_id: str
    app_version: str
    runtime_version: str | None
    config: dict[str, Any]
    revision: int
    operating_mode: str
    control_plane_scope: str
    runtime_backend: str
    topology_mode: str | None
    endpoints: dict[str, Any]
    access: str | None
    operator: OperatorRead | None
    last_operation: LastOperationRead | None
    observed_at: AwareDatetime | None
    requested_by: str
    correlation_id: str
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime
    deleted_at: AwareDatetime | None


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


class Override(Model):
    """Going on with what is not trusted any more. Needs the permission policy.override."""

    reason: str


class ChangePlanWrite(Model):
    """What a change would do. What a kind does not take must be left out."""

    kind: Literal[
        "instance.configure",
        "instance.upgrade",
        "instance.rollback",
        "instance.stop",
        "instance.start",
        "instance.restart",
        "instance.decommission",
    ]
    config: dict[str, Any] | None = None
    version: str | None = None
    to_revision: int | None = None
    override: Override | None = None
    preempt: bool | None = False
    keep_allocations: bool | None = False


class MemberReplace(Model):
    """Another machine takes a member's place."""

    allocation: str | None = None
    sku: str | None = None
    region: str | None = None
    lost: bool | None = False
    policy: Literal["wait", "deadline", "force"] | None = "wait"
    deadline: int | None = None
    keep_allocations: bool | None = False
    override: Override | None = None
    reason: str


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


class PermissionDiffRead(Model):
    """What a version asks for, against what was accepted."""

    entitlement_id: str
    version: EntitledVersion
    consent: str
    consent_needed: bool
    wider: list[DeclarationAskRead]
    narrower: list[DeclarationAskRead]
    declaration: DeclarationRead


class PlacedRead(Model):
    """How nodes were chosen."""

    strategy: str
    considered: int
    free: int
    not_free: dict[str, int]


class PlacementRead(Model):
    """Why this node."""

    strategy: str
    why: str
    considered: int
    free: int


class AllocationRead(Model):
    id: str
    org_id: str
    project_id: str
    name: str
    status: str
    message: str | None
    dirty: list[str]
    region: str
    sku: str
    gpus: int
    node_name: str
    node: HostRead | None
    placement: PlacementRead
    scheduler_type: str | None
    metadata: dict[str, Any]
    requested_by: str
    requested_by_name: str | None
    instance_id: str | None
    instance_name: str | None
    setup_operation_id: str | None
    release_operation_id: str | None
    held_from: AwareDatetime | None
    held_until: AwareDatetime | None
    cost: CostRead
    correlation_id: str
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class AllocationsPlaced(Model):
    allocations: list[AllocationRead]
    placement: PlacedRead


class PlacementWrite(Model):
    """Machines for the members of one component: named ones, or so many of a SKU in a region."""

    allocations: list[str] | None = None
    count: int | None = None
    sku: str | None = None
    region: str | None = None
    keep_allocations: bool | None = False


class DeployPlanWrite(Model):
    """What a deployment would do."""

    name: str
    app: str
    version: str | None = None
    channel: str | None = None
    config: dict[str, Any] | None = None
    operator: str
    operating_mode: str | None = None
    control_plane_scope: Literal["project", "tenant", "platform"] | None = "project"
    components: dict[str, PlacementWrite] | None = None
    max_parallel: int | None = 10
    kind: Literal["instance.deploy"] = "instance.deploy"


class InstanceCreate(Model):
    name: str
    app: str
    version: str | None = None
    channel: str | None = None
    config: dict[str, Any] | None = None
    operator: str
    operating_mode: str | None = None
    control_plane_scope: Literal["project", "tenant", "platform"] | None = "project"
    components: dict[str, PlacementWrite] | None = None
    max_parallel: int | None = 10
    plan: str | None = None


class PlanCostRead(Model):
    """Held time at the list price: an estimate, not a bill."""

    label: str
    currency: str
    before_micros_per_hour: int
    after_micros_per_hour: int


class PlanVerdictRead(Model):
    layer: str
    allowed: bool | None
    sentence: str
    who_can_change: str | None


class PolicyQuestion(Model):
    """What somebody would like to do. What is left out is not judged."""

    project: str
    app: str | None = None
    operation: (
        Literal[
            "allocate",
            "artifact.pull",
            "instance.deploy",
            "instance.configure",
            "instance.upgrade",
            "instance.rollback",
            "instance.start",
            "instance.restart",
            "instance.repair",
            "member.add",
            "member.resume",
            "member.replace",
            "action",
            "credential.rotate",
            "node.session",
        ]
        | Literal[
            "release",
            "instance.stop",
            "instance.decommission",
            "member.drain",
            "member.remove",
            "operation.cancel",
        ]
    )
    version: str | None = None
    channel: str | None = None
    artifact: str | None = None
    region: str | None = None
    sku: str | None = None
    artifact_sources: list[str] | None = None
    instances: int | None = None
    members: int | None = None
    allocations: int | None = None
    gpus: int | None = None


class PolicyRead(Model):
    allowed: bool
    verdicts: list[PlanVerdictRead]


class PreviousBrief(Model):
    """What the instance was before the change that is under way."""

    app_version: str
    config: dict[str, Any]


class ChangeBrief(Model):
    """
    What an operation makes of its instance. For the operation, each field of it is in the place
    of the instance's own.
    """

    app_version: str
    version_id: str
    config: dict[str, Any]
    revision: int
    previous: PreviousBrief
    artifacts: list[ArtifactBrief]


class InstanceBrief(Model):
    """An instance, as its controller knows it."""

    id: str
    name: str
    org_id: str
    project_id: str
    app_slug: str
    app_version: str
    version_id: str
    previous: PreviousBrief | None = None
    config: dict[str, Any]
    revision: int
    status: str
    operating_mode: str
    runtime_backend: str
    endpoints: dict[str, Any] | None = None
    artifacts: list[ArtifactBrief] | None = None
    components: list[ComponentBrief] | None = None
    members: list[MemberBrief] | None = None
    members_complete: bool | None = True


class PrincipalRead(Model):
    """Somebody who may be on the machines of an instance."""

    login: str
    uid: int
    user_id: str
    name: str
    roles: list[str]
    projects: list[str]


class Principals(Model):
    items: list[PrincipalRead]


class ProbeTask(Model):
    """A probe that a machine is to run."""

    id: str
    status: str
    key: str
    allocation_id: str


class ProbeWish(Model):
    name: str
    member: str


class ProbesCreate(Model):
    fence: int
    probes: list[ProbeWish]


class ProbesTaken(Model):
    tasks: list[ProbeTask]


class Problem(Model):
    """RFC 9457 problem document."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    correlation_id: str
    errors: list[FaultRead]
    resource_id: str | None = None


class EntryTaken(Model):
    """How an operation stands after your report of it."""

    operation: str
    problem: Problem | None = None
    status: str | None = None
    direction: str | None = None
    fence: int | None = None
    sequence: int | None = None
    lease_expires_at: AwareDatetime | None = None
    cancel_requested: bool | None = None
    cancel_reason: str | None = None


class ProgressRead(Model):
    done: int
    total: int


class ProgressReport(Model):
    done: int
    total: int


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


class PromotionCreate(Model):
    channel: Literal["dev", "staging", "prod"]
    version: str
    reason: str | None = None


class PromotionRead(Model):
    id: str
    app_id: str
    channel: str
    sequence: int
    version_id: str | None
    number: str | None
    manifest_digest: str | None
    previous_version_id: str | None
    at: AwareDatetime
    actor_kind: str | None
    actor_id: str | None
    actor_name: str | None
    correlation_id: str | None
    reason: str | None


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


class PublisherKeyRead(Model):
    id: str
    org_id: str
    project_id: str
    name: str
    public_key: dict[str, str]
    revoked: bool
    revoked_at: AwareDatetime | None
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class PublisherPublicKey(Model):
    """An Ed25519 public key as a JWK."""

    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    x: str


class PublisherKeyCreate(Model):
    name: str
    public_key: PublisherPublicKey
    proof: str | None = None


class PullCreate(Model):
    app: str
    version: str | None = None
    channel: Literal["dev", "staging", "prod"] | None = None
    artifact: str


class PullSignature(Model):
    """A signature of the artifact's publisher, and the key to check it with."""

    key_id: str
    public_key: dict[str, str]
    signature: str


class PullIssued(Model):
    id: str
    org_id: str
    project_id: str
    app_id: str
    version_id: str
    version: str
    artifact_id: str
    artifact: str
    digest: str
    size: int
    media_type: str
    signatures: list[PullSignature]
    holder: str
    created_at: AwareDatetime
    expires_at: AwareDatetime
    url: str
    secret: str


class Quotas(Model):
    """The most that may be in use at a time in the place of the layer."""

    instances: int | None = None
    members: int | None = None
    allocations: int | None = None
    gpus: int | None = None
    concurrent_operations: int | None = None


class OverlayDocument(Model):
    """What a layer limits. What it does not name, it does not limit."""

    operations: LimitedOperations | None = None
    channels: LimitedChannels | None = None
    artifact_sources: LimitedSources | None = None
    regions: LimitedWords | None = None
    skus: LimitedWords | None = None
    versions: dict[str, str] | None = None
    quotas: Quotas | None = None


class OverlayWrite(Model):
    """The whole layer, in place of what it said before."""

    document: OverlayDocument


class QuotasRead(Model):
    instances: int | None = None
    members: int | None = None
    allocations: int | None = None
    gpus: int | None = None
    concurrent_operations: int | None = None


class DocumentRead(Model):
    """What a layer limits. Null: nothing."""

    operations: LimitedRead | None = None
    channels: LimitedRead | None = None
    artifact_sources: LimitedRead | None = None
    regions: LimitedRead | None = None
    skus: LimitedRead | None = None
    versions: dict[str, str] | None = None
    quotas: QuotasRead | None = None


class LayerRead(Model):
    level: str
    version: int
    document: DocumentRead


class EffectivePolicyRead(Model):
    """What all layers above and in a project leave, and which layer each limit comes from."""

    project_id: str
    operations: EffectiveChoice | None
    channels: EffectiveChoice | None
    artifact_sources: EffectiveChoice | None
    regions: EffectiveChoice | None
    skus: EffectiveChoice | None
    versions: dict[str, list[EffectiveConstraint]]
    quotas: dict[str, EffectiveQuota]
    layers: list[LayerRead]


class OverlayRead(Model):
    id: str | None
    level: str
    org_id: str
    project_id: str | None
    entitlement_id: str | None
    document: DocumentRead
    version: int
    updated_at: AwareDatetime | None


class OverlayWritten(Model):
    """The layer as it is now, and what it takes away from those below it."""

    id: str | None
    level: str
    org_id: str
    project_id: str | None
    entitlement_id: str | None
    document: DocumentRead
    version: int
    updated_at: AwareDatetime | None
    breaks: BreaksRead
    notes: list[str]


class Received(Model):
    received: int


class RegionCreate(Model):
    slug: str
    name: str


class RegionRead(Model):
    id: str
    slug: str
    name: str
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime
    retired_at: AwareDatetime | None


class RegionUpdate(Model):
    name: str | None = None
    retired: bool | None = None


class RepairRequest(Model):
    fence: int
    reason: str
    members: list[str] | None = None


class RepairTaken(Model):
    """The repair that was asked for. It comes to you by a claim."""

    id: str
    kind: str
    status: str


class RepairWrite(Model):
    reason: str
    members: list[str] | None = None


class ReplicaBrief(Model):
    id: str
    lease_expires_at: AwareDatetime
    lease_seconds: int


class ReportTaken(Model):
    """How the operation stands now. The lease is renewed."""

    status: str
    direction: str
    fence: int
    sequence: int
    lease_expires_at: AwareDatetime | None
    cancel_requested: bool
    cancel_reason: str | None


class ReportsTaken(Model):
    """In the order of the request."""

    reports: list[EntryTaken]


class RequesterBrief(Model):
    kind: str
    id: str
    name: str


class ResidueRead(Model):
    """What could not be taken back, or nobody knows."""

    what: str
    where: str | None
    why: str


class OperationRead(Model):
    id: str
    org_id: str
    project_id: str
    kind: str
    status: str
    reason: str
    message: str | None
    requested_by_kind: str
    requested_by: str
    requested_by_name: str
    fence: int
    allocations: list[str]
    lease_expires_at: AwareDatetime | None
    deadline: AwareDatetime | None
    correlation_id: str
    app_slug: str | None
    instance_id: str | None
    instance_name: str | None
    member_id: str | None
    member_name: str | None
    parent_id: str | None
    operator_id: str | None
    action: str | None
    input: dict[str, Any] | None
    phase: str | None
    children: ChildrenRead | None
    direction: str
    attempt: int
    progress: ProgressRead | None
    error: ErrorRead | None
    result: Any
    residue: list[ResidueRead]
    recovery: str | None
    no_return: bool
    verbs: list[str]
    cancel_requested_at: AwareDatetime | None
    cancel_reason: str | None
    due_at: AwareDatetime | None
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime
    ended_at: AwareDatetime | None


class ResidueReport(Model):
    """What could not be taken back."""

    what: str
    where: str
    why: str


class ResolvedVersion(Model):
    id: str
    number: str
    manifest_digest: str


class RestartWrite(Model):
    reason: str | None = ""
    plan: str | None = None


class RevisionRead(Model):
    number: int
    version_id: str
    app_version: str
    config: dict[str, Any]
    kind: str
    operation_id: str
    outcome: str
    created_by: str
    created_by_name: str | None
    created_at: AwareDatetime


class Revocation(Model):
    reason: str


class RoleRead(Model):
    role: str
    description: str
    levels: list[str]
    permissions: list[str]


class RolesRead(Model):
    items: list[RoleRead]


class RollbackWrite(Model):
    to_revision: int | None = None
    accept_losses: bool | None = False
    override: Override | None = None
    policy: Literal["wait", "deadline", "force"] | None = "wait"
    deadline: int | None = None
    plan: str | None = None


class RotateWrite(Model):
    reason: str


class RuntimeSecretCreate(Model):
    """
    A secret for the operation's tasks. Its value goes to nodes and to nobody else.

    An app's secret is its instance's. Where that has one of this name, it stays as it is.
    """

    name: str
    purpose: Literal["artifact_pull", "cluster_key", "join", "database"]
    value: str | None = None
    encoding: Literal["text", "base64"] | None = "text"
    generate: int | None = None
    expires_in: int | None = None
    rotate: bool | None = False


class RuntimeSecretRead(Model):
    id: str
    org_id: str
    project_id: str
    operation_id: str
    name: str
    purpose: str
    instance_id: str | None
    generation: int
    expires_at: AwareDatetime | None
    version: int
    created_at: AwareDatetime


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


class SessionCreate(Model):
    """An admin's work on machines that the project holds."""

    allocations: list[str]
    reason: str
    lease: int | None = 3600


class SessionIssued(Model):
    id: str
    org_id: str
    project_id: str
    kind: str
    status: str
    reason: str
    message: str | None
    requested_by_kind: str
    requested_by: str
    requested_by_name: str
    fence: int
    allocations: list[str]
    lease_expires_at: AwareDatetime | None
    deadline: AwareDatetime | None
    correlation_id: str
    app_slug: str | None
    instance_id: str | None
    instance_name: str | None
    member_id: str | None
    member_name: str | None
    parent_id: str | None
    operator_id: str | None
    action: str | None
    input: dict[str, Any] | None
    phase: str | None
    children: ChildrenRead | None
    direction: str
    attempt: int
    progress: ProgressRead | None
    error: ErrorRead | None
    result: Any
    residue: list[ResidueRead]
    recovery: str | None
    no_return: bool
    verbs: list[str]
    cancel_requested_at: AwareDatetime | None
    cancel_reason: str | None
    due_at: AwareDatetime | None
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime
    ended_at: AwareDatetime | None
    token: str


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


class SignatureCreate(Model):
    key: str
    signature: str


class SignatureRead(Model):
    artifact_id: str
    key_id: str
    public_key: dict[str, str]
    signature: str
    created_at: AwareDatetime
    revoked_at: AwareDatetime | None


class SkuCreate(Model):
    """A class of machines. What they are made of stays as it is: another shape is another SKU."""

    slug: str
    name: str
    cpus: int
    memory_bytes: int
    gpu_model: str | None = None
    gpus: int | None = 0
    price_micros: int
    currency: str


class SkuRead(Model):
    id: str
    slug: str
    name: str
    cpus: int
    memory_bytes: int
    gpu_model: str | None
    gpus: int
    price_micros: int
    currency: str
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime
    retired_at: AwareDatetime | None


class SkuUpdate(Model):
    name: str | None = None
    price_micros: int | None = None
    retired: bool | None = None


class SourceCredential(Model):
    """A user name with its password, or a token."""

    username: str | None = None
    password: str | None = None
    token: str | None = None


class SourceCreate(Model):
    slug: str
    name: str
    kind: Literal["oci", "https"]
    url: str = Field(..., description="https, with no user name, no query and no fragment.")
    token_url: str | None = None
    credential: SourceCredential | None = None
    enabled: bool | None = True


class SourceRead(Model):
    id: str
    org_id: str
    slug: str
    policy_name: str
    name: str
    kind: str
    url: str
    token_url: str | None
    has_credential: bool
    shared: bool
    enabled: bool
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class SourceUpdate(Model):
    """What is left out stays as it is. The kind stays: artifacts are addressed by it."""

    name: str | None = None
    url: str | None = None
    token_url: str | None = None
    credential: SourceCredential | None = None
    clear: list[Literal["credential", "token_url"]] | None = None
    enabled: bool | None = None


class SshAuthorityRead(Model):
    id: str
    public_key: str
    fingerprint: str
    created_at: AwareDatetime
    retired_at: AwareDatetime | None


class SshAuthorityRotate(Model):
    reason: str
    at_once: bool | None = False


class SshCertificateCreate(Model):
    public_key: str


class SshCertificateRead(Model):
    certificate: str
    serial: int
    key_id: str
    principal: str
    expires_at: AwareDatetime
    grant_id: str
    login: str
    node_name: str
    addresses: list[str]
    port: int
    host_keys: list[str]


class SshHostConfirm(Model):
    fingerprint: str


class SshHostRead(Model):
    allocation_id: str
    credential_id: str | None
    address: str
    port: int
    state: str
    offered_fingerprint: str | None
    offered_at: AwareDatetime | None
    host_fingerprint: str | None
    confirmed_at: AwareDatetime | None
    confirmed_by: str | None
    problem: str | None
    version: int


class SshHostWrite(Model):
    credential: str


class StartWrite(Model):
    reason: str | None = ""
    plan: str | None = None


class StatusRead(Model):
    status: str
    version: str


class StepBrief(Model):
    """An entry of an operation's journal."""

    phase: str
    number: int
    name: str
    status: str
    attempt: int
    undo: dict[str, Any] | None
    no_return: bool
    message: str | None
    result: Any


class OperationBrief(Model):
    """An operation that is yours, and everything that you need to do it."""

    id: str
    kind: str
    action: str | None
    phase: str | None
    direction: str
    attempt: int
    fence: int
    grant: str
    handout: int
    lease_expires_at: AwareDatetime
    deadline: AwareDatetime | None
    input: dict[str, Any]
    reason: str
    correlation_id: str
    traceparent: str | None
    parent_id: str | None
    cancel_requested: bool
    no_return: bool
    sequence: int
    requested_by: RequesterBrief
    steps: list[StepBrief]
    instance_id: str
    change: ChangeBrief | None
    member: MemberBrief | None
    member_ids: list[str]
    members: list[MemberBrief]
    children: ChildrenBrief | None
    batch: list[str] | None = None


class StepProof(Model):
    """What a node said of one of the platform's own tasks. Evidence, not proof against its root."""

    task_id: str
    status: str
    at: AwareDatetime | None
    result: dict[str, Any]
    error: str | None


class EvidencePage(Model):
    """
    What is known of a held host: how it was made ready, how it was cleaned, who came in.

    Ask again with `after` = `next` until `next` is null.
    """

    setup: StepProof | None
    wipe: StepProof | None
    probe: StepProof | None
    items: list[EvidenceRead]
    next: str | None


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


class StepsRead(Model):
    items: list[OperationStepRead]


class StopWrite(Model):
    reason: str | None = ""
    preempt: bool | None = False
    plan: str | None = None


class TaskCreate(Model):
    """One thing to do on one machine."""

    key: str
    kind: Literal["exec", "put", "get", "packages", "service", "access-sync", "probe", "wipe"]
    allocation: str
    input: dict[str, Any]
    run_as: str | None = "root"
    timeout: int | None = 600
    output_limit: int | None = None
    attempt: int | None = 1
    repeatable: bool | None = False


class TaskRead(Model):
    id: str
    org_id: str
    project_id: str
    operation_id: str
    allocation_id: str
    node_name: str | None
    kind: str
    key: str
    attempt: int
    fence: int
    run_as: str
    timeout_seconds: int
    output_limit: int
    repeatable: bool
    status: str
    cancel_requested_at: AwareDatetime | None
    sent_at: AwareDatetime | None
    started_at: AwareDatetime | None
    ended_at: AwareDatetime | None
    changed: bool | None
    result: dict[str, Any] | None
    error_code: str | None
    error_message: str | None
    stdout_bytes: int
    stderr_bytes: int
    content_bytes: int
    late: dict[str, Any] | None
    correlation_id: str
    version: int
    created_at: AwareDatetime


class TaskPageRead(Model):
    """One page of an operation's tasks. Ask again with `after` = `next` until `next` is null."""

    items: list[TaskRead]
    next: str | None
    open: int


class TasksCreate(Model):
    """All are taken, or none."""

    tasks: list[TaskCreate]


class TasksRead(Model):
    tasks: list[TaskRead]


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


class TouchedRead(Model):
    id: str | None
    name: str
    component: str
    does: str


class PlanRead(Model):
    id: str
    project_id: str
    instance_id: str | None
    kind: str
    app_version: str
    config: dict[str, Any]
    changes: list[EffectRead]
    effect: str
    members: list[TouchedRead]
    members_total: int
    policy: PolicyRead
    cost: list[PlanCostRead]
    loses: list[str]
    created_by: str
    created_by_name: str | None
    expires_at: AwareDatetime
    applied_operation_id: str | None
    correlation_id: str
    version: int
    created_at: AwareDatetime


class TriageLayerRead(Model):
    """What one layer of policy says to it now."""

    layer: str
    allowed: bool | None
    sentence: str
    who_can_change: str | None


class TriageOpen(Model):
    org: str
    reason: str


class TriageRead(Model):
    correlation_id: str
    cause: CauseRead | None
    next: list[NextRead]
    policy: list[TriageLayerRead]
    operations: list[OperationRead]
    timeline: list[MomentRead]


class UndoReport(Model):
    """The registered function that takes a step back, so that any replica can run it."""

    function: str
    arguments: list[Any] | None = None


class StepReport(Model):
    """An entry of the journal. Written before the step begins, and again at its end."""

    phase: Literal["run", "prepare", "finish"] | None = "run"
    number: int
    name: str
    status: Literal["running", "succeeded", "failed", "undoing", "undone", "undo_failed"]
    attempt: int | None = 1
    message: str | None = None
    result: Any | None = None
    undo: UndoReport | None = None
    no_return: bool | None = False


class UnixLoginCreate(Model):
    user: str
    login: str | None = None


class UnixLoginRead(Model):
    id: str
    org_id: str
    user_id: str
    login: str
    uid: int
    created_at: AwareDatetime


class UpgradeWrite(Model):
    version: str
    config: dict[str, Any] | None = None
    plan: str | None = None


class UsageSaid(Model):
    """Something that the app counted."""

    meter: str
    key: str
    quantity: float
    from_at: AwareDatetime
    until_at: AwareDatetime
    project: str | None = None


class UsageReport(Model):
    fence: int
    records: list[UsageSaid]


class UsageTaken(Model):
    recorded: int
    repeated: int


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


class VerbCreate(Model):
    """A person's word on an operation."""

    reason: str


class VerdictRead(Model):
    layer: str
    allowed: bool | None
    sentence: str
    dimension: str | None
    value: str | None
    who_can_change: str | None


class DecisionRead(Model):
    allowed: bool
    version: ResolvedVersion | None
    held_back: HeldBackRead | None
    verdicts: list[VerdictRead]


class VersionArtifact(Model):
    name: str
    digest: str
    size: int
    media_type: str
    artifact_id: str | None
    lifecycle: str | None
    trust: str | None


class VersionDeprecate(Model):
    note: str


class VersionDetail(Model):
    id: str
    app_id: str
    number: str
    status: str
    manifest_digest: str
    declaration_digest: str
    note: str | None
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime
    published_at: AwareDatetime | None
    deprecated_at: AwareDatetime | None
    retired_at: AwareDatetime | None
    manifest_text: str
    manifest: dict[str, Any]
    declaration: dict[str, Any]
    runbook: str
    artifacts: list[VersionArtifact]
    channels: list[str]


class VersionPublish(Model):
    manifest_digest: str | None = None


class VersionRead(Model):
    id: str
    app_id: str
    number: str
    status: str
    manifest_digest: str
    declaration_digest: str
    note: str | None
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime
    published_at: AwareDatetime | None
    deprecated_at: AwareDatetime | None
    retired_at: AwareDatetime | None


class VersionRetire(Model):
    reason: str


class VersionWrite(Model):
    manifest: str
    runbook: str | None = ""


class ViewPut(Model):
    fence: int
    generation: int
    upserts: list[dict[str, Any]] | None = None
    deletes: list[str] | None = None
    complete: bool | None = False
    total: int | None = None


class ViewRead(Model):
    instance_id: str
    name: str
    title: str
    columns: list[ColumnRead]
    key: str
    permission: str
    readable: bool
    observed_at: AwareDatetime | None
    generation: int
    row_count: int
    total: int
    truncated: bool


class ViewList(Model):
    items: list[ViewRead]


class ViewRowRead(Model):
    key: str
    data: dict[str, Any]


class ViewPage(Model):
    view: ViewRead
    items: list[ViewRowRead]
    next: str | None


class ViewState(Model):
    """What was made of what you sent."""

    generation: int
    row_count: int
    total: int
    truncated: bool


class WaitReport(Model):
    """It gives its lease back for so long, or until one of the hints comes."""

    seconds: float | None = None
    hints: list[str] | None = None
    retry: bool | None = False


class ReportCreate(Model):
    """What has become of an operation since the last report. It renews the lease."""

    fence: int
    sequence: int
    state: Literal["running", "undoing", "waiting", "blocked", "succeeded", "failed", "cancelled"]
    steps: list[StepReport] | None = None
    message: str | None = None
    progress: ProgressReport | None = None
    member: MemberSaid | None = None
    instance: InstanceSaid | None = None
    wait: WaitReport | None = None
    result: Any | None = None
    residue: list[ResidueReport] | None = None
    error: ErrorReport | None = None
    recovery: Literal["retryable", "reconcilable", "repairable", "operator", "terminal"] | None = (
        "operator"
    )


class ReportEntry(Model):
    """One report of several."""

    fence: int
    sequence: int
    state: Literal["running", "undoing", "waiting", "blocked", "succeeded", "failed", "cancelled"]
    steps: list[StepReport] | None = None
    message: str | None = None
    progress: ProgressReport | None = None
    member: MemberSaid | None = None
    instance: InstanceSaid | None = None
    wait: WaitReport | None = None
    result: Any | None = None
    residue: list[ResidueReport] | None = None
    error: ErrorReport | None = None
    recovery: Literal["retryable", "reconcilable", "repairable", "operator", "terminal"] | None = (
        "operator"
    )
    operation: str
    grant: str


class Reports(Model):
    reports: list[ReportEntry]


class WaitingVersion(Model):
    id: str
    number: str
    status: str
    consent: str


class EntitlementDetail(Model):
    id: str
    org_id: str
    project_id: str
    app_id: str
    app_slug: str
    app_name: str | None
    channel: str | None
    versions: str
    enabled: bool
    accepted_digest: str
    accepted_version_id: str
    accepted_by: str
    accepted_by_name: str | None
    accepted_at: AwareDatetime
    your_permissions: list[str]
    version: int
    created_at: AwareDatetime
    updated_at: AwareDatetime
    resolved: EntitledVersion | None
    waiting: WaitingVersion | None


class WatchBrief(Model):
    """An instance that is yours to look after."""

    instance_id: str
    grant: str
    fence: int
    handout: int


class Claimed(Model):
    replica: ReplicaBrief
    next: int
    instances: list[InstanceBrief]
    operations: list[OperationBrief]
    watches: list[WatchBrief]
    hints: list[HintBrief]
    cancels: list[CancelBrief]
    lost: list[str]
    lost_watches: list[str]


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
