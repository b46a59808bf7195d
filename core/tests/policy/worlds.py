"""Random catalogs, entitlements, chains of layers and requests, for tests of pure rules."""

import dataclasses
import functools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from moorage_core.catalog.models import App, UsedArtifact, Version
from moorage_core.entitlements import commands as entitlements
from moorage_core.entitlements.models import Entitlement
from moorage_core.policy import limits
from moorage_core.policy.facts import Facts
from moorage_core.policy.limits import Layer
from moorage_core.policy.models import LEVELS, Level, Usage, Wanted
from moorage_manifest import Declaration

EXAMPLES = int(os.environ.get("POLICY_EXAMPLES", "50"))
"""Worlds for each property. `POLICY_EXAMPLES=1000` looks closer, after a change of the rules."""
NOW = datetime(2026, 1, 1, tzinfo=UTC)
NUMBERS = ("1.0.0", "1.1.0", "1.2.0", "2.0.0")
CONSTRAINTS = ("*", "^1", "~1.1", "2.x", ">=1.1 <2")
CHANNELS: Sequence[str] = ("dev", "staging", "prod")
GROWING = ("instance.deploy", "instance.upgrade", "member.add", "instance.start", "artifact.pull")
SHRINKING = ("member.drain", "member.remove", "instance.stop", "instance.decommission")
SOURCES = ("store", "shared", "acme/own")
REGIONS = ("eu", "us")
SKUS = ("small", "large")
QUOTAS = ("instances", "members", "gpus", "concurrent_operations")
PLAIN = Declaration(keys={"echo.greeting.read": ("viewer",)})
WIDER = Declaration(keys={"echo.greeting.read": ("viewer",), "echo.greeting.write": ()})
QUEUES = Declaration(families=("scheduler",), family_keys=("scheduler.queue.read",))
ASKED = {each.digest: each.model_dump(mode="json") for each in (PLAIN, WIDER, QUEUES)}
NAMES: Mapping[Level, str] = {
    "global": "The platform's layer",
    "tenant": "The platform's layer for org acme",
    "org": "Org acme's layer",
    "project": "Project alpha's layer",
    "entitlement": "The entitlement's layer",
}
ECHO = App("app_1", "org_1", "prj_1", "echo", "Echo", "Says it again", "platform", 1, NOW, NOW)


def release(number: str, *, status: str = "published", asks: Declaration = PLAIN) -> Version:
    return Version(
        id=f"ver_{number}",
        app_id=ECHO.id,
        org_id=ECHO.org_id,
        project_id=ECHO.project_id,
        number=number,
        status=status,
        manifest_digest=f"sha256:{number}",
        declaration_digest=asks.digest,
        note=None,
        version=1,
        created_at=NOW,
        updated_at=NOW,
        published_at=NOW,
        deprecated_at=None,
        retired_at=None,
    )


def artifact(
    version: str,
    name: str = "bundle",
    *,
    trust: str = "verified",
    lifecycle: str = "promoted",
    source: str = "store",
    enabled: bool = True,
) -> UsedArtifact:
    return UsedArtifact(
        version_id=f"ver_{version}",
        name=name,
        artifact_id=f"art_{name}",
        org_id=ECHO.org_id,
        project_id=ECHO.project_id,
        kind="blob",
        digest="sha256:" + "0" * 64,
        size=1,
        media_type="application/octet-stream",
        lifecycle=lifecycle,
        trust=trust,
        trust_reason=None,
        source_id=None if source == "store" else f"src_{source}",
        source=source,
        source_enabled=enabled,
    )


def entitle(
    *,
    channel: str | None = None,
    versions: str = "*",
    enabled: bool = True,
    accepted: Declaration = PLAIN,
) -> Entitlement:
    return Entitlement(
        id="ent_1",
        org_id="org_2",
        project_id="prj_2",
        app_id=ECHO.id,
        app_slug=ECHO.slug,
        channel=channel,
        versions=versions,
        enabled=enabled,
        accepted=accepted.model_dump(mode="json"),
        accepted_digest=accepted.digest,
        accepted_version_id="ver_1.0.0",
        accepted_by="usr_1",
        accepted_at=NOW,
        version=1,
        created_at=NOW,
        updated_at=NOW,
        admitted=[],
    )


def layer(level: Level, document: dict[str, Any]) -> Layer:
    return Layer(level, NAMES[level], limits.read(document))


def facts(
    *,
    versions: Sequence[Version] = (release("1.0.0"),),
    channels: Mapping[str, str] | None = None,
    artifacts: Sequence[UsedArtifact] = (),
    entitlement: Entitlement | None = None,
    ceilings: Mapping[str, frozenset[str]] | None = None,
    chain: Mapping[Level, dict[str, Any]] | None = None,
    usage: Usage | None = None,
    app: App | None = ECHO,
) -> Facts:
    """A project `alpha` of org `acme` that asks about `echo`."""
    held: list[Level] = [
        level for level in LEVELS if level != "entitlement" or entitlement is not None
    ]
    by_version: dict[str, list[UsedArtifact]] = {}
    for each in artifacts:
        by_version.setdefault(each.version_id, []).append(each)
    pointed = channels or {}
    built = Facts(
        org="acme",
        project="alpha",
        layers=[layer(level, (chain or {}).get(level, {})) for level in held],
        app=app,
        versions=list(versions) if app else [],
        channels=pointed,
        artifacts=by_version,
        entitlement=entitlement,
        asked=ASKED,
        ceilings=ceilings or {},
        usage=dict.fromkeys(LEVELS, usage or Usage()),
    )
    if entitlement is None:
        return built
    consent = entitlements.Consent(entitlement, ASKED)
    about = {"channels": pointed, "consent": consent}
    order = functools.partial(entitlements.in_order, entitlement, **about)
    preferred = entitlements.waiting(entitlement, built.versions, **about)
    return dataclasses.replace(
        built,
        consent=consent,
        order=order,
        preferred=preferred or next(order(built.versions), None),
    )


