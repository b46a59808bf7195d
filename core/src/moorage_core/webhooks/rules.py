"""Where a webhook may point, which events it gets, how it signs, and what an answer means. Pure."""

import base64
import hashlib
import hmac
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from moorage_core.errors import ApiError, Conflict, Fault, Malformed
from moorage_core.kit import destinations
from moorage_core.webhooks.schemas import MAX_URL

MAX_PER_ORG = 100
"""Every event of an org is held against each of its webhooks."""

SECRET_PREFIX = "whsec_"
KEY_BYTES = 32

FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(hours=6)
_GROWTH = 3


class UrlNotAllowed(Malformed):
    """A webhook cannot point there."""

    code = "webhook_url_not_allowed"


class UnknownEventType(Malformed):
    """No event of the platform has such a type."""

    code = "unknown_event_type"


class TooManyWebhooks(Conflict):
    """The org has as many webhooks as it can have."""

    code = "too_many_webhooks"


class StillTrying(Conflict):
    """The delivery has not ended; it will be tried again by itself."""

    code = "delivery_pending"


class WebhookDisabled(Conflict):
    """The webhook is disabled."""

    code = "webhook_disabled"


class EventExpired(ApiError):
    """The event is older than the platform keeps events."""

    status = 410
    code = "event_expired"


# Where a webhook may point ---------------------------------------------------------------------


def check_url(url: str, *, private: bool) -> str:
    """The URL in the one spelling we keep, or a refusal that says what is wrong with it."""
    try:
        return destinations.spell(url, longest=MAX_URL, private=private)
    except destinations.NotUsable as err:
        raise UrlNotAllowed(
            "The webhook's URL cannot be used.", errors=[Fault("body.url", str(err))]
        ) from err


# Which events it gets --------------------------------------------------------------------------


def check_types(types: Sequence[str], *, known: Iterable[str]) -> list[str]:
    """The filter without doubles, or a refusal that names the pattern that can match nothing."""
    kept = list(dict.fromkeys(types))
    every = list(known)
    for index, pattern in enumerate(types):
        if not any(matches(pattern, name) for name in every):
            raise UnknownEventType(
                f"No event type matches {pattern}. contract/events/ has a file for each type.",
                errors=[Fault(f"body.types.{index}", "matches no event type of this platform")],
            )
    return kept


def position(cursor: str) -> int:
    """Where a page of deliveries, newest first, goes on: below this event number."""
    if not cursor:
        return 2**63 - 1
    if not (cursor.isdigit() and len(cursor) < 19):
        raise Malformed(
            "The cursor is of another list. Start this one without `after`.",
            errors=[Fault("query.after", "not a cursor of this list")],
        )
    return int(cursor)


def check_room(have: int) -> None:
    if have >= MAX_PER_ORG:
        raise TooManyWebhooks(
            f"The org has {have} webhooks, the most it can have. Delete one, or widen another."
        )


def matches(pattern: str, type: str) -> bool:
    """Whether an event's type is within one pattern. `store.list_matches` says the same in SQL."""
    if pattern.endswith("*"):
        return type.startswith(pattern[:-1])
    return type == pattern


# How a delivery is signed ----------------------------------------------------------------------


@dataclass(frozen=True)
class Keys:
    """What a webhook signs with. After a rotation the key before it signs too, for a while."""

    current: bytes
    previous: bytes | None = None

    def packed(self) -> bytes:
        """As the secret store keeps it."""
        return self.current + (self.previous or b"")

    def rotated(self, new: bytes) -> "Keys":
        return Keys(new, self.current)

    def in_force(self, *, previous_until: datetime | None, now: datetime) -> list[bytes]:
        if self.previous is None or previous_until is None or previous_until <= now:
            return [self.current]
        return [self.current, self.previous]


def unpack(packed: bytes) -> Keys:
    return Keys(packed[:KEY_BYTES], packed[KEY_BYTES:] or None)


