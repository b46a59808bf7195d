"""A node's key and what is signed with it."""

import base64
import json
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from moorage_agent import identity
from moorage_agent.identity import Identity


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key.pem"
    identity.make_key(path)
    return path


def decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_the_key_is_its_owners_alone(key: Path) -> None:
    assert key.stat().st_mode & 0o777 == 0o600


def test_a_signature_holds_against_the_public_half(key: Path) -> None:
    jwk = identity.public_jwk(key)
    x, y = (int.from_bytes(decode(jwk[name]), "big") for name in "xy")
    public = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()

    for _ in range(20):  # leading zeros in r or s come up one time in 128
        head, claims, signature = identity.sign(key, {"sub": "nod_1"}).split(".")
        raw = decode(signature)

        assert len(raw) == 64
        numbers = int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
        signed = f"{head}.{claims}".encode()
        public.verify(encode_dss_signature(*numbers), signed, ec.ECDSA(hashes.SHA256()))


def test_claims_name_the_audience_and_no_time(key: Path) -> None:
    claims = json.loads(decode(identity.sign(key, {"sub": "nod_1"}).split(".")[1]))

    assert claims.pop("jti")
    assert claims == {"aud": "moorage-agent", "sub": "nod_1"}


@pytest.mark.parametrize(("r", "s"), [(1, 2), (2**255 + 5, 3), (2**256 - 1, 2**247)])
def test_numbers_of_any_length_stand_in_32_bytes(r: int, s: int) -> None:
    raw = identity.raw_signature(encode_dss_signature(r, s))

    assert (int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")) == (r, s)


@pytest.mark.parametrize("der", [b"", b"\x30\x02\x02\x01", b"\x31\x00", b"\x30\x03\x02\x01\x01"])
def test_what_is_no_signature_is_refused(der: bytes) -> None:
    with pytest.raises(identity.KeyUnusable):
        identity.raw_signature(der)


def test_an_assertion_is_on_disk_before_it_is_sent_and_stays_the_same(
    key: Path, tmp_path: Path
) -> None:
    place = tmp_path / "identity.json"
    mine = Identity("https://moor.example", "nod_1", "gpu-07", "n1")

    ready = identity.assertion(mine, key=key, place=place)
    after_a_crash = identity.load(place)

    assert after_a_crash == ready
    assert ready.pending
    assert identity.assertion(ready, key=key, place=place).pending == ready.pending
    assert identity.answered(ready, "n2", place=place) == replace(mine, nonce="n2")
