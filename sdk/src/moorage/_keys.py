"""Ed25519 keys of service accounts and publishers: made here, used here, never sent."""

import base64
import secrets
import time
from pathlib import Path
from typing import Self

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey
from joserfc.jws import JWSRegistry

from moorage._problem import MoorageError
from moorage.models import PublicKey

ALGORITHM = "Ed25519"
ASSERTION_SECONDS = 120


class KeyUnusable(MoorageError, ValueError):
    """This is not an Ed25519 private key."""


class PrivateKey:
    """An Ed25519 private key."""

    def __init__(self, key: OKPKey) -> None:
        self._key = key

    def __repr__(self) -> str:
        return "PrivateKey(…)"

    @classmethod
    def generate(cls) -> Self:
        """A new key. Keep `pem`, register `public`."""
        return cls(OKPKey.generate_key("Ed25519"))

    @classmethod
    def load(cls, source: Path | str | bytes) -> Self:
        """Read a key from a file, or from PEM or JWK text."""
        text = source.read_bytes() if isinstance(source, Path) else source
        try:
            key = OKPKey.import_key(text)
        except (JoseError, ValueError, TypeError) as err:
            raise KeyUnusable("This is not an Ed25519 private key in PEM.") from err
        if key.curve_name != "Ed25519" or not key.is_private:
            raise KeyUnusable("This is not an Ed25519 private key; is it the public half?")
        return cls(key)

    @property
    def pem(self) -> bytes:
        """The private key, PKCS #8. Whoever has it is the service account or the publisher."""
        return self._key.as_pem(private=True)

    @property
    def public(self) -> PublicKey:
        """The half that the platform is given."""
        return PublicKey(kty="OKP", crv="Ed25519", x=str(self._key.as_dict(private=False)["x"]))

    def sign(self, message: bytes) -> str:
        """The signature of a message, in base64url without padding."""
        raw = JWSRegistry.algorithms[ALGORITHM].sign(message, self._key)
        return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()

    def assertion(self, *, account: str, audience: str) -> str:
        """A proof, good for one use within minutes, that its bearer is the account."""
        now = int(time.time())
        claims = {
            "iss": account,
            "sub": account,
            "aud": audience,
            "iat": now,
            "exp": now + ASSERTION_SECONDS,
            "jti": secrets.token_urlsafe(16),
        }
        return jwt.encode({"alg": ALGORITHM}, claims, self._key, algorithms=[ALGORITHM])
