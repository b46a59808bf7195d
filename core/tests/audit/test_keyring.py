"""Signing keys are files: made once, rotated by adding one, retired to their public half."""

import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from core.tests.audit import sealing
from moorage_core.audit import keyring, seals
from moorage_core.audit.keyring import KeyUnusable

ENTRIES = sealing.entries(1, 3)


def test_an_empty_folder_holds_no_key(tmp_path: Path) -> None:
    assert keyring.read(tmp_path).public == {}


def test_a_new_key_signs_and_is_closed_to_others(tmp_path: Path) -> None:
    keyring.add(tmp_path, number=1)

    keys = keyring.read(tmp_path)
    seal = sealing.seal_after(None, ENTRIES, keys=keys)

    assert seals.is_signed(seal, keys=keys.public)
    assert stat.S_IMODE((tmp_path / "audit-1.pem").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["audit-1.pem"]


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    keyring.add(tmp_path, number=1)
    before = (tmp_path / "audit-1.pem").read_bytes()

    keyring.add(tmp_path, number=1)

    assert (tmp_path / "audit-1.pem").read_bytes() == before


def test_the_highest_number_signs_and_older_seals_stay_verifiable(tmp_path: Path) -> None:
    keyring.add(tmp_path, number=9)
    old = sealing.seal_after(None, ENTRIES, keys=keyring.read(tmp_path))
    keyring.add(tmp_path, number=10)

    keys = keyring.read(tmp_path)

    assert keys.signer_id != old.key_id
    assert list(keys.public) == [old.key_id, keys.signer_id]
    assert seals.is_signed(old, keys=keys.public)


def test_a_retired_key_verifies_with_its_public_half_alone(tmp_path: Path) -> None:
    keyring.add(tmp_path, number=1)
    keys = keyring.read(tmp_path)
    old = sealing.seal_after(None, ENTRIES, keys=keys)
    (tmp_path / "audit-1.pub").write_text(keyring.pem(keys.public[old.key_id]))
    (tmp_path / "audit-1.pem").unlink()
    keyring.add(tmp_path, number=2)

    after = keyring.read(tmp_path)

    assert seals.is_signed(old, keys=after.public)
    assert after.signer_id != old.key_id


def test_a_public_half_beside_its_key_changes_nothing(tmp_path: Path) -> None:
    keyring.add(tmp_path, number=1)
    before = keyring.read(tmp_path)
    (tmp_path / "audit-1.pub").write_text(keyring.pem(before.public[before.signer_id]))

    assert keyring.read(tmp_path).signer_id == before.signer_id


def test_a_folder_whose_newest_key_is_public_cannot_sign(tmp_path: Path) -> None:
    key = next(iter(sealing.KEYS.public.values()))
    (tmp_path / "audit-1.pub").write_text(keyring.pem(key))

    with pytest.raises(KeyUnusable, match="cannot sign"):
        _ = keyring.read(tmp_path).signer_id


@pytest.mark.parametrize("name", ["audit-1.pem", "audit-1.pub"])
def test_a_damaged_key_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("not a key")

    with pytest.raises(KeyUnusable, match=name):
        keyring.read(tmp_path)


def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    (tmp_path / "audit-1.pem").write_bytes(key)

    with pytest.raises(KeyUnusable, match="Ed25519"):
        keyring.read(tmp_path)


def test_the_private_key_stays_out_of_what_is_printed(tmp_path: Path) -> None:
    keyring.add(tmp_path, number=1)

    assert "Private" not in repr(keyring.read(tmp_path))