def spell_secret(key: bytes) -> str:
    """A key as its owner is shown it, once."""
    return SECRET_PREFIX + base64.b64encode(key).decode()


def signature_headers(
    body: bytes, *, keys: Sequence[bytes], message_id: str, at: datetime
) -> dict[str, str]:
    """The headers of the Standard Webhooks form: one signature for each key in force."""
    timestamp = str(int(at.timestamp()))
    signed = b".".join((message_id.encode(), timestamp.encode(), body))
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(_signature(key, signed) for key in keys),
    }


def _signature(key: bytes, signed: bytes) -> str:
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


# What becomes of a delivery ---------------------------------------------------------------------


class Status(StrEnum):
    PENDING = "pending"
    DELIVERED = "delivered"
    DEAD = "dead"


class Failure(StrEnum):
    """Why a try did not deliver. A class of errors and no more: nothing of the answer is kept."""

    ADDRESS_REFUSED = "address_refused"
    NAME_UNRESOLVED = "name_unresolved"
    UNREACHABLE = "unreachable"
    TLS_REFUSED = "tls_refused"
    TIMED_OUT = "timed_out"
    BAD_ANSWER = "bad_answer"
    REFUSED = "refused"
    REDIRECTED = "redirected"
    GONE = "gone"
    WEBHOOK_DISABLED = "webhook_disabled"
    EVENT_EXPIRED = "event_expired"
    INTERNAL = "internal"


FINAL = frozenset({Failure.GONE, Failure.WEBHOOK_DISABLED, Failure.EVENT_EXPIRED})
"""Trying again cannot help."""


def check_can_redeliver(status: str, *, delivery: str, enabled: bool, event_kept: bool) -> None:
    """Refuse to queue again what is queued, has nowhere to go, or has nothing left to send."""
    if status == Status.PENDING:
        raise StillTrying(f"The delivery {delivery} is pending and will be tried by itself.")
    if not enabled:
        raise WebhookDisabled("The webhook is disabled. Enable it first, then redeliver.")
    if not event_kept:
        raise EventExpired(f"The event of delivery {delivery} is no longer kept.")


@dataclass(frozen=True)
class Answer:
    """What came of one try."""

    failure: Failure | None = None
    status: int | None = None
    retry_after: timedelta | None = None


@dataclass(frozen=True)
class Verdict:
    """What becomes of the delivery."""

    status: Status
    due_at: datetime | None = None


def read_status(status: int, *, retry_after: str | None = None) -> Answer:
    """What the receiver's status line says."""
    if 200 <= status < 300:
        return Answer(status=status)
    if status == 410:
        return Answer(Failure.GONE, status)
    if 300 <= status < 400:
        return Answer(Failure.REDIRECTED, status)
    wait = re.fullmatch("[0-9]{1,6}", retry_after or "")
    return Answer(Failure.REFUSED, status, timedelta(seconds=int(wait[0])) if wait else None)


def judge(answer: Answer, *, delivery: str, attempts: int, limit: int, now: datetime) -> Verdict:
    """Delivered, to be tried again, or dead. `attempts` counts this try."""
    if answer.failure is None:
        return Verdict(Status.DELIVERED)
    if answer.failure in FINAL or attempts >= limit:
        return Verdict(Status.DEAD)
    pause = max(backoff(delivery, attempts), min(answer.retry_after or timedelta(), LONGEST_PAUSE))
    return Verdict(Status.PENDING, now + pause)


def backoff(delivery: str, attempts: int) -> timedelta:
    """The pause after so many tries: three times the one before, up to hours, give or take a fifth.

    The fifth is drawn from the delivery's id: what failed together does not come back together.
    """
    pause = min(LONGEST_PAUSE, FIRST_PAUSE * _GROWTH ** min(attempts - 1, 20))
    draw = zlib.crc32(f"{delivery}:{attempts}".encode()) / 2**32
    return pause * (0.8 + 0.4 * draw)
