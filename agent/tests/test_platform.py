"""Whom the agent speaks to, and how it says that it cannot."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from agent.tests import certificates, standin
from moorage_agent import platform as platforms
from moorage_agent import trust
from moorage_agent.platform import Insecure, Platform, Refused, Unreachable

Speak = Callable[[standin.Platform, Path | None], Platform]


@pytest.fixture
def speaking_to() -> Iterator[Speak]:
    """Makes clients that are closed after the test."""
    made: list[Platform] = []

    def speak(platform: standin.Platform, ca: Path | None) -> Platform:
        made.append(Platform(platform.url, platforms.trusting(ca)))
        return made[-1]

    yield speak
    for client in made:
        client.close()


@pytest.mark.parametrize("url", ["http://10.0.0.1:8080", "http://moor.example", "ftp://x", "moor"])
def test_what_is_not_https_is_refused_off_the_machine_itself(url: str) -> None:
    with pytest.raises(Insecure):
        platforms.parse(url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://[::1]:1", "http://localhost:1"])
def test_plain_http_is_for_the_machine_itself(url: str) -> None:
    assert not platforms.parse(url).is_https


def test_a_server_of_the_pinned_authority_is_trusted(
    speaking_to: Speak, platform: standin.Platform, authority: certificates.Authority
) -> None:
    speaking = speaking_to(platform, authority.folder / "ca.pem")

    assert speaking.fetch("/v1/agent/ca.pem") == authority.pem


def test_a_server_of_another_authority_is_not_spoken_to(
    speaking_to: Speak, platform: standin.Platform, tmp_path: Path
) -> None:
    stranger = certificates.Authority.make(tmp_path / "stranger")

    with pytest.raises(Unreachable, match="not trusted"):
        speaking_to(platform, stranger.folder / "ca.pem").call("POST", "/v1/agent/token", {})


def test_the_systems_own_authorities_do_not_vouch_for_a_private_one(
    speaking_to: Speak,
    platform: standin.Platform,
) -> None:
    with pytest.raises(Unreachable, match="not trusted"):
        speaking_to(platform, None).fetch("/v1/agent/ca.pem")


def test_a_certificate_of_another_address_is_not_trusted(
    speaking_to: Speak,
    authority: certificates.Authority,
) -> None:
    platform = standin.Platform(authority)
    platform.start(authority.issue("192.0.2.1"))
    try:
        with pytest.raises(Unreachable, match="not trusted"):
            speaking_to(platform, authority.folder / "ca.pem").fetch("/v1/agent/ca.pem")
    finally:
        platform.stop()


@pytest.mark.parametrize("age", [timedelta(days=-1), timedelta(days=30)])
def test_a_clock_far_off_is_named_with_the_servers_time(
    speaking_to: Speak, age: timedelta, authority: certificates.Authority
) -> None:
    platform = standin.Platform(authority)
    platform.start(authority.issue(platform.address, age=age))
    try:
        with pytest.raises(Unreachable, match=r"clock; the server says it is \w+, \d+"):
            speaking_to(platform, authority.folder / "ca.pem").fetch("/v1/agent/ca.pem")
    finally:
        platform.stop()


def test_a_refusal_carries_its_code(
    speaking_to: Speak, platform: standin.Platform, authority: certificates.Authority
) -> None:
    speaking = speaking_to(platform, authority.folder / "ca.pem")

    with pytest.raises(Refused) as refused:
        speaking.call("POST", "/v1/agent/token", {"node_id": "nod_none", "assertion": "a.b.c"})

    assert (refused.value.status, refused.value.code) == (401, "assertion_refused")


def test_a_connection_that_died_while_it_was_kept_is_replaced(
    speaking_to: Speak, platform: standin.Platform, authority: certificates.Authority
) -> None:
    speaking = speaking_to(platform, authority.folder / "ca.pem")
    speaking.fetch("/v1/agent/ca.pem")
    platform.stop()
    platform.start()

    assert speaking.fetch("/v1/agent/ca.pem") == authority.pem


def test_a_platform_that_is_away_is_unreachable(
    speaking_to: Speak, platform: standin.Platform, authority: certificates.Authority
) -> None:
    speaking = speaking_to(platform, authority.folder / "ca.pem")
    platform.stop()

    with pytest.raises(Unreachable):
        speaking.fetch("/v1/agent/ca.pem")


def test_only_the_certificate_that_the_line_names_is_picked_from_a_bundle(
    authority: certificates.Authority, tmp_path: Path
) -> None:
    other = certificates.Authority.make(tmp_path / "other")

    picked = trust.pick(b"words before\n" + other.pem + authority.pem, authority.digest)

    assert trust.certificates(picked) == trust.certificates(authority.pem)
    with pytest.raises(trust.WrongAuthority):
        trust.pick(other.pem, authority.digest)
    with pytest.raises(trust.WrongAuthority):
        trust.pick(b"-----BEGIN CERTIFICATE-----\n!!\n", authority.digest)


def test_whoever_answers_cannot_fill_the_memory(
    speaking_to: Speak, platform: standin.Platform, authority: certificates.Authority
) -> None:
    platform.bundle = b"x" * 100_001

    with pytest.raises(Unreachable, match="longer than 100000 bytes"):
        speaking_to(platform, authority.folder / "ca.pem").fetch("/v1/agent/ca.pem", limit=100_000)
