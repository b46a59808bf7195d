"""What the catalog decides, without a server."""

import dataclasses
from datetime import UTC, datetime
from typing import Any

import pytest

from core.tests.factories.artifacts import digest_of
from moorage_core.artifacts.models import Artifact
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Grant, Kind, Principal
from moorage_core.catalog import rules
from moorage_core.catalog.models import App, Channel, UsedArtifact, Version
from moorage_manifest import shipped

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DIGEST = digest_of(b"bytes")
READ = Permission.CATALOG_APP_READ
APP = App("app_1", "org_1", "prj_1", "echo", "Echo", "Says it.", "project", 1, NOW, NOW)
VERSION = Version(
    "ver_1",
    "app_1",
    "org_1",
    "prj_1",
    "1.0.0",
    "published",
    DIGEST,
    DIGEST,
    None,
    1,
    NOW,
    NOW,
    NOW,
    None,
    None,
)
ARTIFACT = Artifact(
    "art_1",
    "org_1",
    "prj_1",
    "thing.tar",
    "blob",
    DIGEST,
    5,
    "application/x-tar",
    None,
    None,
    "published",
    "verified",
    None,
    1,
    NOW,
    NOW,
)
USED = UsedArtifact(
    "ver_1",
    "thing",
    "art_1",
    "org_1",
    "prj_1",
    "blob",
    DIGEST,
    5,
    "application/x-tar",
    "published",
    "verified",
    None,
    None,
    "store",
    source_enabled=True,
)
MANIFEST: dict[str, Any] = {
    "artifacts": [{"name": "thing", "digest": DIGEST, "size": 5, "media_type": "application/x-tar"}]
}


def changed(thing: Any, **fields: Any) -> Any:
    return dataclasses.replace(thing, **fields)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("draft", "published"),
        ("published", "deprecated"),
        ("deprecated", "published"),
        ("published", "retired"),
        ("deprecated", "retired"),
    ],
)
def test_a_version_moves_on(before: str, after: str) -> None:
    rules.check_transition(changed(VERSION, status=before), after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("draft", "deprecated"),
        ("draft", "retired"),
        ("published", "draft"),
        ("published", "published"),
        ("deprecated", "draft"),
        ("retired", "published"),
        ("retired", "deprecated"),
        ("retired", "draft"),
    ],
)
def test_a_version_does_not_move_elsewhere(before: str, after: str) -> None:
    with pytest.raises(rules.InvalidTransition):
        rules.check_transition(changed(VERSION, status=before), after)


@pytest.mark.parametrize(
    ("visibility", "org", "project", "sees"),
    [
        ("project", "org_1", "prj_1", True),
        ("project", "org_1", "prj_2", False),
        ("project", "org_2", "prj_3", False),
        ("org", "org_1", "prj_2", True),
        ("org", "org_2", "prj_3", False),
        ("platform", "org_2", "prj_3", True),
    ],
)
def test_a_project_sees_what_is_shown_to_it(
    visibility: str, org: str, project: str, sees: bool
) -> None:
    app = changed(APP, visibility=visibility)

    assert rules.is_offered_to(app, org=org, project=project) is sees


@pytest.mark.parametrize(
    ("before", "after", "narrows"),
    [
        ("platform", "org", True),
        ("platform", "project", True),
        ("org", "project", True),
        ("org", "org", False),
        ("project", "platform", False),
        ("platform", None, False),
    ],
)
def test_showing_to_fewer_is_narrowing(before: str, after: str | None, narrows: bool) -> None:
    assert rules.narrows(before, after) is narrows


