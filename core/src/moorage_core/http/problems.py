"""Every refusal as one problem document: the only place that renders errors."""

import json
from typing import Any
from urllib.parse import urlencode

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from moorage_core.errors import MEDIA_TYPE, TYPE_BASE, ApiError, Fault, Malformed, NotFound
from moorage_core.http import directory
from moorage_core.kit import accepting
from moorage_core.kit.counting import counted

log = structlog.get_logger()


class MethodNotAllowed(ApiError):
    """This address does not take that method."""

    status = 405
    code = "method_not_allowed"


class InternalError(ApiError):
    """Something is wrong on our side."""

    status = 500
    code = "internal"


def document(error: ApiError, correlation_id: str) -> dict[str, Any]:
    return {
        "type": TYPE_BASE + error.code,
        "title": error.title(),
        "status": error.status,
        "detail": error.detail,
        "code": error.code,
        "correlation_id": correlation_id,
        "errors": [{"location": f.location, "message": f.message} for f in error.errors],
        "resource_id": error.resource_id,
    }


def render(error: ApiError, correlation_id: str) -> Response:
    found = document(error, correlation_id)
    body = json.dumps(found, ensure_ascii=False).encode("utf-8", "replace")
    return Response(body, error.status, headers=error.headers, media_type=MEDIA_TYPE)


def internal() -> InternalError:
    return InternalError(
        "This is a fault of the platform. Its operator finds it by the correlation id."
    )


def install(app: FastAPI) -> None:
    app.add_exception_handler(ApiError, _api_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)


async def _api_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)
    return _answer(request, error)


def _answer(request: Request, error: ApiError) -> Response:
    """A document; or, where somebody walks through the route, a page of ours that explains it."""
    spec, correlation_id = request.scope.get("moorage.route"), request.state.trace.correlation_id
    if spec is None or spec.lands is None or not _is_browser(request):
        return render(error, correlation_id)
    query = urlencode({"problem": error.code, "correlation_id": correlation_id})
    return RedirectResponse(f"{spec.lands}?{query}", 303)


def _is_browser(request: Request) -> bool:
    return accepting.takes(",".join(request.headers.getlist("accept")), "text/html")


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return _answer(request, malformed(error))


def malformed(error: RequestValidationError) -> Malformed:
    """What is wrong with a request that the framework would not let in."""
    faults = [_fault(item) for item in error.errors()]
    one = "thing in the request is not as this route takes it"
    many = "things in the request are not as this route takes them"
    detail = f"{counted(len(faults), one, many)}; see errors."
    return Malformed(detail, errors=faults)


def _fault(item: Any) -> Fault:
    # The rejected input is not repeated: it may hold a secret.
    return Fault(".".join(str(part) for part in item["loc"]), str(item["msg"]))


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    known: ApiError = Malformed("The request body could not be read as JSON.")
    if isinstance(error.__cause__, ApiError):
        # What we raised while the framework was reading the body, such as TooLarge.
        known = error.__cause__
    elif error.status_code == 404:
        known = NotFound("There is no such address in this API. /v1/openapi.json lists them all.")
    elif error.status_code == 405:
        detail = "This address exists, but does not take that method."
        known = MethodNotAllowed(detail, headers={"Allow": _allowed(request, error)})
    return render(known, request.state.trace.correlation_id)


def _allowed(request: Request, error: HTTPException) -> str:
    """Every method that the address takes; the framework names those of the first route alone."""
    methods = directory.methods(request.app, request.scope)
    return ", ".join(sorted(methods)) or (error.headers or {}).get("Allow", "GET")
