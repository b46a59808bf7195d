"""People on machines, from the command line: grants, logins, and `moor ssh` with an ssh that tells.

The node is a scripted one. On real hosts it is tried in tests/e2e.
"""

import json
import os
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from cli.tests.conftest import Moor
from core.tests.factories.machines import SSH_PUBLIC_KEY
from moorage.models import SshCertificateRead
from moorage_cli import visits
from moorage_cli.visits import Folder, Wish
from moorage_core.embedded import folder, postgres
from sdk.tests import running
from sdk.tests.running import Platform
from sdk.tests.scripted_node import ScriptedNode

HOST_KEY = " ".join(SSH_PUBLIC_KEY.split()[:2])
INVENTORY: dict[str, Any] = {
    "nics": [{"name": "eth0", "addresses": ["198.18.0.9"]}],
    "ssh_host_keys": [HOST_KEY],
}
TELLING_SSH = """#!/bin/sh
for word in "$@"; do printf '%s\\n' "$word"; done > "$SAID/argv"
for word in "$@"; do case "$word" in *=/*) path="${word#*=}";
    [ -f "$path" ] && cp -p "$path" "$SAID/$(basename "$path")";; esac; done
ls -ld "$(dirname "$(grep ^IdentityFile= "$SAID/argv" | cut -d= -f2)")" > "$SAID/folder"
exit 7
"""


@pytest.fixture
def org(admin: Moor) -> str:
    slug = f"a{running.free_port()}"
    admin("orgs", "create", slug, "--name", "Acme", "--admin", running.ADMIN)
    return slug


@pytest.fixture
def project(admin: Moor, org: str) -> dict[str, Any]:
    return admin("projects", "create", org, "alpha", "--name", "Alpha", "-o", "json").json()


