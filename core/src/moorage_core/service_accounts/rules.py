"""Pure decisions about service accounts."""

import hmac
import warnings
from datetime import datetime, timedelta
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError, SecurityWarning
from joserfc.jwk import OKPKey
from joserfc.jws import extract_compact

from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Grant, Kind, Principal
from moorage_core.authz.roles import SERVICE_ACCOUNT_PERMISSIONS
from moorage_core.errors import ApiError, Conflict, Fault, Forbidden, Unauthenticated
from moorage_core.kit import tokens

ASSERTION_LIFETIME = timedelta(minutes=5)
CLOCK_SKEW = timedelta(seconds=30)
KEYS_AT_MOST = 10
ALGORITHMS = ("Ed25519", "EdDSA")


class NameTaken(Conflict):
    """The project has a service account of this name already."""

    code = "name_taken"


class TooManyKeys(Conflict):
    """The service account has as many live keys as it may."""

    code = "too_many_keys"


class KeyNotUsable(ApiError):
    """This is not a usable Ed25519 public key."""

    status = 422
    code = "key_not_usable"


class PermissionUnknown(ApiError):
    """A service account cannot hold this permission."""

    status = 422
    code = "permission_unknown"


class BeyondCeiling(Forbidden):
    """Nobody can grant what they do not hold."""

    code = "beyond_ceiling"


class NotProved(Unauthenticated):
    """The service account did not prove itself."""

    code = "not_proved"


def check_grantable(permissions: list[str]) -> None:
    """Refuse keys that mean nothing inside one project."""
    unknown = sorted(set(permissions) - {str(key) for key in SERVICE_ACCOUNT_PERMISSIONS})
    if unknown:
        raise PermissionUnknown(
            f"A service account cannot hold: {', '.join(unknown)}."
            " GET /v1/roles shows the keys of a project admin.",
            errors=[Fault("body.permissions", key) for key in unknown],
        )


def check_public_key(key: dict[str, Any]) -> None:
    try:
        OKPKey.import_key(key)
    except (JoseError, ValueError) as err:
        raise KeyNotUsable(
            "The public key is not an Ed25519 JWK.",
            errors=[Fault("body.public_key", "not a valid key")],
        ) from err


def is_secret(stored: bytes | None, given: str | None) -> bool:
    return (
        stored is not None
        and given is not None
        and hmac.compare_digest(stored, tokens.digest(given))
    )


def read_assertion(
    assertion: str,
    public_key: dict[str, Any],
    *,
    account: str,
    audiences: frozenset[str],
    now: datetime,
) -> dict[str, Any] | None:
    """The claims of a good assertion; None where anything about it is wrong."""
    try:
        algorithm = str(extract_compact(assertion.encode()).headers().get("alg", ""))
        if algorithm not in ALGORITHMS:
            return None
        with warnings.catch_warnings():
            # EdDSA is the older name that most client libraries still write.
            warnings.simplefilter("ignore", SecurityWarning)
            key = OKPKey.import_key(public_key)
            claims = jwt.decode(assertion, key, algorithms=[algorithm]).claims
    except (JoseError, ValueError):
        return None
    return claims if _is_good(claims, account=account, audiences=audiences, now=now) else None


def _is_good(
    claims: dict[str, Any], *, account: str, audiences: frozenset[str], now: datetime
) -> bool:
    expires, id = claims.get("exp"), claims.get("jti")
    if not isinstance(expires, int | float) or not isinstance(id, str) or not 0 < len(id) <= 100:
        return False
    latest = (now + ASSERTION_LIFETIME + CLOCK_SKEW).timestamp()
    in_time = now.timestamp() < expires + CLOCK_SKEW.total_seconds() and expires <= latest
    return (
        in_time
        and claims.get("iss") == claims.get("sub") == account
        and claims.get("aud") in audiences
    )


def program(row: dict[str, Any], *, credential: str) -> Principal:
    """The principal of a service account: its list of keys, in its project, and nothing else."""
    grant = Grant(row["org_id"], row["project_id"], frozenset(row["permissions"]))
    return Principal(
        Kind.SERVICE_ACCOUNT,
        row["id"],
        row["name"],
        grants=(grant,),
        own=frozenset({Permission.IAM_SELF_READ, Permission.IAM_ROLE_READ}),
        credential=credential,
    )