def test_sight_is_where_the_key_is_held() -> None:
    grants = (
        Grant("org_1", "prj_1", frozenset({READ})),
        Grant("org_2", None, frozenset({READ})),
        Grant("org_3", "prj_9", frozenset({Permission.IAM_PROJECT_READ})),
        Grant("org_4", None, frozenset()),
    )
    principal = Principal(Kind.USER, "usr_1", "Ada", grants)

    with_key = rules.sight(principal, READ)
    with_any = rules.sight(principal, None)

    assert (with_key.orgs, with_key.whole, with_key.projects) == (
        ["org_1", "org_2"],
        ["org_2"],
        ["prj_1"],
    )
    assert with_any.projects == ["prj_1", "prj_9"]
    assert "org_4" not in with_any.orgs


@pytest.mark.parametrize("slug", ["apps", "catalog", "iam", "moorage", "batch-jobs", *shipped()])
def test_a_slug_of_the_platform_or_a_family_is_reserved(slug: str) -> None:
    with pytest.raises(rules.SlugReserved):
        rules.check_slug(slug, ["batch-jobs"])


def test_a_slug_that_only_looks_alike_is_free() -> None:
    rules.check_slug("apps-of-ours", ["batch"])


def test_artifacts_are_found_by_digest() -> None:
    assert rules.resolve(MANIFEST, {DIGEST: ARTIFACT}) == {"thing": "art_1"}


@pytest.mark.parametrize(
    ("have", "why"),
    [
        ({}, "upload or register it"),
        ({DIGEST: changed(ARTIFACT, lifecycle="uploading")}, "not complete"),
        ({DIGEST: changed(ARTIFACT, lifecycle="retired")}, "retired"),
        ({DIGEST: changed(ARTIFACT, trust="revoked")}, "revoked"),
        ({DIGEST: changed(ARTIFACT, trust="failed")}, "failed"),
        ({DIGEST: changed(ARTIFACT, size=6)}, "6 bytes"),
    ],
)
def test_an_artifact_that_cannot_be_used_is_named(have: dict[str, Artifact], why: str) -> None:
    with pytest.raises(rules.ArtifactsNotReady) as refusal:
        rules.resolve(MANIFEST, have)

    assert [fault.location for fault in refusal.value.errors] == ["artifacts.thing"]
    assert why in refusal.value.errors[0].message


@pytest.mark.parametrize("trust", ["unverified", "verified"])
def test_an_unsigned_artifact_may_go_to_dev(trust: str) -> None:
    rules.check_promotable(VERSION, "dev", [changed(USED, trust=trust)], None)


@pytest.mark.parametrize("channel", ["staging", "prod"])
@pytest.mark.parametrize("trust", ["unverified", "failed", "revoked"])
def test_what_is_not_verified_goes_no_further(channel: str, trust: str) -> None:
    with pytest.raises(rules.ArtifactsNotReady):
        rules.check_promotable(VERSION, channel, [changed(USED, trust=trust)], None)


@pytest.mark.parametrize("trust", ["failed", "revoked"])
def test_what_is_distrusted_goes_nowhere(trust: str) -> None:
    with pytest.raises(rules.ArtifactsNotReady):
        rules.check_promotable(VERSION, "dev", [changed(USED, trust=trust)], None)


@pytest.mark.parametrize("status", ["draft", "deprecated", "retired"])
def test_only_a_published_version_is_promoted(status: str) -> None:
    with pytest.raises(rules.InvalidTransition):
        rules.check_promotable(changed(VERSION, status=status), "dev", [], None)


def test_a_version_is_not_promoted_to_where_it_is() -> None:
    with pytest.raises(rules.AlreadyThere):
        rules.check_promotable(VERSION, "prod", [], "ver_1")


def test_channels_keep_a_version_from_retiring() -> None:
    on = [
        Channel("app_1", "dev", "ver_1", "1.0.0", "published", DIGEST, 1, NOW),
        Channel("app_1", "prod", "ver_1", "1.0.0", "published", DIGEST, 1, NOW),
        Channel("app_1", "staging", "ver_2", "2.0.0", "published", DIGEST, 1, NOW),
    ]

    with pytest.raises(rules.OnChannel, match="on dev, prod"):
        rules.check_off_channels(VERSION, on)
