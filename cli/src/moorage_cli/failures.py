"""Why a command did not do what it was asked: one line or one JSON document, and an exit code.

The code says who acts next: 1 the caller, who changes the command; 2 the platform or the network;
3 whoever gives credentials or permissions; 4 nobody: it is not there; 5 the caller, after another
look.
"""

from typing import Any

import moorage
from moorage import ApiError, MoorageError, proofs, signatures

USAGE, SERVER, AUTH, NOT_FOUND, CONFLICT = 1, 2, 3, 4, 5

BY_STATUS = {
    400: USAGE,
    401: AUTH,
    403: AUTH,
    404: NOT_FOUND,
    409: CONFLICT,
    410: CONFLICT,
    412: CONFLICT,
    413: USAGE,
    416: USAGE,
    422: USAGE,
    428: USAGE,
    429: SERVER,
}


class Refused(Exception):
    """The command cannot be carried out as it was given."""

    exit_code = USAGE
    code = "usage"


class NotSignedIn(Refused):
    """There are no credentials to use."""

    exit_code = AUTH
    code = "not_signed_in"


class NotAllowed(Refused):
    """Policy does not allow it."""

    exit_code = AUTH
    code = "policy_refused"


class Missing(Refused):
    """Nothing has that name."""

    exit_code = NOT_FOUND
    code = "not_found"


class Ambiguous(Refused):
    """Several things have that name."""

    exit_code = CONFLICT
    code = "ambiguous"


class Taken(Refused):
    """Something is there already and is kept."""

    exit_code = CONFLICT
    code = "taken"


class Unsound(Refused):
    """An app's folder has faults."""

    exit_code = CONFLICT
    code = "unsound"

    def __init__(self, message: str, errors: list[dict[str, str | int]]) -> None:
        super().__init__(message)
        self.errors = errors


class Broken(Refused):
    """Something that this machine should have is missing or unusable."""

    exit_code = SERVER
    code = "broken"


def exit_code(error: MoorageError | Refused) -> int:
    if isinstance(error, Refused):
        return error.exit_code
    if isinstance(error, ApiError):
        return BY_STATUS.get(error.status, SERVER)
    if isinstance(error, moorage.AddressRefused | moorage.KeyUnusable):
        return USAGE
    if isinstance(error, proofs.ProofBroken | signatures.SignatureBroken | moorage.ContentWrong):
        return CONFLICT
    return SERVER


def problem(error: MoorageError | Refused) -> dict[str, Any]:
    """The failure as a problem document, with the exit code."""
    if isinstance(error, ApiError):
        return {**error.problem(), "exit_code": exit_code(error)}
    return {
        "title": (type(error).__doc__ or "").strip().splitlines()[0].rstrip("."),
        "status": None,
        "detail": getattr(error, "detail", None) or str(error),
        "code": _code(error),
        "correlation_id": getattr(error, "correlation_id", None),
        "errors": error.errors if isinstance(error, Unsound) else [],
        "resource_id": None,
        "exit_code": exit_code(error),
    }


def lines(error: MoorageError | Refused) -> list[str]:
    """The failure for people: what is so, what would help, the id to quote; then each fault."""
    detail = getattr(error, "detail", None) or str(error)
    said = [str(detail), *_help(error)]
    marks = [_code(error)] if not isinstance(error, Refused) else []
    if correlation := getattr(error, "correlation_id", None):
        marks.append(f"correlation id {correlation}")
    text = f"moor: {' '.join(said)}" + (f" [{', '.join(marks)}]" if marks else "")
    if isinstance(error, Unsound):
        # In the form that editors know, one by one; the count last, where it is seen.
        places = (f"{e['file']}:{e['line']}:{e['column']}: {_at(e)}" for e in error.errors)
        return [*places, text]
    faults = error.errors if isinstance(error, ApiError) else ()
    return [text, *(f"  {fault.location}: {fault.message}" for fault in faults)]


def _at(error: dict[str, str | int]) -> str:
    return f"{error['path']}: {error['message']}" if error["path"] else str(error["message"])


def _code(error: MoorageError | Refused) -> str:
    if isinstance(error, ApiError | Refused):
        return error.code
    return _CODES.get(type(error), "client")


_CODES: dict[type[MoorageError], str] = {
    moorage.AddressRefused: "address_refused",
    moorage.BadAnswer: "bad_answer",
    moorage.CertificateRefused: "certificate_refused",
    moorage.ContentWrong: "content_wrong",
    moorage.KeyUnusable: "key_unusable",
    moorage.PlainHttpRefused: "plain_http_refused",
    moorage.Unreachable: "unreachable",
    proofs.KeyUnknown: "key_unknown",
    proofs.ProofBroken: "proof_broken",
    signatures.SignatureBroken: "signature_broken",
}


def _help(error: MoorageError | Refused) -> list[str]:
    if isinstance(error, moorage.CertificateRefused):
        return ["`moor login --ca FILE` takes it."]
    if isinstance(error, moorage.Unreachable):
        again = " The change may have been made: look before you repeat it." if error.sent else ""
        return [f"Is the platform running, and is the address right?{again}"]
    if isinstance(error, moorage.Unauthenticated) and error.code == "unauthenticated":
        return ["`moor login` signs you in."]
    if isinstance(error, moorage.Stale):
        return ["Somebody changed it in the meantime."]
    return []
