"""Wire shapes of entitlements."""

from typing import Annotated, Literal

from pydantic import StringConstraints

from moorage_core.kit.ids import AppId, AppVersionId, EntitlementId, OrgId, ProjectId
from moorage_core.kit.wire import Input, Moment, Output

Channel = Literal["dev", "staging", "prod"]
VersionsText = Annotated[str, StringConstraints(min_length=1, max_length=128)]
"""A constraint on version numbers: `^1.2`, `~1.2.3`, `>=1.4 <2`, `1.2.x`, `1.2.3` or `*`."""
ConsentDigest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
"""The digest of what is accepted: `consent` of the offer, or of the difference, that you read."""


class EntitlementCreate(Input):
    app: AppId
    channel: Channel | None = None
    """Use what the publisher promotes there. Null: the newest published version."""
    versions: VersionsText = "*"
    consent: ConsentDigest | None = None
    """The `consent` of the offer that you read."""


class EntitlementUpdate(Input):
    channel: Channel | Literal["none"] | None = None
    """`none` takes the channel away: from then on, the newest published version."""
    versions: VersionsText | None = None
    enabled: bool | None = None
    consent: ConsentDigest | None = None
    """Needed where the change leads to a version that asks for more than was accepted."""


class ConsentGive(Input):
    consent: ConsentDigest


class DeclaredKeyRead(Output):
    """A permission key on the app, and who holds it once this is accepted."""

    key: str
    description: str | None
    """In the words of whoever declared it: the publisher, or the platform for a family's key."""
    roles: list[str]


class DeclaredFamilyKeyRead(DeclaredKeyRead):
    means: str | None
    """The platform's own key that it stands for, on this app."""
    admitted: bool
    """Whether the platform lets the app use it. If not, nobody holds it."""


class DeclaredTouchRead(Output):
    operation: str
    components: list[str]


class DeclaredUseRead(Output):
    """An action or a view, and who can use it once this is accepted."""

    name: str
    title: str | None
    """In the publisher's words."""
    permission: str
    """The key that it takes."""
    roles: list[str]
    """Who holds that key by default."""


class DeclaredProbeRead(Output):
    """A command that runs on machines to see how the app is."""

    name: str
    component: str
    command: list[str]


class DeclarationAskRead(Output):
    """One thing that is asked for."""

    what: str
    value: str
    sentence: str


class DeclarationRead(Output):
    """What a version asks for."""

    families: list[str]
    keys: list[DeclaredKeyRead]
    family_keys: list[DeclaredFamilyKeyRead]
    scopes: list[str]
    touches: list[DeclaredTouchRead]
    """Whose members an operation may run tasks on, beyond its own target."""
    secrets: list[str]
    task_kinds: list[str]
    run_as: list[str]
    actions: list[DeclaredUseRead]
    views: list[DeclaredUseRead]
    probes: list[DeclaredProbeRead]
    sentences: list[str]
    """All of it, for people."""


class EntitledVersion(Output):
    id: AppVersionId
    number: str
    status: str


class WaitingVersion(EntitledVersion):
    consent: str
    """Its digest: what to send to accept it."""


class OfferedApp(Output):
    id: AppId
    slug: str
    name: str
    summary: str
    org_id: OrgId
    project_id: ProjectId


class OfferRead(Output):
    """What a project would be entitled to, and what its tenant would accept with it."""

    app: OfferedApp
    version: EntitledVersion
    channel: Channel | None
    versions: str
    consent: str
    """Send it when you create the entitlement: it says that you saw this."""
    declaration: DeclarationRead
    entitlement_id: EntitlementId | None
    """The project's entitlement to the app, where there is one."""


class EntitlementRead(Output):
    id: EntitlementId
    org_id: OrgId
    project_id: ProjectId
    app_id: AppId
    app_slug: str
    app_name: str | None
    """Null where its publisher no longer shows it."""
    channel: Channel | None
    versions: str
    enabled: bool
    accepted_digest: str
    """The digest of the declaration that was accepted."""
    accepted_version_id: AppVersionId
    accepted_by: str
    accepted_by_name: str | None
    accepted_at: Moment
    your_permissions: list[str]
    """The app's keys that you hold in this project."""
    version: int
    created_at: Moment
    updated_at: Moment


class EntitlementDetail(EntitlementRead):
    resolved: EntitledVersion | None
    """The version that is used now. Null: none within what was accepted."""
    waiting: WaitingVersion | None
    """A version that would be used, if a tenant admin accepted what it asks for."""


class PermissionDiffRead(Output):
    """What a version asks for, against what was accepted."""

    entitlement_id: EntitlementId
    version: EntitledVersion
    consent: str
    """The digest of what the version asks for."""
    consent_needed: bool
    wider: list[DeclarationAskRead]
    """What it asks for beyond what was accepted. Empty: it can be used without consent."""
    narrower: list[DeclarationAskRead]
    """What was accepted and it does without."""
    declaration: DeclarationRead
