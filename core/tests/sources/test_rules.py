"""Where a source may point, what it is given, and what it may answer."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from moorage_core.errors import ApiError
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.sources import rules
from moorage_core.sources.models import Source
from moorage_core.sources.schemas import SourceCredential, SourceUpdate

NOW = datetime(2026, 11, 15, tzinfo=UTC)
DIGEST = "sha256:" + "a" * 64
SOURCE = Source(
    id="src_1",
    org_id="org_1",
    slug="registry",
    name="Registry",
    kind="oci",
    url="https://registry.example.org",
    token_url=None,
    secret_id="sec_1",
    enabled=True,
    version=1,
    created_at=NOW,
    updated_at=NOW,
    policy_name="acme/registry",
)
BASIC = SourceCredential.model_validate({"username": "ada", "password": "engine-room"})


def test_a_source_of_the_platforms_org_is_shared() -> None:
    assert replace(SOURCE, org_id=PLATFORM_ORG).shared
    assert not SOURCE.shared


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://registry.example.org", "https://registry.example.org"),
        ("https://Registry.Example.ORG:443/", "https://registry.example.org:443"),
        ("https://files.example.org/apps/", "https://files.example.org/apps"),
    ],
)
def test_a_url_is_kept_in_one_spelling(url: str, kept: str) -> None:
    assert rules.check_url(url, private=False) == kept


@pytest.mark.parametrize(
    "url",
    [
        "http://registry.example.org",
        "ftp://registry.example.org",
        "https://ada:engine-room@registry.example.org",
        "https://registry.example.org/?token=x",
        "https://registry.example.org/?",
        "https://registry.example.org/#x",
        "https://registry.example.org/\r\nx: y",
        "https://registry.example.org/a b",
        "https://127.0.0.1/",
        "https://localhost/",
        "https://10.0.0.8/",
        "https://[::1]/",
        "http://127.0.0.1:5000",
        "https://registry.example.org/" + "a" * 500,
    ],
)
def test_any_other_url_is_refused_without_being_repeated(url: str) -> None:
    with pytest.raises(rules.UrlNotAllowed) as refusal:
        rules.check_url(url, private=False)

    assert refusal.value.errors[0].location == "body.url"
    assert "engine-room" not in str(refusal.value.errors) + refusal.value.detail


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("http://127.0.0.1:5000", True),
        ("http://localhost:5000", True),
        ("http://[::1]:5000", True),
        ("https://10.0.0.8", True),
        ("http://10.0.0.8", False),
        ("http://registry.example.org", False),
    ],
)
def test_plain_http_never_leaves_this_machine(url: str, allowed: bool) -> None:
    if allowed:
        assert rules.check_url(url, private=True) == url
    else:
        with pytest.raises(rules.UrlNotAllowed):
            rules.check_url(url, private=True)


def test_only_registries_have_tokens_made_elsewhere() -> None:
    url = "https://auth.example.org/token"

    assert rules.check_token_url("oci", url, private=False) == url
    assert rules.check_token_url("https", None, private=False) is None
    with pytest.raises(rules.UrlNotAllowed) as refusal:
        rules.check_token_url("https", url, private=False)
    assert refusal.value.errors[0].location == "body.token_url"


def test_a_credential_is_a_pair_or_a_token() -> None:
    pair = rules.read_credential(BASIC)
    token = rules.read_credential(SourceCredential.model_validate({"token": "t0ken"}))

    assert pair.authorization == "Basic YWRhOmVuZ2luZS1yb29t"
    assert token.authorization == "Bearer t0ken"
    assert rules.unpack(pair.packed()) == pair
    assert rules.unpack(token.packed()) == token


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"username": "ada"},
        {"password": "engine-room"},
        {"username": "ada", "password": "engine-room", "token": "engine-room"},
        {"username": "ada", "token": "engine-room"},
        {"username": "ada", "password": "engine-room\r\nx: y"},
        {"token": "engine-room and more"},
        {"token": "engine-room\n"},
        {"token": "engine-room\u00e4"},
    ],
)
def test_anything_else_is_no_credential_and_is_not_repeated(given: dict[str, str]) -> None:
    with pytest.raises(rules.CredentialNotUsable) as refusal:
        rules.read_credential(SourceCredential.model_validate(given))

    assert "engine-room" not in str(refusal.value.errors) + refusal.value.detail


def test_a_credential_does_not_show_itself() -> None:
    credential = rules.read_credential(BASIC)

    assert "engine-room" not in f"{credential!r} {credential} {BASIC!r} {BASIC}"


@pytest.mark.parametrize(
    ("change", "allowed"),
    [
        ({"name": "Other"}, True),
        ({"url": "https://registry.example.org"}, True),
        ({"url": "https://evil.example"}, False),
        ({"url": "https://registry.example.org/deeper"}, False),
        ({"token_url": "https://evil.example/token"}, False),
        ({"url": "https://evil.example", "credential": BASIC}, True),
        ({"url": "https://evil.example", "clear": ["credential"]}, True),
        ({"token_url": "https://evil.example/token", "credential": BASIC}, True),
        ({"clear": ["token_url"]}, True),
    ],
)
def test_a_credential_goes_nowhere_that_it_was_not_given_for(
    change: dict[str, object], allowed: bool
) -> None:
    update = SourceUpdate.model_validate(change)
    url, token_url = update.url or SOURCE.url, update.token_url

    if allowed:
        rules.check_move(SOURCE, update, url=url, token_url=token_url)
    else:
        with pytest.raises(rules.CredentialNeeded):
            rules.check_move(SOURCE, update, url=url, token_url=token_url)
    rules.check_move(replace(SOURCE, secret_id=None), update, url=url, token_url=token_url)


def test_nothing_is_given_and_cleared_at_once() -> None:
    with pytest.raises(rules.CredentialNotUsable):
        rules.check_clear(SourceUpdate(credential=BASIC, clear=["credential"]))


@pytest.mark.parametrize(("uses", "said"), [(1, "1 artifact comes"), (3, "3 artifacts come")])
def test_a_source_that_is_used_says_by_how_many(uses: int, said: str) -> None:
    with pytest.raises(rules.SourceInUse, match=said):
        rules.check_unused(SOURCE, uses=uses)


def test_blobs_are_asked_for_by_digest_and_files_by_path() -> None:
    files = replace(SOURCE, kind="https", url="https://files.example.org/apps")

    blob = rules.address(SOURCE, kind="oci", location="team/echo", digest=DIGEST)
    file = rules.address(files, kind="blob", location="echo/1.0/a+b.tar", digest=DIGEST)

    assert blob == f"https://registry.example.org/v2/team/echo/blobs/{DIGEST}"
    assert file == "https://files.example.org/apps/echo/1.0/a+b.tar"


@pytest.mark.parametrize("location", ["../secret", "a/../../b", "/etc/passwd", "a//b", ".", ""])
def test_a_location_leads_nowhere_else(location: str) -> None:
    with pytest.raises(rules.SourceRefused):
        rules.address(SOURCE, kind="blob", location=location, digest=DIGEST)


def test_what_is_not_a_path_is_asked_for_as_one() -> None:
    asked = rules.address(SOURCE, kind="blob", location="a?b#c%2e", digest=DIGEST)

    assert asked.endswith("/a%3Fb%23c%252e")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://a.example/x", "https://a.example:443/y", True),
        ("https://a.example/", "http://a.example/", False),
        ("https://a.example/", "https://a.example:8443/", False),
        ("https://a.example/", "https://b.a.example/", False),
    ],
)
def test_an_origin_is_scheme_host_and_port(one: str, other: str, same: bool) -> None:
    assert rules.is_same_origin(one, other) is same


@pytest.mark.parametrize(
    ("location", "leads"),
    [
        ("/other", "https://a.example/other"),
        ("https://b.example/x?sig=1", "https://b.example/x?sig=1"),
        ("//b.example/x", "https://b.example/x"),
    ],
)
def test_a_redirect_leads_where_it_says(location: str, leads: str) -> None:
    assert rules.follow(SOURCE, "https://a.example/x", location, private=False) == leads


@pytest.mark.parametrize(
    "location",
    [
        "http://b.example/",
        "https://127.0.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::ffff:10.0.0.1]/",
        "https://ada:pw@b.example/",
        "file:///etc/passwd",
        "gopher://b.example/",
        "https://b.example/a b",
        "https://[b.example/",
        "https://b.example/" + "a" * 9000,
    ],
)
def test_a_redirect_to_what_no_source_may_be_is_refused(location: str) -> None:
    with pytest.raises(rules.SourceRefused) as refusal:
        rules.follow(SOURCE, "https://a.example/x", location, private=False)

    assert location not in refusal.value.detail


@pytest.mark.parametrize(
    ("headers", "challenge"),
    [
        ([], None),
        (['Basic realm="x"'], None),
        (["Bearer"], None),
        (
            ['Bearer realm="https://a/t",service="reg",scope="repository:x:pull,push"'],
            {"realm": "https://a/t", "service": "reg", "scope": "repository:x:pull,push"},
        ),
        (["bearer Realm=https://a/t"], {"realm": "https://a/t"}),
        (['Basic realm="x", Bearer realm="https://a/t"'], {"realm": "https://a/t"}),
        (['Basic realm="x"', 'Bearer realm="https://a/t"'], {"realm": "https://a/t"}),
        (["Bearer " + "a" * 100_000], {}),
    ],
)
def test_a_challenge_is_read(headers: list[str], challenge: dict[str, str] | None) -> None:
    assert rules.read_challenge(headers) == challenge


def token_address(source: Source, **challenge: str) -> str:
    return rules.token_address(source, challenge, repository="team/echo", private=False)


def test_a_token_is_asked_for_one_repository_and_for_pulling_alone() -> None:
    asked = token_address(
        SOURCE,
        realm="https://registry.example.org/token",
        service="reg & co",
        scope="repository:team/echo:push,delete",
    )

    assert asked == (
        "https://registry.example.org/token?service=reg%20%26%20co&scope=repository:team/echo:pull"
    )


def test_a_token_service_elsewhere_must_be_named_by_the_owner() -> None:
    realm = "https://auth.example.org/token"
    named = replace(SOURCE, token_url=realm)

    assert token_address(named, realm=realm).startswith(realm + "?")
    with pytest.raises(rules.SourceRefused) as refusal:
        token_address(SOURCE, realm=realm)
    assert "auth.example.org" in refusal.value.detail
    assert "token_url" in refusal.value.detail


@pytest.mark.parametrize(
    "realm",
    [
        "",
        "token",
        "http://registry.example.org/token",
        "https://registry.example.org.evil.example/token",
        "https://registry.example.org:8443/token",
        "https://auth.example.org/token/other",
        "https://registry.example.org/token?next=https://evil.example",
        "https://ada@registry.example.org/token",
        "https://127.0.0.1/token",
    ],
)
def test_any_other_token_service_is_refused(realm: str) -> None:
    named = replace(SOURCE, token_url="https://auth.example.org/token")

    with pytest.raises(rules.SourceRefused):
        token_address(named, realm=realm)


@pytest.mark.parametrize(
    "document", [{"token": "t"}, {"access_token": "t"}, {"token": "t", "x": 1}]
)
def test_a_token_is_read(document: object) -> None:
    assert rules.read_token(SOURCE, 200, document) == "t"


@pytest.mark.parametrize(
    ("status", "document"),
    [
        (401, {"token": "t"}),
        (200, None),
        (200, []),
        (200, {"token": 7}),
        (200, {"token": "a b"}),
        (200, {"token": "a\r\nb"}),
        (200, {"token": "a" * 20_000}),
        (200, {}),
    ],
)
def test_anything_else_is_no_token(status: int, document: object) -> None:
    with pytest.raises(rules.SourceRefused):
        rules.read_token(SOURCE, status, document)


@pytest.mark.parametrize(
    ("status", "refusal"),
    [
        (204, rules.SourceRefused),
        (206, rules.SourceRefused),
        (400, rules.SourceRefused),
        (401, rules.SourceRefused),
        (403, rules.SourceRefused),
        (404, rules.SourceRefused),
        (429, rules.SourceUnreachable),
        (500, rules.SourceUnreachable),
        (503, rules.SourceUnreachable),
    ],
)
def test_an_answer_that_is_not_the_bytes_is_refused(status: int, refusal: type[ApiError]) -> None:
    with pytest.raises(refusal, match="acme/registry"):
        rules.check_status(SOURCE, status)


def test_a_length_that_cannot_be_right_is_refused_at_once() -> None:
    rules.check_length(SOURCE, "10", size=10)
    rules.check_length(SOURCE, None, size=10)
    with pytest.raises(rules.SourceMismatch):
        rules.check_length(SOURCE, "11", size=10)


def test_a_large_artifact_may_take_longer() -> None:
    assert rules.patience(0, slowest=1000) == 60
    assert rules.patience(10_000, slowest=1000) == 70
