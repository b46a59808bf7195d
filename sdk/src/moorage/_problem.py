"""Why a call did not do what was asked: the platform's refusals by status, and its silence.

Texts come from the platform; it repeats no input and no secret. Nothing here does either.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


class MoorageError(Exception):
    """Anything that this library raises on purpose."""


@dataclass(frozen=True)
class Fault:
    """One thing wrong with a request, and where it stands."""

    location: str
    message: str


class ApiError(MoorageError):
    """The platform said no.

    Attributes:
        status: The HTTP status.
        code: What is so, in a word for programs; its meaning never changes.
        detail: What is so, for people, and what would help.
        correlation_id: Names this call in the platform's logs, audit entries and events.
        errors: For malformed requests, each fault and its place.
        resource_id: The object that the refusal is about, where there is one.
        retry_after: Seconds after which to try again, where the platform said so.
    """

    def __init__(
        self,
        detail: str,
        *,
        status: int,
        code: str,
        correlation_id: str,
        title: str = "",
        errors: Sequence[Fault] = (),
        resource_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.status = status
        self.code = code
        self.correlation_id = correlation_id
        self.title = title
        self.errors = tuple(errors)
        self.resource_id = resource_id
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"{self.detail} ({self.code}, correlation id {self.correlation_id})"

    def problem(self) -> dict[str, Any]:
        """The refusal as a problem document."""
        return {
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            "correlation_id": self.correlation_id,
            "errors": [{"location": f.location, "message": f.message} for f in self.errors],
            "resource_id": self.resource_id,
        }


class BadRequest(ApiError):
    """400: something every request of this kind needs is missing."""


class Unauthenticated(ApiError):
    """401: no credentials, or none that count any more."""


class Forbidden(ApiError):
    """403: known to you, but your permissions do not include this."""


class NotFound(ApiError):
    """404: there is no such thing, or it is not yours to see."""


class Conflict(ApiError):
    """409: the state of the thing does not allow this."""


class Gone(ApiError):
    """410: it was there, and is kept no longer."""


class Stale(ApiError):
    """412: the thing has changed since you read it."""


class TooLarge(ApiError):
    """413: the request is larger than the platform takes."""


class RangeNotSatisfiable(ApiError):
    """416: there are no such bytes."""


class Unprocessable(ApiError):
    """422: the request is not one that this operation takes."""


class IfMatchRequired(ApiError):
    """428: an update must say which version it changes."""


class TooManyRequests(ApiError):
    """429: more requests than the limit."""


class ServerFault(ApiError):
    """500 and above: something is wrong on the platform's side."""


class Busy(ServerFault):
    """503: the platform cannot answer right now."""


BY_STATUS: dict[int, type[ApiError]] = {
    400: BadRequest,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Gone,
    412: Stale,
    413: TooLarge,
    416: RangeNotSatisfiable,
    422: Unprocessable,
    428: IfMatchRequired,
    429: TooManyRequests,
    503: Busy,
}


class Unreachable(MoorageError):
    """There is no answer from the platform.

    Attributes:
        sent: Whether the request may have arrived; then the change may have been made.
        correlation_id: Names this call in the platform's logs, if it arrived.
        idempotency_key: For changes: the key with which to ask again without doing it twice.
    """

    def __init__(
        self,
        detail: str,
        *,
        sent: bool,
        correlation_id: str,
        idempotency_key: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.sent = sent
        self.correlation_id = correlation_id
        self.idempotency_key = idempotency_key

    def __str__(self) -> str:
        return f"{self.detail} (correlation id {self.correlation_id})"


class CertificateRefused(Unreachable):
    """The server at that address did not prove that it is the platform."""


class BadAnswer(MoorageError):
    """Whoever answered does not speak the contract as this release knows it."""

    def __init__(self, detail: str, *, correlation_id: str) -> None:
        super().__init__(detail)
        self.detail = detail
        self.correlation_id = correlation_id

    def __str__(self) -> str:
        return f"{self.detail} (correlation id {self.correlation_id})"


class AddressRefused(MoorageError, ValueError):
    """This address is not one that credentials may be sent to."""


class PlainHttpRefused(AddressRefused):
    """Plain HTTP would show the credentials to the network."""
