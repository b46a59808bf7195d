"""Signing artifacts by their digest, and checking such signatures without trusting the platform.

A signature says that whoever has the key stands by these bytes. It is worth as much as your
knowledge of whose key it is: get the publisher's public key from the publisher.
"""

import base64
import binascii
from collections.abc import Iterable
from typing import Protocol

from joserfc.errors import JoseError
from joserfc.jwk import OKPKey
from joserfc.jws import JWSRegistry

from moorage._keys import ALGORITHM, PrivateKey
from moorage._problem import MoorageError
from moorage.models import PublicKey, PublisherPublicKey

PREFIX = b"moorage artifact v1\n"
"""Stands before the digest: a signature of something else is never one of an artifact."""

PROOF_PREFIX = b"moorage publisher key v1\n"

Public = PublicKey | PublisherPublicKey | str
"""A public key; as text, the `x` of its JWK."""


class Signed(Protocol):
    """A signature as the platform gives it."""

    @property
    def public_key(self) -> dict[str, str]: ...

    @property
    def signature(self) -> str: ...


class SignatureBroken(MoorageError):
    """Nothing here proves that a known publisher stands by these bytes."""


def sign(digest: str, key: PrivateKey) -> str:
    """The signature of an artifact with this digest, as `client.artifacts.sign` takes it."""
    return key.sign(PREFIX + digest.encode())


def prove(project: str, key: PrivateKey) -> str:
    """The proof that registers a key in the project with this id: whoever made it has the key."""
    return key.sign(PROOF_PREFIX + project.encode())


def check(digest: str, signatures: Iterable[Signed], *, known: Iterable[Public]) -> str:
    """The known key that signed the digest.

    Args:
        digest: Of the bytes that you have, computed by you.
        signatures: From a pull, or from `client.artifacts.list_signatures`.
        known: Public keys that you know as the publisher's.

    Raises:
        SignatureBroken: No good signature by a known key is among them.
    """
    trusted = {key if isinstance(key, str) else key.x for key in known}
    for found in signatures:
        x = found.public_key.get("x", "")
        if x in trusted and is_good(digest, found.signature, x):
            return x
    raise SignatureBroken(f"No key that you know has signed {digest}.")


def is_good(digest: str, signature: str, key: Public) -> bool:
    """Whether this is the key's signature of an artifact with this digest."""
    x = key if isinstance(key, str) else key.x
    try:
        raw = base64.b64decode(signature + "=" * (-len(signature) % 4), altchars=b"-_")
        public = OKPKey.import_key({"kty": "OKP", "crv": "Ed25519", "x": x})
    except (JoseError, ValueError, binascii.Error):
        return False
    return JWSRegistry.algorithms[ALGORITHM].verify(PREFIX + digest.encode(), raw, public)
