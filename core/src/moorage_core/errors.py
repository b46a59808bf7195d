"""What the API says when it says no: RFC 9457 problem documents, rendered in one place.

An error class stands beside the rule that raises it and is listed on the routes that can raise it,
so the OpenAPI document and the clients know it. Raise it; nothing catches it to raise another.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

TYPE_BASE = "https://moorage.dev/errors/"
MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True)
class Fault:
    """One thing wrong with a request, and where it stands."""

    location: str
    message: str


class ApiError(Exception):
    """Something the caller can act on."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal"

    def __init__(
        self,
        detail: str,
        *,
        errors: Sequence[Fault] = (),
        headers: dict[str, str] | None = None,
        resource_id: str | None = None,
        afterwards: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = tuple(errors)
        self.headers = headers or {}
        self.resource_id = resource_id
        self.afterwards = afterwards
        """Done once the transaction of the request is gone, which takes nothing with it then."""

    @classmethod
    def title(cls) -> str:
        """The first line of the class's docstring: the same for every occurrence."""
        return (cls.__doc__ or cls.code).strip().splitlines()[0].rstrip(".")


class NotFound(ApiError):
    """There is no such thing, or it is not yours to see."""

    status = 404
    code = "not_found"


def not_found(noun: str, id: str) -> NotFound:
    """The one wording of a 404, so that absent and foreign cannot be told apart."""
    return NotFound(f"There is no {noun} {id} that you can see.")


class Unauthenticated(ApiError):
    """The request carries no valid credentials."""

    status = 401
    code = "unauthenticated"


class Forbidden(ApiError):
    """Your permissions do not include this."""

    status = 403
    code = "forbidden"

    def __init__(self, detail: str, *, org: str | None = None, project: str | None = None) -> None:
        super().__init__(detail)
        self.org = org
        self.project = project


class Malformed(ApiError):
    """The request is not of the form this route takes."""

    status = 422
    code = "malformed"


class TooLarge(ApiError):
    """The request body is larger than this route takes."""

    status = 413
    code = "too_large"


class TooMany(ApiError):
    """Too many requests at once."""

    status = 429
    code = "too_many_requests"


class Conflict(ApiError):
    """The state of the thing does not allow this."""

    status = 409
    code = "conflict"


class Stale(ApiError):
    """The thing has changed since you read it."""

    status = 412
    code = "stale"


class ConditionMissing(ApiError):
    """An update must say which version it changes."""

    status = 428
    code = "if_match_required"


class Busy(ApiError):
    """The platform cannot answer right now."""

    status = 503
    code = "busy"

    def __init__(self, detail: str, *, retry_after: int = 1) -> None:
        super().__init__(detail, headers={"Retry-After": str(retry_after)})


class FaultRead(BaseModel):
    """One thing wrong with a request, and where it stands."""

    location: str
    message: str


class Problem(BaseModel):
    """RFC 9457 problem document."""

    model_config = ConfigDict(extra="forbid")

    type: str
    title: str
    status: int
    detail: str
    code: str
    correlation_id: str
    errors: list[FaultRead]
    resource_id: str | None = None
