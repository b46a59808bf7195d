"""Envelope encryption: a fresh key for each secret, itself sealed by a master key.

Apart from rules because keys and nonces are drawn by chance; nothing else here is impure. The
secret's id and owner are bound in as associated data, so a row copied onto another does not
open.
"""

import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NONCE = 12


class NotOpened(Exception):
    """The sealed value was changed, or belongs to another row or key."""


def seal(plain: bytes, *, master: bytes, bound_to: str) -> tuple[bytes, bytes]:
    """(wrapped key, ciphertext)."""
    key = AESGCM.generate_key(bit_length=256)
    return wrap(key, master=master, bound_to=bound_to), encrypt(key, plain, bound_to)


def unseal(wrapped: bytes, ciphertext: bytes, *, master: bytes, bound_to: str) -> bytes:
    return decrypt(unwrap(wrapped, master=master, bound_to=bound_to), ciphertext, bound_to)


def wrap(key: bytes, *, master: bytes, bound_to: str) -> bytes:
    return encrypt(master, key, bound_to)


def unwrap(wrapped: bytes, *, master: bytes, bound_to: str) -> bytes:
    return decrypt(master, wrapped, bound_to)


def encrypt(key: bytes, plain: bytes, bound_to: str) -> bytes:
    nonce = secrets.token_bytes(NONCE)
    return nonce + AESGCM(key).encrypt(nonce, plain, bound_to.encode())


def decrypt(key: bytes, sealed: bytes, bound_to: str) -> bytes:
    try:
        return AESGCM(key).decrypt(sealed[:NONCE], sealed[NONCE:], bound_to.encode())
    except (InvalidTag, ValueError) as err:
        raise NotOpened(f"The secret of {bound_to} does not open.") from err
