"""A simulated host remembers what its tasks did."""

import base64
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from moorage_lab.simulated.host import Host, Ran
from moorage_lab.simulated.script import Memory, Reaction

UNIT = "/etc/systemd/system/a.service"


def greet(host: Host, argv: Sequence[str], stdin: str) -> Ran | None:
    return Ran(stdout=f"hello {stdin}") if argv[0] == "greet" else None


@pytest.fixture
def host() -> Host:
    return Host("h1", "10.0.0.1", program=greet)


def play(host: Host, kind: str, secrets: dict[str, str] | None = None, **given: Any) -> Reaction:
    task = {"kind": kind, "input": given, "secrets": secrets or {}}
    return host.play(task, Memory({"hostname": host.name}, Random(1)))


def put(host: Host, path: str, content: bytes) -> Reaction:
    return play(host, "put", path=path, content=base64.b64encode(content).decode())


def test_a_file_is_there_until_it_is_removed(host: Host) -> None:
    assert put(host, "/etc/a/b", b"1").changed is True
    assert put(host, "/etc/a/b", b"1").changed is False
    assert play(host, "get", path="/etc/a/b").output == (b"1",)

    play(host, "exec", argv=["rm", "-rf", "--", "/etc/a"])

    assert play(host, "get", path="/etc/a/b").state == "failed"


def test_in_place_of_an_artifact_is_its_digest(host: Host) -> None:
    play(host, "put", path="/opt/a", digest="sha256:00", size=3)

    assert host.files["/opt/a"] == b"sha256:00"


def test_a_secret_arrives_as_itself(host: Host) -> None:
    secrets = {"key": base64.b64encode(b"open").decode()}

    play(host, "put", secrets, path="/etc/key", content={"$secret": "key"})
    said = play(host, "exec", secrets, argv=["greet"], stdin={"$secret": "key"})

    assert host.files["/etc/key"] == b"open"
    assert said.output == (b"hello open",)


def test_a_unit_counts_its_starts(host: Host) -> None:
    play(host, "service", unit="a.service", content="[Service]", state="started", enabled=True)
    assert play(host, "service", unit="a.service", state="started").changed is False
    play(host, "service", unit="a.service", state="restarted")
    assert host.starts("a.service") == 2

    play(host, "service", unit="a.service", state="stopped")

    assert host.starts("a.service") == 0


def test_a_unit_that_is_not_there_cannot_start(host: Host) -> None:
    said = play(host, "service", unit="a.service", state="started")

    assert said.error is not None
    assert said.error["code"] == "unit_missing"


def test_a_unit_is_gone_with_its_file(host: Host) -> None:
    play(host, "service", unit="a.service", content="[Service]", state="started")
    assert play(host, "probe", parts=["services"]).result["services"] == {
        "a.service": "active (running)"
    }

    play(host, "exec", argv=["systemctl", "disable", "--now", "--quiet", "a.service"])
    play(host, "exec", argv=["rm", "-rf", "--", UNIT])
    play(host, "exec", argv=["systemctl", "daemon-reload"])

    assert (host.files, host.units) == ({}, {})


def test_what_is_there_is_listed(host: Host) -> None:
    put(host, "/etc/a/b", b"1")

    said = play(host, "exec", argv=["ls", "-d", "--", "/etc/a", "/opt/a"])

    assert (said.state, said.output) == ("failed", (b"/etc/a\n",))


def test_a_program_that_is_not_there_is_not_found(host: Host) -> None:
    said = play(host, "exec", argv=["sing"])

    assert said.error is not None
    assert said.error["code"] == "command_not_found"


def test_a_wipe_leaves_nothing(host: Host) -> None:
    put(host, "/etc/a/b", b"1")

    play(host, "wipe")

    assert host.files == {}


def test_what_has_really_happened_is_counted(host: Host) -> None:
    for _ in range(2):
        put(host, "/etc/a/b", b"1")
        play(host, "service", unit="a.service", content="[Service]", state="started")
    play(host, "service", unit="a.service", state="restarted")

    assert host.effects["write /etc/a/b"] == 1
    assert host.effects["start a.service"] == 2


def test_a_unit_that_comes_again_is_not_taken_for_the_one_before(host: Host) -> None:
    numbers: list[int] = []
    for _ in range(2):
        play(host, "service", unit="a.service", content="[Service]", state="started")
        numbers.append(host.starts("a.service"))
        play(host, "exec", argv=["systemctl", "disable", "--now", "--quiet", "a.service"])
        play(host, "exec", argv=["rm", "-rf", "--", UNIT])
        play(host, "exec", argv=["systemctl", "daemon-reload"])

    assert numbers == [1, 2]
