"""The two axes of an artifact, where it may lie, and what a good signature is."""

import dataclasses
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from core.tests.factories.artifacts import digest_of, public_jwk, signature_of, text
from moorage_core.artifacts import rules
from moorage_core.artifacts.models import Artifact, PublisherKey
from moorage_core.artifacts.rules import Lifecycle, Trust

NOW = datetime(2026, 1, 31, tzinfo=UTC)
PAIR = Ed25519PrivateKey.generate()
DIGEST = digest_of(b"bytes")
ARTIFACT = Artifact(
    id="art_1",
    org_id="org_1",
    project_id="prj_1",
    name="thing",
    kind="blob",
    digest=DIGEST,
    size=5,
    media_type="application/x-tar",
    source_id=None,
    location=None,
    lifecycle="published",
    trust="unverified",
    trust_reason=None,
    version=1,
    created_at=NOW,
    updated_at=NOW,
)
KEY = PublisherKey("pky_1", "org_1", "prj_1", "key", public_jwk(PAIR), 1, NOW, NOW, None)
MOVES = {
    ("published", "deprecated"),
    ("published", "retired"),
    ("promoted", "deprecated"),
    ("promoted", "retired"),
    ("deprecated", "published"),
    ("deprecated", "retired"),
}


def artifact(**changes: object) -> Artifact:
    return dataclasses.replace(ARTIFACT, **changes)


@pytest.mark.parametrize("before", Lifecycle)
@pytest.mark.parametrize("after", Lifecycle)
def test_a_publisher_may_ask_for_these_moves_and_no_others(
    before: Lifecycle, after: Lifecycle
) -> None:
    if (before, after) in MOVES:
        rules.check_move(artifact(lifecycle=before), after)
    else:
        with pytest.raises(rules.InvalidTransition, match=f"is {before} and cannot become"):
            rules.check_move(artifact(lifecycle=before), after)


@pytest.mark.parametrize("trust", Trust)
@pytest.mark.parametrize("used", [True, False])
def test_what_is_used_or_revoked_stays(trust: Trust, used: bool) -> None:
    found = artifact(trust=trust)

    if trust is Trust.REVOKED:
        with pytest.raises(rules.ArtifactRevoked):
            rules.check_removable(found, used=used)
    elif used:
        with pytest.raises(rules.ArtifactUsed):
            rules.check_removable(found, used=used)
    else:
        rules.check_removable(found, used=used)


@pytest.mark.parametrize(
    "location",
    ["thing.tar", "a/b/c.tar.gz", "v1.2/thing+debug@2,3=x:y~z", "...", "a..b/c"],
)
def test_a_path_inside_a_source_is_a_location(location: str) -> None:
    rules.check_place(kind="blob", source="src_1", location=location)


@pytest.mark.parametrize(
    "location",
    [
        "../secret",
        "a/../../b",
        "a/./b",
        "..",
        "/etc/passwd",
        "//elsewhere.example/x",
        "https://elsewhere.example/x",
        "a//b",
        "a/",
        "a b",
        "a%2e%2e/b",
        "a?b=c",
        "a#b",
        "a\\b",
        "a\r\nHost: elsewhere",
        "a\x00b",
        "ä",
        "x" * 256,
    ],
)
def test_what_leads_elsewhere_is_no_location(location: str) -> None:
    with pytest.raises(rules.LocationUnusable):
        rules.check_place(kind="blob", source="src_1", location=location)


@pytest.mark.parametrize("location", ["library/thing", "thing", "a-b/c_d/e.f"])
def test_a_repository_is_a_location_in_a_registry(location: str) -> None:
    rules.check_place(kind="oci", source="src_1", location=location)


@pytest.mark.parametrize(
    "location", ["Thing", "a/../b", "thing:latest", "thing@sha256:0", "/thing"]
)
def test_a_tag_or_a_path_is_no_repository(location: str) -> None:
    with pytest.raises(rules.LocationUnusable):
        rules.check_place(kind="oci", source="src_1", location=location)


