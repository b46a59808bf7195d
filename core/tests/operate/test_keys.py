"""Rotating keys of a platform on disk."""

import stat
import subprocess
import sys
from pathlib import Path

from moorage_core.embedded import folder
from moorage_core.secrets import keyring


def moor(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).parent / "moor", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_rotation_puts_the_next_key_beside_the_others(place: Path) -> None:
    made = folder.prepare(place / "data")
    keyring.ensure(made.keys)
    first = (made.keys / "master-1.key").read_bytes()

    secrets = moor("keys", "rotate", "secrets", "--data", made.path)
    audit = moor("keys", "rotate", "audit", "--data", made.path)

    assert (secrets.returncode, audit.returncode) == (0, 0), secrets.stderr + audit.stderr
    assert keyring.Keyring(made.keys).newest == 2
    assert (made.keys / "master-1.key").read_bytes() == first
    assert stat.S_IMODE((made.keys / "master-2.key").stat().st_mode) == 0o600
    assert (made.keys / "audit-1.pem").exists()
    assert first.hex() not in secrets.stdout


def test_a_folder_without_a_platform_is_not_made_one(place: Path) -> None:
    refused = moor("keys", "rotate", "secrets", "--data", place / "nothing")

    assert refused.returncode == 4
    assert "There is no platform's data" in refused.stderr
    assert not (place / "nothing").exists()


def test_a_key_that_another_process_made_first_is_kept(place: Path) -> None:
    keys = folder.prepare(place / "data").keys
    keyring.add(keys, version=1)
    before = (keys / "master-1.key").read_bytes()

    keyring.add(keys, version=1)

    assert (keys / "master-1.key").read_bytes() == before
    assert [path.name for path in keys.iterdir()] == ["master-1.key"]
