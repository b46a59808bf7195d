"""From an answer that says no to the exception that says the same."""

import json
from typing import Any, cast

import httpx2

from moorage import _problem, errors
from moorage._problem import ApiError, Fault


def refusal(response: httpx2.Response, *, correlation_id: str) -> ApiError:
    """The refusal as an exception: by its code, or by its status where the code is new."""
    status = response.status_code
    document = _document(response)
    code = str(document.get("code") or f"http_{status}")
    by_status = _problem.BY_STATUS.get(
        status, _problem.ServerFault if status >= 500 else _problem.ApiError
    )
    return errors.BY_CODE.get(code, by_status)(
        str(document.get("detail") or f"The server answered {status} without saying why."),
        status=status,
        code=code,
        correlation_id=str(document.get("correlation_id") or correlation_id),
        title=str(document.get("title") or ""),
        errors=_faults(document.get("errors")),
        resource_id=document.get("resource_id"),
        retry_after=_retry_after(response),
    )


def ended(said: str, response: httpx2.Response) -> ApiError:
    """Why a stream that had begun well was ended by the platform."""
    document = _parsed(said)
    code = str(document.get("code") or "ended")
    kind = errors.BY_CODE.get(code, ApiError)
    statuses = [number for number, known in _problem.BY_STATUS.items() if issubclass(kind, known)]
    return kind(
        str(document.get("detail") or "The platform ended the stream."),
        status=statuses[0] if statuses else response.status_code,
        code=code,
        correlation_id=response.headers.get("x-correlation-id", "none"),
    )


def _document(response: httpx2.Response) -> dict[str, Any]:
    """The problem document; empty where a proxy answered with a page of its own."""
    return _parsed(response.content)


def _parsed(text: str | bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return cast(dict[str, Any], found) if isinstance(found, dict) else {}


def _faults(found: Any) -> list[Fault]:
    if not isinstance(found, list):
        return []
    return [
        Fault(str(entry.get("location", "")), str(entry.get("message", "")))
        for entry in cast(list[dict[str, Any]], found)
    ]


def _retry_after(response: httpx2.Response) -> float | None:
    value = response.headers.get("retry-after", "")
    return float(value) if value.isascii() and value.isdigit() else None
