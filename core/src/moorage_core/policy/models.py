"""Rows of overlays, and what is asked of policy and answered by it.

Other slices ask with `Wanted` and read a `Decision`; how it comes about is in `rules`.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Self

from moorage_core.catalog.models import App, UsedArtifact, Version
from moorage_core.entitlements.models import Entitlement

Level = Literal["global", "tenant", "org", "project", "entitlement"]
LEVELS: tuple[Level, ...] = ("global", "tenant", "org", "project", "entitlement")
"""From the top down. Each narrows what the ones before it leave. `tenant` is the platform's word on
one org, `org` is the org's own."""
OF_THE_PLATFORM: tuple[Level, ...] = ("global", "tenant")
"""Written by those who run the platform, who see numbers of what lies below and nothing else."""

LayerName = Literal[
    "catalog",
    "entitlement",
    "consent",
    "family",
    "trust",
    "global",
    "tenant",
    "org",
    "project",
    "entitlement_overlay",
]
"""Who has a say in a decision, in the order in which they are asked."""

Growing = Literal[
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
"""Kinds of operation that add or change something. Policy may refuse them."""
Shrinking = Literal[
    "release",
    "instance.stop",
    "instance.decommission",
    "member.drain",
    "member.remove",
    "operation.cancel",
]
"""Kinds that give something back. Nothing in policy ever refuses one."""
OperationKind = Growing | Shrinking
NEEDS_NO_APP: frozenset[OperationKind] = frozenset({"allocate", "node.session", "release"})
"""Kinds that are about machines, and may be about no app."""


@dataclass(frozen=True)
class OverlayRow:
    id: str
    level: Level
    org_id: str
    project_id: str | None
    entitlement_id: str | None
    document: dict[str, Any]
    version: int
    """0: never written."""
    updated_at: datetime | None


@dataclass(frozen=True)
class Place:
    """Where a layer is."""

    level: Level
    org: str
    project: str | None = None
    entitlement: str | None = None
    app: str | None = None
    """The slug of the app that the entitlement is for."""


@dataclass(frozen=True)
class Wanted:
    """What somebody wants to do."""

    project: str
    app: str | None
    """Its id. None: no app is involved, as where machines are asked for."""
    operation: OperationKind
    version: str | None = None
    """Its number or its id. Without it and without a channel, the entitlement says which."""
    channel: str | None = None
    artifact: str | None = None
    """The one artifact that is wanted, by its name in the manifest. Without it: all of them."""
    region: str | None = None
    sku: str | None = None
    regions: tuple[str, ...] = ()
    skus: tuple[str, ...] = ()
    """Further ones, where machines of several kinds are meant."""
    artifact_sources: tuple[str, ...] = ()
    """Further sources, beside those of the version's own artifacts."""
    instances: int | None = None
    """How many more. None: as many as the kind implies, one for a deploy."""
    members: int | None = None
    allocations: int | None = None
    """How many more machines. None: one for an allocate."""
    gpus: int | None = None
    """How many more. None: as many as the SKU has, for each machine."""
    counted: bool = False
    """It was asked for before and is in use already: asked again at its first claim."""


@dataclass(frozen=True)
class Usage:
    """What is in use already in one place."""

    instances: int = 0
    members: int = 0
    allocations: int = 0
    gpus: int = 0
    concurrent_operations: int = 0


@dataclass(frozen=True)
class Verdict:
    """What one layer says. A layer that refuses for several reasons says several."""

    layer: LayerName
    allowed: bool | None
    """None: there was nothing to judge."""
    sentence: str
    dimension: str | None = None
    value: str | None = None
    """What refused: a limit's name, and what was asked for there."""
    who_can_change: str | None = None

    @classmethod
    def yes(cls, layer: LayerName, sentence: str) -> Self:
        return cls(layer, allowed=True, sentence=sentence)

    @classmethod
    def no(cls, layer: LayerName, sentence: str, dimension: str, value: str, who: str) -> Self:
        return cls(layer, False, sentence, dimension, value, who)  # noqa: FBT003 - in order

    @classmethod
    def silent(cls, layer: LayerName, sentence: str) -> Self:
        return cls(layer, allowed=None, sentence=sentence)


@dataclass(frozen=True)
class HeldBack:
    """A newer version that the entitlement would have meant, but for a layer."""

    number: str
    layer: LayerName
    sentence: str


@dataclass(frozen=True)
class Decision:
    verdicts: tuple[Verdict, ...]
    app: App | None = None
    entitlement: Entitlement | None = None
    version: Version | None = None
    """The version that the request comes down to."""
    artifacts: tuple[UsedArtifact, ...] = ()
    """What that version uses, as far as it is wanted."""
    held_back: HeldBack | None = None

    @property
    def allowed(self) -> bool:
        return not self.refusals

    @property
    def refusals(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.allowed is False]


Kind = Literal["entitlement", "overlay", "layer"]
"""An entitlement that loses its version, a layer below that names too much, or what the changed
layer takes from all below it alike."""


@dataclass(frozen=True)
class Break:
    """Something below a layer that a change of the layer takes away."""

    kind: Kind
    org_id: str
    sentence: str
    project_id: str | None = None
    entitlement_id: str | None = None
    app: str | None = None
    version: str | None = None
    instead: str | None = None
    """The version that would be used from then on; None where there is none."""
    dimension: str | None = None
    value: str | None = None


@dataclass(frozen=True)
class Breaks:
    """The first of them, and how many were found."""

    count: int = 0
    items: tuple[Break, ...] = ()
    complete: bool = True
    """Whether all below was looked at. Not, where there is very much of it."""


@dataclass(frozen=True)
class Written:
    """A layer as it is now, and what it takes away from those below it."""

    row: OverlayRow
    breaks: Breaks = field(default_factory=Breaks)
    notes: list[str] = field(default_factory=list[str])
    """What the writer may want to look at again."""
