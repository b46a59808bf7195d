"""`moor credentials` and `moor ssh-hosts`, against a real platform."""

from dataclasses import dataclass
from pathlib import Path

import asyncssh
import pytest

from cli.tests.conftest import Moor
from sdk.tests import running


@dataclass(frozen=True)
class Place:
    project: str
    allocation: str


@pytest.fixture
def place(admin: Moor) -> Place:
    """A project that holds a machine without agent."""
    word = f"c{running.free_port()}"
    admin("orgs", "create", word, "--name", "Acme", "--admin", running.ADMIN)
    admin("projects", "create", word, "alpha", "--name", "Alpha")
    admin("regions", "create", word, "--name", "Region")
    admin(
        *("skus", "create", word, "--name", "Class", "--cpus", "4", "--memory", "1"),
        *("--price", "1.00", "--currency", "EUR"),
    )
    admin(
        *("nodes", "create", word, "--region", word, "--sku", word, "--reach", "ssh"),
        *("--address", "127.0.0.1"),
    )
    held = admin(
        *("allocations", "create", f"{word}/alpha", "--sku", word, "--region", word),
        *("--name", "head", "-o", "json"),
    )
    return Place(f"{word}/alpha", held.json()["allocations"][0]["id"])


def test_a_key_from_a_file_is_put_into_custody_and_never_shown(
    admin: Moor, place: Place, tmp_path: Path
) -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    file = tmp_path / "key"
    file.write_bytes(key.export_private_key("openssh"))

    made = admin(
        *("credentials", "create", place.project, "deploy", "--username", "ops"),
        *("--key-file", str(file), "-o", "json"),
    )
    listed = admin("credentials", "list", place.project)

    assert made.code == 0, made.err
    assert made.json()["fingerprint"] == key.get_fingerprint("sha256")
    assert "PRIVATE" not in made.out + listed.out
    assert "deploy" in listed.out


def test_a_credential_is_rotated_and_revoked_by_its_name(admin: Moor, place: Place) -> None:
    made = admin("credentials", "create", place.project, "deploy", "-o", "json").json()

    rotated = admin(
        *("credentials", "rotate", "deploy", "--project", place.project),
        *("--overlap-hours", "2", "-o", "json"),
    ).json()
    asked = admin("credentials", "revoke", "deploy", "--project", place.project)
    revoked = admin("credentials", "revoke", made["id"], "--yes", "-o", "json").json()

    assert rotated["fingerprint"] != made["fingerprint"]
    assert rotated["previous_until"] is not None
    assert asked.code != 0
    assert revoked["revoked_at"] is not None
    shown = admin("credentials", "get", made["id"], "-o", "json").json()
    assert shown["revoked_at"] == revoked["revoked_at"]


def test_a_machine_is_set_and_its_address_is_not_called_without_leave(
    admin: Moor, place: Place
) -> None:
    admin("credentials", "create", place.project, "deploy")

    chosen = admin(
        *("ssh-hosts", "set", "head", "--project", place.project),
        *("--credential", "deploy", "-o", "json"),
    )
    scanned = admin("ssh-hosts", "scan", place.allocation)
    confirmed = admin("ssh-hosts", "confirm", place.allocation, "--fingerprint", "SHA256:no")
    shown = admin("ssh-hosts", "get", place.allocation, "-o", "json").json()

    assert chosen.code == 0, chosen.err
    assert "127.0.0.1 is this machine" in scanned.err
    assert confirmed.code != 0
    assert (shown["state"], shown["address"], shown["port"]) == ("unconfirmed", "127.0.0.1", 22)


def test_a_file_that_is_no_key_is_refused(admin: Moor, place: Place, tmp_path: Path) -> None:
    absent = admin("credentials", "create", place.project, "x", "--key-file", str(tmp_path / "no"))
    (tmp_path / "text").write_text("hello")
    wrong = admin("credentials", "create", place.project, "x", "--key-file", str(tmp_path / "text"))

    assert "cannot be read as a key" in absent.err
    assert "not a private key" in wrong.err
