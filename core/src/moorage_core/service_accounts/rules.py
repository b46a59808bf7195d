"""Pure decisions about service accounts."""

import hmac
import re
import warnings
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, cast

from joserfc import jwt
from joserfc.errors import JoseError, SecurityWarning
from joserfc.jwk import OKPKey

from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Grant, Kind, Principal
from moorage_core.authz.roles import SERVICE_ACCOUNT_PERMISSIONS
from moorage_core.errors import ApiError, Conflict, Fault, Forbidden, Unauthenticated
from moorage_core.kit import jose, tokens

ASSERTION_LIFETIME = timedelta(minutes=5)
CLOCK_SKEW = timedelta(seconds=30)
KEYS_AT_MOST = 10
_JTI = re.compile(r"[!-~]{1,100}")
ALGORITHMS = ("Ed25519", "EdDSA")


class NameTaken(Conflict):
    """The project has a service account of this name already."""

    code = "name_taken"


class IsAppOperator(Conflict):
    """The service account is an app's operator."""

    code = "is_app_operator"


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


def check_grantable(permissions: Iterable[str]) -> None:
    """Refuse keys of the core that mean nothing inside one project."""
    unknown = sorted(set(permissions) - {str(key) for key in SERVICE_ACCOUNT_PERMISSIONS})
    if unknown:
        raise PermissionUnknown(
            f"A service account cannot hold: {', '.join(unknown)}."
            " GET /v1/roles shows the keys of a project admin.",
            errors=[Fault("body.permissions", key) for key in unknown],
        )


def check_of_entitled_app(unknown: list[str]) -> None:
    """Refuse keys of apps that the project is not entitled to."""
    if unknown:
        raise PermissionUnknown(
            f"The project is entitled to no app with: {', '.join(unknown)}. The list of its"
            " entitlements shows which keys you hold; take off the account what is gone.",
            errors=[Fault("body.permissions", key) for key in unknown],
        )


def check_operates_nothing(account: str, slugs: list[str]) -> None:
    if slugs:
        raise IsAppOperator(
            f"Service account {account} is the operator of {', '.join(slugs)}: its permissions "
            "stay as they are, and so does it. Remove it as operator first; you can disable it."
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
    header = jose.header_of(assertion)
    if header is None or header.get("alg") not in ALGORITHMS:
        return None
    try:
        with warnings.catch_warnings():
            # EdDSA is the older name that most client libraries still write.
            warnings.simplefilter("ignore", SecurityWarning)
            key = OKPKey.import_key(public_key)
            claims = jwt.decode(assertion, key, algorithms=[header["alg"]]).claims
    except (JoseError, ValueError):
        return None
    return claims if _is_good(claims, account=account, audiences=audiences, now=now) else None


def _is_good(
    claims: dict[str, Any], *, account: str, audiences: frozenset[str], now: datetime
) -> bool:
    moment, skew = now.timestamp(), CLOCK_SKEW.total_seconds()
    expires = _number(claims.get("exp"), default=0.0)
    begins = max(_number(claims.get("nbf"), default=0.0), _number(claims.get("iat"), default=0.0))
    lifetime = ASSERTION_LIFETIME.total_seconds()
    in_time = moment - skew < expires <= moment + lifetime + skew and begins <= moment + skew
    named: object = claims.get("aud")
    meant = cast(list[object], named) if isinstance(named, list) else [named]
    return (
        in_time
        and isinstance(id := claims.get("jti"), str)
        and _JTI.fullmatch(id) is not None
        and claims.get("iss") == claims.get("sub") == account
        and any(isinstance(text, str) and text in audiences for text in meant)
    )


def _number(value: object, *, default: float) -> float:
    """A moment as claims have it; out of all bounds where it is not one."""
    if value is None:
        return default
    if isinstance(value, int | float) and abs(value) < 10**12:
        return float(value)
    return float("inf")


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
