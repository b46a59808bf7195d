"""Routes declare what they are (read, user mutation, machine's call) and which key they ask for.

Reading the declaration, this module gives each route its transaction. A *read* runs in a read-only
one. A *mutation* takes an Idempotency-Key, runs in one transaction that also writes its audit
entry, its events and its answer, and is rendered before the commit; slow work that needs no
transaction is done `before` it, and whoever prefers to wait for what it leads to waits `after` it.
A *machine* route has natural keys of its own (a fence, a nonce) and stores no answer. A route that
*waits* gets no transaction: it takes one for each look and holds none while it sleeps. A route that
*streams* reads its body itself, piece by piece, and may be sent more than fits in memory.

A mutation that allows a dry run does all its work and is then rolled back: the answer is what
would have been answered, and nothing is left of it.

What was declared is checked while it runs: a route that ends without having asked for its key, or a
mutation without exactly one audit entry and at least one event, is rolled back as a bug of ours.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette.responses import Response

from moorage_core import errors, unit
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Hidden
from moorage_core.authz.principals import ANONYMOUS, Kind, Principal
from moorage_core.context import Context, Trace
from moorage_core.errors import ApiError, Forbidden
from moorage_core.http import authentication, idempotency, problems, texts
from moorage_core.kit import metrics
from moorage_core.kit.db import Db
from moorage_core.platform import Platform

RouteKind = Literal["read", "mutation", "machine"]
Handler = Callable[[Request], Coroutine[Any, Any, Response]]
Before = Callable[[Platform, Principal, bytes, Mapping[str, str]], Awaitable[Any]]
"""Done with the request's body and path before its transaction begins: hashing a password, say."""
After = Callable[[Platform, Principal, Request, Response], Awaitable[Response]]
"""Done with the answer to a mutation, once it is stored: waiting for what was asked for, say."""
Claim = Callable[[bytes, bytes], str | None]
"""From a body and our own key to the name of whoever calls; None where the body shows nothing."""
F = TypeVar("F", bound=Callable[..., Any])

PUBLIC = "public"
"""In place of a key: anybody may call this. The route's `why_public` says why."""

ALWAYS: tuple[type[ApiError], ...] = (errors.Malformed, errors.TooMany, errors.Busy)
WITH_CALLER: tuple[type[ApiError], ...] = (errors.Unauthenticated, errors.Forbidden)
BYTES = {
    "requestBody": {
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    }
}
"""What a route that streams takes, for the OpenAPI document."""
DRY_RUN = "dry_run"
DRY_RUN_HEADER = "moorage-dry-run"


class MissingCheck(Exception):
    """A bug of ours: a route did not do what it declares."""


@dataclass(frozen=True)
class RouteSpec:
    """What a route declares about itself."""

    name: str
    method: str
    path: str
    kind: RouteKind
    key: str
    waits: bool = False
    why_public: str = ""
    rotate: str | None = None
    """For answers that carry a secret: how to get a new one when the first is lost."""
    before: Before | None = None
    after: After | None = None
    streams: bool = False
    dry_run: bool = False
    claim: Claim | None = None
    """For public routes: who calls, where the body shows it in a way that no stranger can."""
    any_text: bool = False
    """It takes whatever a host says, and makes text of it that can be kept."""
    lands: str | None = None
    """The page that a browser is sent to with a refusal: somebody walks through this route."""

    @property
    def label(self) -> str:
        return f"{self.method} {self.path}"


