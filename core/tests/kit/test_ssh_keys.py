"""Keys that are too weak, whatever they are used for."""

import base64
import struct

import asyncssh
import pytest

from moorage_core.kit import ssh_keys

LONG_EXPONENT = (1 << 200) + 1


def rsa(bits: int, exponent: int) -> asyncssh.SSHKey:
    """A public key of this size, which nobody has the private half of."""
    parts = [b"ssh-rsa", *(_number(one) for one in (exponent, (1 << bits) - 1))]
    blob = b"".join(struct.pack(">I", len(part)) + part for part in parts)
    return asyncssh.import_public_key(f"ssh-rsa {base64.b64encode(blob).decode()}")


def _number(value: int) -> bytes:
    return value.to_bytes(value.bit_length() // 8 + 1, "big")


@pytest.mark.parametrize("exponent", [65537, LONG_EXPONENT])
@pytest.mark.parametrize("bits", [1024, 1984, 2040])
def test_a_small_rsa_key_is_weak_however_long_it_is_written(bits: int, exponent: int) -> None:
    said = ssh_keys.find_weakness(rsa(bits, exponent))

    assert said == (
        f"An RSA key of {bits} bits is too weak: it needs 2048 bits at least. "
        "Take ssh-ed25519, or RSA of 3072 bits or more."
    )


def test_dsa_is_weak() -> None:
    key = asyncssh.generate_private_key("ssh-dss")

    assert str(ssh_keys.find_weakness(key)).startswith("DSA keys are too weak.")


@pytest.mark.parametrize(
    "key",
    [
        rsa(2048, 3),
        rsa(3072, 65537),
        asyncssh.generate_private_key("ssh-ed25519"),
        asyncssh.generate_private_key("ecdsa-sha2-nistp256"),
    ],
    ids=lambda key: str(key.get_algorithm()),
)
def test_keys_of_today_are_not(key: asyncssh.SSHKey) -> None:
    assert ssh_keys.find_weakness(key) is None
