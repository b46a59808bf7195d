"""What an audit entry hashes to, who reads which, and what counted refusals become. Pure.

The hash covers every field that a reader sees, so a changed row no longer fits its hash. An entry
has one spelling as text; the hash is over the UTF-8 bytes of that text and nothing else.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from moorage_core.audit.models import Denials, Entry, Wanted
from moorage_core.authz.principals import Kind, Principal
from moorage_core.errors import ApiError

FIELDS = (
    "id",
    "at",
    "org_id",
    "project_id",
    "actor_kind",
    "actor_id",
    "actor_name",
    "credential",
    "action",
    "target",
    "outcome",
    "count",
    "break_glass",
    "reason",
    "correlation_id",
    "app_slug",
    "app_instance_id",
    "details",
)
DENIALS_CLOSE_AFTER = timedelta(seconds=30)
"""A refusal is counted moments after it happened; its minute stays open so much longer."""

REFUSALS_KEPT = 60
"""Of what one principal is told within a minute."""


class UnstableDetails(Exception):
    """A bug of ours: details hold a number that the database does not give back as it was."""


def is_broad(wanted: Wanted, *, whole: bool) -> bool:
    """Whether a reader of `whole` orgs, or of projects, may ask for few entries among many.

    What was done to one thing, or by one request, is found by an index and is little.
    """
    if wanted.target or wanted.correlation_id:
        return False
    sifted = wanted.action or wanted.outcome or wanted.since or wanted.until
    return bool(sifted or (wanted.actor and not whole))


def timestamp(at: datetime) -> str:
    """The one spelling of a moment that goes into a hash."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def canonical(entry: Mapping[str, Any]) -> str:
    """An entry's fields in one spelling, whoever wrote or read them."""
    _refuse_fractions(entry["details"])
    return spell({name: entry[name] for name in FIELDS})


def content(entry: Entry) -> str:
    """The spelling of an entry that was read back."""
    return canonical(asdict(entry) | {"at": timestamp(entry.at)})


def content_hash(entry: Mapping[str, Any]) -> bytes:
    """What `leaf` holds: the hash of the content. The tree adds the entry's number to it."""
    return hashlib.sha256(canonical(entry).encode()).digest()


def spell(value: Mapping[str, Any]) -> str:
    """JSON in one spelling: keys in order, no blanks, every letter as itself."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _refuse_fractions(value: object) -> None:
    # 1e16 goes into jsonb as text and comes back as an integer: the hash would never fit again.
    if isinstance(value, float):
        raise UnstableDetails("Audit details hold a fraction; write it as text.")
    if isinstance(value, dict):
        for item in cast(dict[str, object], value).values():
            _refuse_fractions(item)
    elif isinstance(value, list | tuple):
        for item in cast(list[object], value):
            _refuse_fractions(item)


def is_worth_keeping(refusal: ApiError, principal: Principal) -> bool:
    """Whether somebody may come back to ask why.

    Not where there is nothing that they could see, nor where they only came too often or too soon.
    """
    by_itself = principal.kind in (Kind.USER, Kind.SERVICE_ACCOUNT)
    return by_itself and refusal.status in (400, 403, 409, 412, 413, 422, 428)


def closed_before(now: datetime) -> datetime:
    """Minutes that began before this moment are over, and nobody adds to them any more."""
    return now - timedelta(minutes=1) - DENIALS_CLOSE_AFTER


def denied_entry(denials: Denials, *, id: str) -> dict[str, Any]:
    """The entry of a minute's refusals: who was refused is the actor, the route is the target."""
    entry: dict[str, Any] = {
        "id": id,
        "at": timestamp(denials.minute),
        "org_id": denials.org_id,
        "project_id": denials.project_id,
        "actor_kind": denials.principal_kind,
        "actor_id": denials.principal_id,
        "actor_name": denials.principal_name,
        "credential": None,
        "action": denials.permission,
        "target": denials.route,
        "outcome": "denied",
        "count": denials.count,
        "break_glass": False,
        "reason": None,
        "correlation_id": denials.correlation_id,
        "app_slug": None,
        "app_instance_id": None,
        "details": {},
    }
    return entry | {"leaf": content_hash(entry).hex()}
