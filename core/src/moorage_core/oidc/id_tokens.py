"""Reading an ID token: nothing in it counts before its signature and its claims have been checked.

joserfc checks the signature, Authlib the claims. Pure: keys and time come in. Only public-key
algorithms are taken, so neither `none` nor a public key misused as a shared secret can pass.
"""
# Authlib carries no type annotations.
# pyright: reportUnknownMemberType=false

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import ClaimError, ExpiredTokenError, JoseError, SecurityWarning
from joserfc.jwk import JWKRegistry, Key
from joserfc.jws import JWSRegistry, extract_compact

from moorage_core.oidc import rules

ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "Ed25519", "EdDSA"),
)
KEY_TYPES = ("RSA", "EC", "OKP")
CLOCK_SKEW = 60
MAX_KEYS = 100
_SHORTEST_MODULUS = 342
"""Letters of 2048 bits in base64url."""
_SUBJECT = re.compile(r"[ -~]{1,255}")


@dataclass(frozen=True)
class Expected:
    """What the token must say."""

    issuer: str
    client_id: str
    nonce: str
    access_token: str | None
    now: datetime


def import_keys(document: Mapping[str, Any]) -> list[Key]:
    """The keys of a JWKS that may have signed. Others, and unreadable ones, are passed over."""
    listed = document.get("keys")
    entries = cast(list[object], listed) if isinstance(listed, list) else []
    found = [_import(cast(dict[str, Any], e)) for e in entries[:MAX_KEYS] if isinstance(e, dict)]
    return [key for key in found if key is not None]


def _import(entry: dict[str, Any]) -> Key | None:
    if entry.get("kty") not in KEY_TYPES or entry.get("use", "sig") != "sig":
        return None
    if entry["kty"] == "RSA" and len(str(entry.get("n"))) < _SHORTEST_MODULUS:
        return None
    try:
        return JWKRegistry.import_key(entry)
    except (JoseError, ValueError, TypeError, KeyError):
        return None


def find_keys(token: str, keys: Sequence[Key]) -> list[Key]:
    """Those that the token's header allows for: the one it names, or all where it names none."""
    header = _header(token)
    kid, alg = header.get("kid"), header.get("alg")
    return [k for k in keys if kid in (None, k.kid) and k.alg in (None, alg)]


def read(token: str, keys: Sequence[Key], expected: Expected) -> dict[str, Any]:
    """The claims, all checks passed."""
    decoded = _decode(token, find_keys(token, keys))
    # at_hash is made with SHA-512 for Ed25519 under either of its names.
    alg = decoded.header["alg"].replace("Ed25519", "EdDSA")
    claims = CodeIDToken(
        decoded.claims,
        {**decoded.header, "alg": alg},
        options={
            "iss": {"essential": True, "value": expected.issuer},
            "aud": {"essential": True, "value": expected.client_id},
        },
        params={
            "client_id": expected.client_id,
            "nonce": expected.nonce,
            "access_token": expected.access_token,
        },
    )
    try:
        claims.validate(now=int(expected.now.timestamp()), leeway=CLOCK_SKEW)
    except ExpiredTokenError as err:
        raise _refused("it has expired; compare the clocks of both servers") from err
    except ClaimError as err:
        raise _refused(f"its {err.claim} is not the expected one") from err
    except (JoseError, TypeError, ValueError) as err:
        raise _refused("its claims are malformed") from err
    if not _SUBJECT.fullmatch(str(decoded.claims["sub"])):
        raise _refused("its sub is not 1 to 255 ASCII characters")
    return decoded.claims


def _header(token: str) -> dict[str, Any]:
    try:
        return extract_compact(token.encode(), registry=_registry()).headers()
    except (JoseError, ValueError, RecursionError) as err:
        raise _refused("it is no signed token") from err


def _decode(token: str, candidates: Sequence[Key]) -> jwt.Token:
    refusal = _refused("it is signed by none of the provider's published keys")
    for key in candidates:
        try:
            with warnings.catch_warnings():
                # EdDSA is an old name, not a weak algorithm.
                warnings.simplefilter("ignore", SecurityWarning)
                return jwt.decode(token, key, registry=_registry())
        except (JoseError, ValueError, TypeError, RecursionError) as err:
            refusal.__cause__ = err
    raise refusal


def _registry() -> JWSRegistry:
    """Takes unknown header fields, as the standard demands, and certificate chains in them."""
    registry = JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
    registry.max_header_length = 16_384
    return registry


def _refused(why: str) -> rules.IdTokenRefused:
    return rules.IdTokenRefused(
        f"The provider's ID token is not valid: {why}. Start the sign-in again; if that does not "
        "help, tell a platform admin."
    )
