"""`moor sources`, against a real platform."""

import io

import pytest

from cli.tests.conftest import Moor
from sdk.tests import running

URL = "https://registry.example.org"


@pytest.fixture
def org(admin: Moor) -> str:
    slug = f"s{running.free_port()}"
    admin("orgs", "create", slug, "--name", "Acme", "--admin", running.ADMIN)
    return slug


@pytest.fixture
def source(admin: Moor, org: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A registry with a password, by what policy calls it."""
    monkeypatch.setattr("sys.stdin", io.StringIO("engine-room\n"))
    made = admin(
        *("sources", "create", org, "registry", "--name", "Registry", "--kind", "oci"),
        *("--url", URL, "--username", "ada", "--password-stdin", "-o", "json"),
    ).json()
    assert made["has_credential"] is True
    return made["policy_name"]


def test_a_source_goes_by_what_policy_calls_it(admin: Moor, org: str, source: str) -> None:
    shown = admin("sources", "get", source)
    listed = admin("sources", "list", "--org", org)
    off = admin("sources", "update", source, "--disable", "--name", "Old", "-o", "json").json()
    deleted = admin("sources", "delete", source, "--yes")

    assert source == f"{org}/registry"
    assert "engine-room" not in shown.out + shown.err + listed.out
    assert source in listed.out
    assert (off["enabled"], off["name"], off["has_credential"]) == (False, "Old", True)
    assert deleted.out.strip() == f"The source {source} is removed."
    assert admin("sources", "get", source).code == 4


def test_a_source_that_moves_needs_its_credential_again(
    admin: Moor, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = ("--url", "https://elsewhere.example.org")

    refused = admin("sources", "update", source, *there)
    monkeypatch.setattr("sys.stdin", io.StringIO("t0ken\n"))
    moved = admin("sources", "update", source, *there, "--token-stdin", "-o", "json").json()
    cleared = admin("sources", "update", source, "--clear-credential", "-o", "json").json()

    assert refused.code == 5
    assert moved["url"] == "https://elsewhere.example.org"
    assert cleared["has_credential"] is False


def test_a_token_service_is_named_and_forgotten(admin: Moor, source: str) -> None:
    there = ("--token-url", "https://auth.example.org/token")

    refused = admin("sources", "update", source, *there)
    named = admin("sources", "update", source, *there, "--clear-credential", "-o", "json").json()
    none = admin("sources", "update", source, "--clear-token-url", "-o", "json").json()

    assert refused.code == 5, "the credential would be sent there"
    assert (named["token_url"], none["token_url"]) == ("https://auth.example.org/token", None)


def test_the_platforms_own_source_is_shared(admin: Moor) -> None:
    slug = f"s{running.free_port()}"

    made = admin(
        *("sources", "create", "platform", slug, "--name", "Files", "--kind", "https"),
        *("--url", URL, "--disabled", "-o", "json"),
    ).json()

    assert (made["shared"], made["policy_name"], made["enabled"]) == (True, slug, False)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--username", "ada", "--token-stdin"),
        ("--password-stdin",),
    ],
)
def test_a_change_that_says_nothing_whole_is_refused(
    admin: Moor, source: str, arguments: tuple[str, ...]
) -> None:
    assert admin("sources", "update", source, *arguments).code == 1