class Routes:
    """The routes of one slice."""

    def __init__(self, *, tag: str) -> None:
        self.router = APIRouter(tags=[tag])
        self.specs: list[RouteSpec] = []

    def read(
        self,
        path: str,
        *,
        key: str,
        method: Literal["GET", "POST"] = "GET",
        answers: Sequence[type[ApiError]] = (),
        waits: bool = False,
        why_public: str = "",
        **options: Any,
    ) -> Callable[[F], F]:
        """Something to look at. POST where the question is too long for an address."""
        expected = (*answers, errors.TooLarge) if method == "POST" else answers
        return self._route(
            method, path, "read", key, expected, waits=waits, why_public=why_public, **options
        )

    def mutation(
        self,
        method: Literal["POST", "PATCH", "PUT", "DELETE"],
        path: str,
        *,
        key: str,
        answers: Sequence[type[ApiError]] = (),
        rotate: str | None = None,
        before: Before | None = None,
        after: After | None = None,
        dry_run: bool = False,
        **options: Any,
    ) -> Callable[[F], F]:
        """A change that a person or a service account asks for.

        What `before` returns is the context's `prepared`. A repeated request comes by there too:
        what it finds wrong is for the handler to refuse. It comes by `after` as well. With
        `dry_run`, a caller may ask for the answer alone (`?dry_run=true`).
        """
        expected = (*idempotency.ERRORS, errors.TooLarge, *answers)
        if rotate is not None:
            expected = (*expected, idempotency.AlreadyIssued)
        return self._route(
            method,
            path,
            "mutation",
            key,
            expected,
            rotate=rotate,
            before=before,
            after=after,
            dry_run=dry_run,
            **options,
        )

    def machine(
        self,
        method: Literal["GET", "POST", "PUT", "DELETE"],
        path: str,
        *,
        key: str,
        answers: Sequence[type[ApiError]] = (),
        waits: bool = True,
        streams: bool = False,
        why_public: str = "",
        claim: Claim | None = None,
        any_text: bool = False,
        lands: str | None = None,
        **options: Any,
    ) -> Callable[[F], F]:
        """A step of a protocol between programs, with a natural key of its own.

        One that `streams` takes its body from `request.stream()`, up to the limit for uploads. One
        that takes `any_text` cleans what it is sent: the word of a host is kept, whatever it is.
        One that `lands` sends browsers to that page with a refusal.
        """
        expected = (*answers, errors.TooLarge) if method != "GET" else answers
        return self._route(
            method,
            path,
            "machine",
            key,
            expected,
            waits=waits,
            streams=streams,
            why_public=why_public,
            claim=claim,
            any_text=any_text,
            lands=lands,
            **options,
        )

    def _route(
        self,
        method: str,
        path: str,
        kind: RouteKind,
        key: str,
        answers: Sequence[type[ApiError]],
        *,
        waits: bool = False,
        why_public: str = "",
        rotate: str | None = None,
        before: Before | None = None,
        after: After | None = None,
        streams: bool = False,
        dry_run: bool = False,
        claim: Claim | None = None,
        any_text: bool = False,
        lands: str | None = None,
        **options: Any,
    ) -> Callable[[F], F]:
        expected = (*ALWAYS, *answers) if key == PUBLIC else (*ALWAYS, *WITH_CALLER, *answers)
        responses = options.pop("responses", {}) | problem_responses(expected)

        def register(function: F) -> F:
            name = function.__name__
            spec = RouteSpec(
                name,
                method,
                path,
                kind,
                str(key),
                waits,
                why_public,
                rotate,
                before,
                after,
                streams,
                dry_run,
                claim,
                any_text,
                lands,
            )
            self.specs.append(spec)
            dependencies = [Depends(_idempotency_header)] if kind == "mutation" else []
            if dry_run:
                dependencies.append(Depends(_dry_run_query))
            self.router.add_api_route(
                path,
                function,
                methods=[method],
                operation_id=name,
                name=name,
                responses=responses,
                dependencies=dependencies,
                route_class_override=_route_class(spec),
                openapi_extra={
                    "x-permission": str(key),
                    "x-route-class": kind,
                    **(BYTES if streams else {}),
                },
                **options,
            )
            return function

        return register


