"""Pure decisions about accounts, passwords and tokens."""

import base64
import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Grant, Kind, Principal
from moorage_core.authz.roles import ROLES, SELF, Role
from moorage_core.errors import ApiError, Conflict, Fault, Forbidden, Unauthenticated

CODE_LIFETIME = timedelta(hours=24)
SEEN_EVERY = timedelta(minutes=1)
LOCK_LIMIT = timedelta(minutes=15)
"""Anybody can lock anybody out by guessing: long enough against guesses, no longer."""


class WrongPassword(Unauthenticated):
    """E-mail and password do not fit, or the account is locked."""

    code = "wrong_password"


class CodeNotValid(Unauthenticated):
    """The one-time code is used up, expired or wrong."""

    code = "code_not_valid"


class EmailTaken(Conflict):
    """There is an account with this e-mail already."""

    code = "email_taken"


class OwnAccount(Conflict):
    """You cannot do this to your own account."""

    code = "own_account"


class ReasonRequired(ApiError):
    """Opening somebody's account reaches into their orgs, and needs a reason."""

    status = 422
    code = "reason_required"


class TokenTooLong(ApiError):
    """The token would live longer than this platform allows."""

    status = 422
    code = "token_lifetime"


class BeyondOwnRights(Forbidden):
    """A token cannot hold what its owner lacks."""

    code = "beyond_own_rights"


def check_reason(email: str, orgs: list[str], reason: str | None) -> None:
    """Whoever can set somebody's password can act as them in every org that they work in."""
    if orgs and reason is None:
        raise ReasonRequired(
            f"{email} has used the account and has roles in {len(orgs)} of the orgs. Give a "
            "reason; those orgs see it.",
            errors=[Fault("body.reason", "needed for this account")],
        )


def csrf_token(session_token: str) -> str:
    """Derived from the session, so there is nothing to store and nothing to get out of step."""
    digest = hashlib.sha256(b"csrf:" + session_token.encode("utf-8", "surrogateescape")).digest()
    return base64.urlsafe_b64encode(digest[:24]).decode()


def lock_for(wrong: int, *, after: int, first: timedelta) -> timedelta | None:
    """How long an account is locked after so many wrong passwords in a row; None: not at all."""
    if wrong < after:
        return None
    return min(first * 2 ** min(wrong - after, 20), LOCK_LIMIT)


def is_locked(until: datetime | None, *, now: datetime) -> bool:
    return until is not None and until > now


def is_idle(seen_at: datetime, *, now: datetime, idle: timedelta) -> bool:
    return now - seen_at > idle + SEEN_EVERY


def user_grants(rows: Iterable[tuple[str, str | None, str]]) -> tuple[Grant, ...]:
    """Roles as stored, turned into keys. A role that this release does not know grants nothing."""
    known = {role.value for role in Role}
    return tuple(
        Grant(org, project, frozenset(str(key) for key in ROLES[Role(role)].permissions), role)
        for org, project, role in rows
        if role in known
    )


def person(
    id: str, name: str, grants: Iterable[tuple[str, str | None, str]], *, credential: str
) -> Principal:
    own = frozenset(str(key) for key in SELF)
    return Principal(
        Kind.USER, id, name, grants=user_grants(grants), own=own, credential=credential
    )


RESTRICTED_OWN = frozenset({Permission.IAM_SELF_READ, Permission.IAM_ROLE_READ})
"""What a token that is restricted in any way may do with its owner's account.

Not `iam.self.manage`: who may make tokens can make a wider one.
"""


def is_restricted(row: Mapping[str, Any]) -> bool:
    """Whether a personal token holds less than its owner."""
    return row["permissions"] is not None or row["org_id"] is not None


def token_own(row: Mapping[str, Any], own: frozenset[str]) -> frozenset[str]:
    """What a personal token may do with its owner's account."""
    if not is_restricted(row):
        return own
    wanted = RESTRICTED_OWN if row["permissions"] is None else frozenset(row["permissions"])
    return own & wanted & RESTRICTED_OWN
