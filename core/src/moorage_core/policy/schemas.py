"""Wire shapes of layers, effective policy and decisions."""

import re
from typing import Annotated, Any, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
)
from pydantic_core import PydanticCustomError

from moorage_core.kit.ids import (
    AppId,
    AppVersionId,
    EntitlementId,
    OrgId,
    OverlayId,
    ProjectId,
)
from moorage_core.kit.wire import WHOLE, Input, Moment, Output
from moorage_core.policy.models import (
    Growing,
    Kind,
    LayerName,
    Level,
    OperationKind,
    OverlayRow,
    Shrinking,
)

MOST = 200
Word = Annotated[str, StringConstraints(max_length=100, pattern=r"^[a-z0-9]+(-+[a-z0-9]+)*$")]
"""Lower case throughout: a word in another case would be kept and never match."""
SourceName = Annotated[
    str,
    StringConstraints(
        max_length=100, pattern=r"^[a-z0-9]+(-+[a-z0-9]+)*(/[a-z0-9]+(-+[a-z0-9]+)*)?$"
    ),
]
Channel = Annotated[str, StringConstraints(pattern="^(dev|staging|prod)$")]
APP_SLUG = re.compile(r"[a-z][a-z0-9-]{0,38}[a-z0-9]")
Amount = Annotated[int, Field(ge=0, le=1_000_000_000), WHOLE]
Words = Annotated[list[Word], Field(max_length=MOST)]
Channels = Annotated[list[Channel], Field(max_length=3)]
SourceNames = Annotated[list[SourceName], Field(max_length=MOST)]
SHRINKING = frozenset[object](get_args(Shrinking))


def _can_be_refused(kind: object) -> object:
    """Says of a kind that gives something back why it is not among those to choose from."""
    if isinstance(kind, str) and kind in SHRINKING:
        sentence = "{kind} gives something back: no layer can refuse it"
        raise PydanticCustomError("shrinking", sentence, {"kind": kind})
    return kind


Operations = Annotated[
    list[Annotated[Growing, BeforeValidator(_can_be_refused)]], Field(max_length=50)
]

OPEN = ConfigDict(extra="allow", strict=True, json_schema_extra={"additionalProperties": False})
"""What is not known is refused by a rule that names what there is, not as a slip of the pen."""


class LimitedWords(Input):
    """Values to allow, and values to deny. A denied one is denied, whatever else is said."""

    allow: Words | None = None
    """Only these. Null: all that are not denied."""
    deny: Words = Field(default_factory=list)


class LimitedSources(Input):
    """Sources of artifacts: `store`, a shared one's slug, or `<org>/<slug>`."""

    allow: SourceNames | None = None
    """Only these. Null: all that are not denied."""
    deny: SourceNames = Field(default_factory=list)


class LimitedChannels(Input):
    """Channels by which a version may be used."""

    allow: Channels | None = None
    deny: Channels = Field(default_factory=list)


class LimitedOperations(Input):
    """Kinds of operation. Those that give something back are not among them: none is refused."""

    allow: Operations | None = None
    deny: Operations = Field(default_factory=list)


class Quotas(BaseModel):
    """The most that may be in use at a time in the place of the layer."""

    model_config = OPEN

    instances: Amount | None = None
    members: Amount | None = None
    allocations: Amount | None = None
    gpus: Amount | None = None
    concurrent_operations: Amount | None = None


class OverlayDocument(BaseModel):
    """What a layer limits. What it does not name, it does not limit."""

    model_config = OPEN

    operations: LimitedOperations | None = None
    channels: LimitedChannels | None = None
    artifact_sources: LimitedSources | None = None
    regions: LimitedWords | None = None
    skus: LimitedWords | None = None
    versions: Annotated[dict[str, str], Field(max_length=MOST)] | None = None
    """Constraints by the slug of an app, such as `^1.2`."""
    quotas: Quotas | None = None

    @property
    def unknown(self) -> list[str]:
        """What nothing enforces."""
        more = self.quotas.model_extra if self.quotas else None
        nobody = [slug for slug in self.versions or {} if not APP_SLUG.fullmatch(slug)]
        return [
            *(self.model_extra or {}),
            *(f"versions.{slug}" for slug in nobody),
            *(f"quotas.{name}" for name in more or {}),
        ]


class OverlayWrite(Input):
    """The whole layer, in place of what it said before."""

    document: OverlayDocument


class LimitedRead(Output):
    allow: list[str] | None
    deny: list[str]


class QuotasRead(Output):
    instances: int | None = None
    members: int | None = None
    allocations: int | None = None
    gpus: int | None = None
    concurrent_operations: int | None = None