def want(operation: Any = "instance.deploy", **more: Any) -> Wanted:
    return Wanted(project="prj_2", app=ECHO.id, operation=operation, **more)


# Strategies


def choices(values: Sequence[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Most let most pass: with several on top of each other, refusals come by themselves."""
    all_but_one = st.lists(st.sampled_from(values), unique=True, min_size=len(values) - 1)
    some = st.lists(st.sampled_from(values), unique=True)
    allow = rarely(some, otherwise=st.none() | all_but_one)
    return st.fixed_dictionaries({"allow": allow, "deny": rarely(some, otherwise=st.just([]))})


def rarely(
    strategy: st.SearchStrategy[Any], *, otherwise: st.SearchStrategy[Any]
) -> st.SearchStrategy[Any]:
    return st.integers(0, 9).flatmap(lambda lot: strategy if lot == 9 else otherwise)


def mostly(value: Any, *others: Any) -> st.SearchStrategy[Any]:
    return rarely(st.sampled_from(others), otherwise=st.just(value))


documents: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "operations": choices(GROWING),
        "channels": choices(CHANNELS),
        "artifact_sources": choices(SOURCES),
        "regions": choices(REGIONS),
        "skus": choices(SKUS),
        "versions": st.dictionaries(st.sampled_from(("echo", "other")), mostly("*", *CONSTRAINTS)),
        "quotas": st.dictionaries(st.sampled_from(QUOTAS), st.integers(1, 9)),
    },
)
chains: st.SearchStrategy[dict[Level, dict[str, Any]]] = st.dictionaries(
    st.sampled_from(LEVELS), documents, min_size=1
)
declarations = mostly(PLAIN, WIDER, QUEUES)
usages = st.builds(Usage, *(st.integers(0, 1) for _ in QUOTAS))


def pointers(ids: Sequence[str]) -> st.SearchStrategy[dict[str, str]]:
    """Where channels point to; often several of them to the same version."""
    channels = st.sampled_from(CHANNELS)
    one = st.sampled_from(ids).flatmap(
        lambda id: st.dictionaries(channels, st.just(id), min_size=2)
    )
    return one | st.dictionaries(channels, st.sampled_from(ids))


@dataclass(frozen=True)
class World:
    """Everything that a decision depends on, before it is put together."""

    versions: list[Version]
    channels: dict[str, str]
    artifacts: list[UsedArtifact]
    entitlement: Entitlement | None
    ceilings: dict[str, frozenset[str]]
    chain: dict[Level, dict[str, Any]]
    usage: Usage
    app: App | None

    @property
    def facts(self) -> Facts:
        return facts(**vars(self))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    numbers = draw(st.lists(st.sampled_from(NUMBERS), unique=True, min_size=2))
    states = mostly("published", "deprecated", "retired")
    known = [release(n, status=draw(states), asks=draw(declarations)) for n in numbers]
    return World(
        versions=known,
        channels=draw(pointers([each.id for each in known])),
        artifacts=[
            artifact(
                number,
                name,
                trust=draw(mostly("verified", "unverified", "failed", "revoked")),
                lifecycle=draw(mostly("promoted", "published", "retired")),
                source=draw(st.sampled_from(SOURCES)),
                enabled=draw(st.integers(0, 9).map(bool)),
            )
            for number in numbers
            for name in draw(st.sampled_from(((), ("bundle",), ("bundle", "image"))))
        ],
        entitlement=draw(
            rarely(
                st.none(),
                otherwise=st.builds(
                    entitle,
                    channel=st.none() | st.sampled_from(CHANNELS),
                    versions=st.just("*") | st.sampled_from(CONSTRAINTS),
                    enabled=st.integers(0, 9).map(bool),
                    accepted=st.sampled_from((PLAIN, WIDER, QUEUES)),
                ),
            )
        ),
        ceilings=draw(
            st.sampled_from(
                (
                    {},
                    {"scheduler": frozenset({"scheduler.queue.read"})},
                    {"scheduler": frozenset({"scheduler.queue.cancel"})},
                )
            )
        ),
        chain=draw(chains),
        usage=draw(usages),
        app=draw(mostly(ECHO, None)),
    )


@st.composite
def requests(draw: st.DrawFn, *, operations: Sequence[str] = GROWING) -> Wanted:
    version = draw(st.none() | st.sampled_from(NUMBERS))
    channel = draw(st.none() | st.sampled_from(CHANNELS))
    return want(
        draw(st.sampled_from(operations)),
        version=version,
        channel=channel,
        artifact=draw(mostly(None, "bundle")),
        region=draw(st.none() | st.sampled_from(REGIONS)),
        sku=draw(st.none() | st.sampled_from(SKUS)),
        artifact_sources=tuple(draw(st.lists(st.sampled_from(SOURCES), max_size=1))),
        instances=draw(st.none() | st.integers(0, 2)),
        members=draw(st.none() | st.integers(0, 2)),
        gpus=draw(st.integers(0, 2)),
    )
