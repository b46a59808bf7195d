"""Master keys are files outside the database."""

from pathlib import Path

import pytest

from moorage_core.secrets import keyring


def test_the_first_key_is_made_where_there_is_none(tmp_path: Path) -> None:
    ring = keyring.ensure(tmp_path)

    assert ring.newest == 1
    assert (tmp_path / "master-1.key").stat().st_mode & 0o777 == 0o600
    assert len(ring.key(1)) == 32
    assert keyring.ensure(tmp_path).key(1) == ring.key(1)


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    before = keyring.ensure(tmp_path).key(1)

    keyring.add(tmp_path, version=1)

    assert keyring.Keyring(tmp_path).key(1) == before


def test_a_running_process_finds_a_new_key(tmp_path: Path) -> None:
    ring = keyring.ensure(tmp_path)
    keyring.add(tmp_path, version=2)

    assert ring.newest == 1
    assert len(ring.key(2)) == 32, "found when it is met"
    assert ring.newest == 2


def test_looking_again_makes_the_new_key_the_newest(tmp_path: Path) -> None:
    ring = keyring.ensure(tmp_path)
    keyring.add(tmp_path, version=10)

    assert ring.reread() == 10


def test_a_key_that_is_still_being_written_is_no_key_yet(tmp_path: Path) -> None:
    ring = keyring.ensure(tmp_path)
    (tmp_path / "master-2.key").write_bytes(b"half")

    assert ring.reread() == 1
    (tmp_path / "master-2.key").write_bytes(b"w" * 32)
    assert ring.reread() == 2
    assert ring.key(2) == b"w" * 32


def test_a_key_that_is_not_there_is_named(tmp_path: Path) -> None:
    ring = keyring.ensure(tmp_path)

    with pytest.raises(keyring.KeyUnknown, match=r"Restore master-7\.key from a backup"):
        ring.key(7)


def test_a_folder_without_keys_is_not_taken_for_one_that_lost_none(tmp_path: Path) -> None:
    with pytest.raises(keyring.KeyUnknown, match="holds no master key"):
        keyring.Keyring(tmp_path)


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "master-1.key.bak").write_bytes(b"b" * 32)
    (tmp_path / "audit-1.pem").write_text("x")

    assert keyring.ensure(tmp_path).newest == 1
    assert (tmp_path / "master-1.key").exists()