def problem_responses(classes: Sequence[type[ApiError]]) -> dict[int | str, dict[str, Any]]:
    """OpenAPI entries: per status the codes that may come with it."""
    by_status: dict[int, dict[str, str]] = {}
    for error in classes:
        by_status.setdefault(error.status, {})[error.code] = error.title()
    return {
        status: {
            "description": "; ".join(f"`{code}`: {title}" for code, title in sorted(codes.items())),
            "content": {errors.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status, codes in sorted(by_status.items())
    }


# Dependencies are coroutines even where they await nothing: FastAPI runs plain functions in a
# thread, which costs more than all the rest of a request.


def platform_of(request: Request) -> Platform:
    return request.app.state.platform


async def _context(request: Request) -> Context:
    return request.state.ctx


async def _platform(request: Request) -> Platform:
    return platform_of(request)


async def _idempotency_header(
    idempotency_key: Annotated[
        str,
        Header(
            min_length=1,
            max_length=128,
            pattern="^[!-~]+$",
            description=(
                "Your own name for this request: the same when you retry it, new otherwise."
            ),
        ),
    ],
) -> None:
    """Documents the header; `idempotency.key_of` has already checked it."""


async def _dry_run_query(
    dry_run: Annotated[
        bool, Query(description="Answer what the change would lead to, and change nothing.")
    ] = False,
) -> bool:
    return dry_run


DryRun = Annotated[bool, Depends(_dry_run_query)]
"""Whether the caller only wants to know."""
Ctx = Annotated[Context, Depends(_context)]
"""The request's context: caller, transaction, records."""
PlatformDep = Annotated[Platform, Depends(_platform)]
"""The process's services, for routes that wait and take their own transactions."""


def _route_class(spec: RouteSpec) -> type[APIRoute]:
    class DeclaredRoute(APIRoute):
        def get_route_handler(self) -> Handler:
            return _handler(spec, super().get_route_handler())

    return DeclaredRoute


def _handler(spec: RouteSpec, inner: Handler) -> Handler:
    serve = {"read": _serve_read, "mutation": _serve_mutation, "machine": _serve_read}[spec.kind]
    if spec.waits:
        serve = _serve_waiting

    async def handle(request: Request) -> Response:
        request.scope["moorage.route"] = spec
        platform = platform_of(request)
        try:
            principal = await _caller(platform, spec, request)
            try:
                if request.method != "GET":
                    authentication.check_csrf(principal, request)
                await _check_text(spec, request)
                response = await serve(platform, spec, principal, request, inner)
                if spec.after is not None:
                    response = await spec.after(platform, principal, request, response)
                return response
            except RequestValidationError as err:
                await _note(platform, spec, principal, request, problems.malformed(err))
                raise
            except ApiError as refusal:
                await _note(platform, spec, principal, request, refusal)
                if refusal.afterwards is not None:
                    await refusal.afterwards()
                raise
        except (errors.Unauthenticated, errors.TooMany) as refusal:
            metrics.ANONYMOUS_REFUSALS.labels(spec.name, refusal.status).inc()
            raise

    return handle


async def _note(
    platform: Platform, spec: RouteSpec, principal: Principal, request: Request, refusal: ApiError
) -> None:
    """Count what the record counts, and keep what the caller may ask about."""
    about = (platform, principal, spec.label, spec.key, refusal, _trace(request))
    if isinstance(refusal, Forbidden | Hidden):
        await audit.record_denial(*about)
    if spec.kind != "machine" or principal.kind is Kind.USER:
        await audit.keep_refusal(*about)


async def _check_text(spec: RouteSpec, request: Request) -> None:
    if request.url.query:
        texts.check_query(request)
    if request.method != "GET" and not (spec.streams or spec.any_text):
        texts.check_body(await request.body())


async def _caller(platform: Platform, spec: RouteSpec, request: Request) -> Principal:
    if spec.key == PUBLIC:
        claim = spec.claim and spec.claim(await request.body(), platform.node_key)
        if claim:
            authentication.limit_claim(platform, claim)
        else:
            authentication.limit_address(platform, request)
        return ANONYMOUS
    principal = await authentication.authenticate(platform, request)
    authentication.limit_principal(platform, principal)
    return principal


async def _serve_waiting(
    platform: Platform, spec: RouteSpec, principal: Principal, request: Request, inner: Handler
) -> Response:
    request.state.principal = principal
    return await inner(request)


async def _serve_read(
    platform: Platform, spec: RouteSpec, principal: Principal, request: Request, inner: Handler
) -> Response:
    async with platform.database.transaction(principal.scope, read_only=spec.kind == "read") as db:
        ctx = _enter(platform, principal, request, db)
        response = await inner(request)
        _check_asked(spec, ctx)
        return response


async def _serve_mutation(
    platform: Platform, spec: RouteSpec, principal: Principal, request: Request, inner: Handler
) -> Response:
    if DRY_RUN in request.query_params and not spec.dry_run:
        # Ignored, it would let somebody change what they only meant to try.
        raise errors.Malformed(
            "This change has no dry run. Leave dry_run out to make it.",
            errors=[errors.Fault(f"query.{DRY_RUN}", "not taken by this route")],
        )
    body = await request.body()
    key = idempotency.key_of(request, principal=principal, route=spec.label, body=body)
    prepared = None
    if spec.before is not None:
        prepared = await spec.before(platform, principal, body, request.path_params)
    async with platform.database.transaction(principal.scope, prelude=key.prelude()) as db:
        if db.prelude is not None:
            return key.replay(db.prelude, rotate=spec.rotate)
        ctx = _enter(platform, principal, request, db)
        ctx.prepared = prepared
        response = await inner(request)
        _check_asked(spec, ctx)
        _check_recorded(spec, ctx)
        if spec.dry_run and _is_dry(request):
            await db.connection.rollback()
            response.headers[DRY_RUN_HEADER] = "true"
            return response
        secret = spec.rotate is not None
        await unit.finish(ctx, key.answer(response, secret=secret, resource_id=ctx.audit[0].target))
    unit.wake(ctx)
    return response


def _is_dry(request: Request) -> bool:
    """Asked of the request: by now its handler has answered, so the query is well formed."""
    given = request.query_params.get(DRY_RUN)
    return given is not None and TypeAdapter(bool).validate_python(given)


def _enter(platform: Platform, principal: Principal, request: Request, db: Db) -> Context:
    ctx = Context(
        principal=principal,
        db=db,
        clock=platform.clock,
        trace=_trace(request),
        platform=platform,
    )
    request.state.ctx = ctx
    return ctx


def _trace(request: Request) -> Trace:
    return request.state.trace


def _check_asked(spec: RouteSpec, ctx: Context) -> None:
    if spec.key != PUBLIC and spec.key not in ctx.checked:
        raise MissingCheck(f"{spec.name} never asked for {spec.key}")


def _check_recorded(spec: RouteSpec, ctx: Context) -> None:
    if len(ctx.audit) != 1 or not ctx.events:
        raise MissingCheck(
            f"{spec.name} left {len(ctx.audit)} audit entries and {len(ctx.events)} events"
        )