class DocumentRead(Output):
    """What a layer limits. Null: nothing."""

    operations: LimitedRead | None = None
    channels: LimitedRead | None = None
    artifact_sources: LimitedRead | None = None
    regions: LimitedRead | None = None
    skus: LimitedRead | None = None
    versions: dict[str, str] | None = None
    quotas: QuotasRead | None = None


class OverlayRead(Output):
    id: OverlayId | None
    """Null: never written."""
    level: Level
    org_id: OrgId
    project_id: ProjectId | None
    entitlement_id: EntitlementId | None
    document: DocumentRead
    version: int
    """0: never written."""
    updated_at: Moment | None


class BreakRead(Output):
    """Something below the layer that it takes away.

    Those who run the platform see how much of which org; the rest is the org's.
    """

    kind: Kind
    org_id: OrgId
    project_id: ProjectId | None
    entitlement_id: EntitlementId | None
    app: str | None
    version: str | None
    """The version that was used until now."""
    instead: str | None
    """The version that is used from now on; null: none."""
    dimension: str | None
    value: str | None
    sentence: str


class BreaksRead(Output):
    count: int
    items: list[BreakRead]
    """The first 50."""
    complete: bool
    """Whether all below was looked at. False: there may be more than was counted."""


class OverlayWritten(OverlayRead):
    """The layer as it is now, and what it takes away from those below it."""

    breaks: BreaksRead
    notes: list[str]
    """Names in the document that nothing has today: of apps and of sources."""


class DeniedRead(Output):
    value: str
    layer: Level


class EffectiveChoice(Output):
    """What all layers together leave of one dimension."""

    allow: list[str] | None
    """Null: all that are not denied."""
    allowed_by: list[Level]
    """The layers that have a list of what they allow."""
    deny: list[DeniedRead]


class EffectiveConstraint(Output):
    constraint: str
    layer: Level


class EffectiveQuota(Output):
    limit: int
    layer: Level


class LayerRead(Output):
    level: Level
    version: int
    """0: never written."""
    document: DocumentRead


class EffectivePolicyRead(Output):
    """What all layers above and in a project leave, and which layer each limit comes from."""

    project_id: ProjectId
    operations: EffectiveChoice | None
    channels: EffectiveChoice | None
    artifact_sources: EffectiveChoice | None
    regions: EffectiveChoice | None
    skus: EffectiveChoice | None
    versions: dict[str, list[EffectiveConstraint]]
    quotas: dict[str, EffectiveQuota]
    layers: list[LayerRead]


class PolicyQuestion(Input):
    """What somebody would like to do. What is left out is not judged."""

    project: ProjectId
    app: AppId | None = None
    """Left out where none is involved: allocate, node.session, release."""
    operation: OperationKind
    version: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z._+-]{1,64}$")] | None = None
    """Its number or its id. Without it: what the channel or the entitlement comes to."""
    channel: Channel | None = None
    artifact: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z._+-]{1,128}$")] | None = None
    """One artifact, by its name in the manifest. Without it: all of them."""
    region: Word | None = None
    sku: Word | None = None
    artifact_sources: SourceNames = Field(default_factory=list)
    """Sources to judge beside those of the version's own artifacts."""
    instances: Amount | None = None
    """How many more; one for a deploy where it is not said."""
    members: Amount | None = None
    """How many more; one for an add where it is not said."""
    allocations: Amount | None = None
    """How many more machines; one for an allocate where it is not said."""
    gpus: Amount | None = None
    """How many more; for an allocate where it is not said: what the SKU has, for each machine."""


class ResolvedVersion(Output):
    id: AppVersionId
    number: str
    manifest_digest: str


class HeldBackRead(Output):
    """A version that the entitlement would rather come to, and the layer that keeps it back."""

    number: str
    layer: LayerName
    sentence: str


class VerdictRead(Output):
    layer: LayerName
    allowed: bool | None
    """Null: there was nothing to judge: a layer before refused, or no app is involved."""
    sentence: str
    dimension: str | None
    value: str | None
    who_can_change: str | None


class DecisionRead(Output):
    allowed: bool
    version: ResolvedVersion | None
    """The version that the request comes down to."""
    held_back: HeldBackRead | None
    verdicts: list[VerdictRead]
    """In the order in which layers are asked. One that refuses for several reasons says each."""


def overlay(row: OverlayRow, **more: Any) -> dict[str, Any]:
    """A row as it is shown: one that was never written has no id."""
    return {**vars(row), "id": row.id or None, **more}
