"""The journal's lines about people become evidence, those of others do not."""

import json
import shlex
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from agent.tests.remote import PLACE, Remote
from agent.tests.test_access import Authority, keygen, person, said, until
from moorage_agent import evidence
from moorage_lab import Host

NINE = (
    "Accepted publickey for alice from 192.0.2.7 port 51122 ssh2: RSA-CERT SHA256:abc "
    "ID grn_1 corr-9 (serial 18446744073709551615) CA ED25519 SHA256:def"
)
EIGHT = (
    "Accepted publickey for alice from 2001:db8::7 port 51122 ssh2: ED25519-CERT "
    "ID grn_1 (evil (serial 5) (serial 77) CA ED25519 SHA256:def"
)


def line(message: object, *, pid: int = 7, **other: Any) -> bytes:
    entry = {
        "MESSAGE": message,
        "_PID": str(pid),
        "_COMM": "sshd-session",
        "__CURSOR": f"s={pid}",
        "__REALTIME_TIMESTAMP": "1760000000000000",
    }
    return json.dumps({**entry, **other}).encode()


def test_a_login_by_certificate_is_told_with_key_id_serial_and_address() -> None:
    found = evidence.Reader().read(line(NINE))

    assert found == {
        "kind": "ssh.login",
        "at": "2025-10-09T08:53:20+00:00",
        "key": "s=7",
        "data": {
            "login": "alice",
            "key_id": "grn_1 corr-9",
            "serial": 18446744073709551615,
            "address": "192.0.2.7",
            "port": 51122,
            "authority": "SHA256:def",
        },
    }


def test_a_key_id_with_brackets_and_an_older_server_s_line_are_understood() -> None:
    found = evidence.Reader().read(line(EIGHT))

    assert found is not None
    assert found["data"]["key_id"] == "grn_1 (evil (serial 5)"
    assert (found["data"]["serial"], found["data"]["address"]) == (77, "2001:db8::7")


def test_the_end_of_a_session_is_told_only_for_a_login_that_was() -> None:
    reader = evidence.Reader()
    closed = "pam_unix(sshd:session): session closed for user alice"

    before = reader.read(line(closed))
    reader.read(line(NINE))
    other = reader.read(line(closed, pid=8))
    found = reader.read(line(closed))
    again = reader.read(line(closed))

    assert (before, other, again) == (None, None, None)
    assert found is not None
    assert (found["kind"], found["data"]["key_id"]) == ("ssh.logout", "grn_1 corr-9")


@pytest.mark.parametrize(
    "message",
    [
        "Accepted publickey for root from 192.0.2.7 port 1 ssh2: ED25519 SHA256:abc",
        "Accepted password for alice from 192.0.2.7 port 1 ssh2",
        "error: Certificate does not contain an authorized principal",
        [1, 2, 3],
        None,
    ],
    ids=str,
)
def test_other_lines_are_nothing(message: object) -> None:
    assert evidence.Reader().read(line(message)) is None


def test_what_is_no_line_of_the_journal_is_nothing() -> None:
    assert evidence.Reader().read(b"-- cursor lost --") is None
    assert evidence.Reader().read(line("[1]", SYSLOG_IDENTIFIER="moorage-access")) is not None


class Follower:
    """Follows a host's journal from here, with the agent's own code over there."""

    def __init__(self, host: Host, cursor: str | None) -> None:
        code = (
            "import json, threading; from moorage_agent import evidence\n"
            f"for items in evidence.follow({cursor!r}, threading.Event()):\n"
            "    for item in items: print(json.dumps(item), flush=True)"
        )
        self.host, self.unit = host, f"follower-{id(self)}"
        unit = ["systemd-run", "--quiet", "--pipe", "--collect", f"--unit={self.unit}"]
        place = f"--working-directory={PLACE}/code"
        words = host.command([*unit, place, "python3", "-c", code])
        self.items: list[dict[str, Any]] = []
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for text in self.process.stdout:
            self.items.append(json.loads(text))

    def told(self) -> list[tuple[str, str]]:
        return [(item["kind"], item["data"].get("login", "")) for item in self.items]

    def close(self) -> None:
        self.host.run(["systemctl", "stop", self.unit])
        self.process.kill()
        self._thread.join()
        self.process.communicate()


@pytest.fixture
def remote(host: Host) -> Iterator[Remote]:
    remote = Remote.on(host)
    yield remote
    remote.do("wipe")
    remote.forget()


@pytest.mark.lab
def test_logins_ends_and_the_ended_are_followed_on_a_real_host_and_resumed(
    remote: Remote, tmp_path_factory: pytest.TempPathFactory
) -> None:
    host = remote.host
    folder = tmp_path_factory.mktemp("evidence")
    keygen("-t", "ed25519", "-N", "", "-f", str(folder / "ca"))
    authority = Authority(folder, host)
    wish = {"authorities": [authority.public], "people": [person()]}
    remote.do("access-sync", wish)
    now = host.run("journalctl --lines=1 --show-cursor").stdout.rpartition("-- cursor: ")[2].strip()
    forged = shlex.quote(NINE)
    host.run(f"setpriv --reuid=65534 --clear-groups logger -t sshd-session {forged}")

    follower = Follower(host, now)
    try:
        said(authority.ssh("alice"), "true; echo in")
        in_and_out = [("ssh.login", "alice"), ("ssh.logout", "alice")]
        assert until(lambda: follower.told() == in_and_out), follower.items
    finally:
        follower.close()
    session = subprocess.Popen([*authority.ssh("alice"), "sleep 1001"], stderr=subprocess.DEVNULL)
    assert until(lambda: "sleep" in host.run("pgrep -lu alice sleep", check=False).stdout)
    remote.do("access-sync", {**wish, "people": []}, correlation_id="corr-5")
    session.wait(10)
    resumed = Follower(host, follower.items[-1]["key"])
    try:
        expected = [("ssh.login", "alice"), ("access.ended", "alice")]
        assert until(lambda: resumed.told() == expected), resumed.items
    finally:
        resumed.close()

    first, last = follower.items[0]["data"], resumed.items[-1]["data"]
    assert (first["key_id"], first["serial"]) == ("corr-1/alice", 77)
    assert first["address"] == str(host.layout.lab.address)
    assert last["correlation_id"] == "corr-5"
    assert last["processes"] >= 2
