"""Pure decisions about pulls: what a credential is good for, and which bytes are meant."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from moorage_core.errors import ApiError, Fault, Forbidden
from moorage_core.pulls.models import Pull

LIFETIME = timedelta(minutes=5)
_RANGE = re.compile(r"bytes=(?:([0-9]{1,18})-([0-9]{0,18})|-([0-9]{1,18}))")


class VersionTwice(ApiError):
    """Name a version or a channel, not both."""

    status = 422
    code = "version_twice"


class PullExpired(ApiError):
    """The credential has expired."""

    status = 410
    code = "pull_expired"


class SecretWrong(Forbidden):
    """The secret is not that of this pull."""

    code = "pull_secret_wrong"


class RangeNotSatisfiable(ApiError):
    """The artifact has no such bytes."""

    status = 416
    code = "range_not_satisfiable"


def check_one(*, version: str | None, channel: str | None) -> None:
    if version is not None and channel is not None:
        raise VersionTwice(
            "A channel says which version it is. Leave one of the two out.",
            errors=[Fault("body.channel", "given beside version")],
        )


def check_live(pull: Pull, *, now: datetime) -> None:
    if now >= pull.expires_at:
        raise PullExpired(
            f"The pull {pull.id} expired at {pull.expires_at.isoformat(timespec='seconds')}. Ask"
            " for another; what you have so far is still good."
        )


# Ranges


@dataclass(frozen=True)
class Span:
    """Bytes from `start` up to but not including `end`."""

    start: int
    end: int
    size: int

    @property
    def is_part(self) -> bool:
        return self.end - self.start != self.size

    @property
    def headers(self) -> dict[str, str]:
        length = {"content-length": str(self.end - self.start)}
        if not self.is_part:
            return length
        return length | {"content-range": f"bytes {self.start}-{self.end - 1}/{self.size}"}


def span(wanted: str | None, *, size: int, etag: str, if_range: str | None = None) -> Span:
    """Which bytes a Range header means. One that cannot be read means all, as HTTP has it."""
    found = _RANGE.fullmatch(wanted.strip()) if wanted else None
    if found is None or (if_range is not None and if_range.strip() != etag):
        return Span(0, size, size)
    first, last, tail = found.groups()
    if tail is not None:
        start, end = max(size - int(tail), 0), size
    else:
        start, end = int(first), min(int(last) + 1, size) if last else size
        if last and int(last) < start:
            return Span(0, size, size)
    if start >= size or start >= end:
        raise RangeNotSatisfiable(
            f"The artifact has {size} bytes.", headers={"Content-Range": f"bytes */{size}"}
        )
    return Span(start, end, size)