def test_the_platforms_own_store_takes_blobs_and_no_location() -> None:
    rules.check_place(kind="blob", source=None, location=None)

    with pytest.raises(rules.SourceUnusable):
        rules.check_place(kind="oci", source=None, location=None)
    with pytest.raises(rules.SourceUnusable):
        rules.check_place(kind="blob", source=None, location="thing.tar")
    with pytest.raises(rules.LocationUnusable):
        rules.check_place(kind="blob", source="src_1", location=None)


@pytest.mark.parametrize(("found", "kind"), [("oci", "oci"), ("https", "blob")])
def test_a_source_holds_artifacts_of_its_kind(found: str, kind: str) -> None:
    rules.check_source("src_1", found=found, kind=kind)

    with pytest.raises(rules.SourceUnusable):
        rules.check_source("src_1", found=None, kind=kind)
    with pytest.raises(rules.SourceUnusable):
        rules.check_source("src_1", found=found, kind="blob" if kind == "oci" else "oci")


def test_a_signature_is_over_a_prefix_and_the_digest() -> None:
    signed = signature_of(PAIR, DIGEST)

    assert len(rules.check_signature(signed, KEY.public_key, digest=DIGEST)) == 64


@pytest.mark.parametrize(
    "signature",
    [
        signature_of(PAIR, digest_of(b"other bytes")),
        signature_of(Ed25519PrivateKey.generate(), DIGEST),
        text(PAIR.sign(DIGEST.encode())),
        text(PAIR.sign(b"moorage artifact v2\n" + DIGEST.encode())),
        text(bytes(64)),
        text(bytes(63)),
        "!" * 86,
        "",
    ],
    ids=[
        "another digest",
        "another key",
        "no prefix",
        "another prefix",
        "zeros",
        "short",
        "no base64",
        "nothing",
    ],
)
def test_a_signature_over_anything_else_is_refused(signature: str) -> None:
    with pytest.raises(rules.SignatureInvalid):
        rules.check_signature(signature, KEY.public_key, digest=DIGEST)


P = 2**255 - 19
EIGHTH = 2707385501144840649318225287225658788936804267575313519463743609750303402022


def spelt(y: int, *, odd: bool = False) -> str:
    """The point with this y as the `x` of a JWK."""
    return text((y | odd << 255).to_bytes(32, "little"))


@pytest.mark.parametrize("odd", [False, True])
@pytest.mark.parametrize("y", [0, 1, P - 1, P, P + 1, EIGHTH, P - EIGHTH], ids=hex)
def test_a_key_for_which_one_signature_fits_everything_is_refused(y: int, odd: bool) -> None:
    with pytest.raises(rules.KeyNotUsable):
        rules.check_public_key({"kty": "OKP", "crv": "Ed25519", "x": spelt(y, odd=odd)})


def test_only_a_live_key_of_the_project_signs() -> None:
    assert rules.check_key(KEY, KEY.id) is KEY

    with pytest.raises(rules.KeyRevoked):
        rules.check_key(dataclasses.replace(KEY, revoked_at=NOW), KEY.id)
    with pytest.raises(rules.SignatureInvalid):
        rules.check_key(None, KEY.id)


def test_what_is_incomplete_or_other_than_announced_does_not_complete() -> None:
    rules.check_complete(ARTIFACT, rules.Verification("art_1", 5, DIGEST))

    with pytest.raises(rules.UploadIncomplete, match="3 of 5 bytes"):
        rules.check_complete(ARTIFACT, rules.Verification("art_1", 3, None))
    with pytest.raises(rules.DigestMismatch):
        rules.check_complete(ARTIFACT, rules.Verification("art_1", 5, digest_of(b"other")))
    with pytest.raises(rules.UploadBusy):
        rules.check_complete(ARTIFACT, rules.Verification("art_1", 0, None, busy=True))