@pytest.fixture
def database(platform: Platform) -> Iterator[psycopg.Connection[Any]]:
    found = postgres.find_running(folder.prepare(platform.folder / "data"))
    assert found is not None
    with psycopg.connect(found.super_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def node(
    platform: Platform, database: psycopg.Connection[Any], project: dict[str, Any]
) -> Iterator[ScriptedNode]:
    inventory = json.dumps(INVENTORY)
    with ScriptedNode(platform.url, database, project, "box", inventory=inventory) as started:
        yield started


@pytest.fixture
def machine(node: ScriptedNode) -> str:
    """An active allocation of the project, whose node does what it is told."""
    return node.id


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What ssh was told. It stands first in the path and connects to nothing."""
    programs, told = tmp_path / "bin", tmp_path / "said"
    programs.mkdir()
    told.mkdir()
    (programs / "ssh").write_text(TELLING_SSH)
    (programs / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("SAID", str(told))
    return told


def test_ssh_is_run_as_the_person_with_pinned_keys_and_nothing_stays(
    admin: Moor, machine: str, said: Path
) -> None:
    grant = admin("access", "grant", machine, "--sudo", "-o", "json").json()

    ran = admin("ssh", machine, "--", "uname", "-a")

    assert ran.code == 7, ran.err
    words = (said / "argv").read_text().splitlines()
    assert words[-8:] == ["-p", "22", "-l", grant["login"], "--", "198.18.0.9", "uname", "-a"]
    assert "StrictHostKeyChecking=yes" in words
    assert (said / "known_hosts").read_text() == f"moorage-{grant['id']} {HOST_KEY}\n"
    assert f"HostKeyAlias=moorage-{grant['id']}" in words
    assert stat.S_IMODE((said / "id").stat().st_mode) == 0o600
    assert (said / "id-cert.pub").read_text().startswith("ssh-ed25519-cert-v01@openssh.com ")
    assert (said / "folder").read_text().startswith("drwx------")
    key = next(word for word in words if word.startswith("IdentityFile=")).partition("=")[2]
    assert not Path(key).parent.exists()


def test_who_has_no_grant_gets_one_where_they_may(admin: Moor, machine: str, said: Path) -> None:
    ran = admin("ssh", machine, "--", "true")

    assert ran.code == 7, ran.err
    live = admin("access", "list", machine, "-o", "json").json()["items"]
    assert [(found["sudo"], found["forwarding"]) for found in live] == [(False, False)]


def test_a_grant_without_sudo_is_not_taken_for_one_with_it(
    admin: Moor, machine: str, said: Path
) -> None:
    admin("access", "grant", machine)

    ran = admin("ssh", machine, "--sudo")

    assert ran.code == 1
    assert "does not include sudo" in ran.err
    assert not (said / "argv").exists()


def test_the_command_can_be_printed(admin: Moor, machine: str) -> None:
    admin("access", "grant", machine)

    shown = admin("ssh", machine, "--print", "-o", "json").json()

    assert shown["command"][0] == "ssh"
    place = Path(shown["folder"])
    assert sorted(file.name for file in place.iterdir()) == [
        "id",
        "id-cert.pub",
        "id.pub",
        "known_hosts",
    ]
    text = admin("ssh", machine, "--print").out
    assert shlex.split(text)[0] == "ssh"


def test_grants_are_listed_and_ended(admin: Moor, machine: str) -> None:
    grant = admin(
        *("access", "grant", machine, "--user", running.ADMIN, "--lasts", "1h"),
        *("--reason", "to look at its logs", "-o", "json"),
    ).json()

    shown = admin("access", "get", grant["id"], "--wait", "-o", "json").json()
    ended = admin("access", "end", grant["id"], "--yes")
    live = admin("access", "list", machine, "-o", "json").json()["items"]
    everyone = admin("access", "list", machine, "--all", "-o", "json").json()["items"]

    assert shown["reason"] == "to look at its logs"
    assert shown["carried_out"] is True
    assert ended.out.strip() == f"The access of {grant['login']} has ended."
    assert live == []
    assert [found["ended_because"] for found in everyone] == ["somebody ended it"]


def test_logins_are_given_and_listed(admin: Moor, org: str, machine: str) -> None:
    made = admin("logins", "create", org, running.ADMIN, "--login", "ada", "-o", "json").json()

    listed = admin("logins", "list", org, "-o", "json").json()["items"]

    assert [(found["login"], found["uid"]) for found in listed] == [("ada", made["uid"])]


def test_a_key_of_one_s_own_can_be_certified(admin: Moor, machine: str, tmp_path: Path) -> None:
    grant = admin("access", "grant", machine, "-o", "json").json()
    file = tmp_path / "id.pub"
    file.write_text(SSH_PUBLIC_KEY)

    issued = admin("access", "certify", grant["id"], "--key", str(file), "-o", "json").json()

    assert issued["certificate"].startswith("ssh-ed25519-cert-v01@openssh.com ")


def test_the_authority_is_rotated(admin: Moor) -> None:
    made = admin("access", "rotate-authority", "--reason", "it is a year old", "-o", "json").json()

    listed = admin("access", "authorities", "-o", "json").json()["items"]

    assert listed[0]["id"] == made["id"]


def test_a_machine_that_told_no_keys_is_not_entered(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="has not told its SSH host keys"):
        visits.write(Folder(tmp_path), issued(host_keys=[]))


def test_a_shared_connection_is_the_caller_s_to_ask_for(tmp_path: Path) -> None:
    own = visits.arguments(Folder(tmp_path), issued(), Wish(), address="h")
    shared = visits.arguments(
        Folder(tmp_path), issued(), Wish(options=["-M", "-S", "/run/x"]), address="h"
    )

    assert "ControlPath=none" in own
    assert "ControlPath=none" not in shared


def issued(**values: Any) -> SshCertificateRead:
    given: dict[str, Any] = {
        "certificate": "ssh-ed25519-cert-v01@openssh.com AAAA",
        "serial": 1,
        "key_id": "k",
        "principal": "p",
        "expires_at": "2026-03-01T00:00:00Z",
        "grant_id": "acg_1",
        "login": "ada",
        "node_name": "n",
        "addresses": ["198.18.0.9"],
        "port": 22,
        "host_keys": [HOST_KEY],
    }
    return SshCertificateRead.model_validate(given | values)
