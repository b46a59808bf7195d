"""The outermost layer, plain ASGI, because it stands in front of every request.

Ids for the trace, size limits, security headers, the access log, the last catch.
"""

import asyncio
import contextlib
import re
import secrets
import time
from typing import Any, cast

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moorage_core.context import Trace
from moorage_core.errors import TooLarge
from moorage_core.http import problems, waiting
from moorage_core.kit import metrics
from moorage_core.unit import new_correlation_id

CORRELATION_HEADER = "x-correlation-id"
_CORRELATION = re.compile(r"[A-Za-z0-9._-]{8,64}")
_TRACEPARENT = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_SECURITY = (
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
)

DRAINED_BYTES = 128 << 20
DRAINED_SECONDS = 30.0
"""How much of a body is read, and for how long, only for its sender to hear the refusal."""

log = structlog.get_logger()


class Edge:
    def __init__(self, app: ASGIApp, *, body_bytes: int, stream_bytes: int, tls: bool) -> None:
        self.app = app
        self.body_bytes = body_bytes
        self.stream_bytes = stream_bytes
        self.headers = list(_SECURITY)
        if tls:
            self.headers.append(("strict-transport-security", "max-age=31536000"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = _Request(self, scope, receive, send)
        await request.answer()


class _Request:
    """One request on its way through the edge."""

    def __init__(self, edge: Edge, scope: Scope, receive: Receive, send: Send) -> None:
        self.edge = edge
        self.scope = scope
        self._receive = receive
        self._send = send
        headers = Headers(scope=scope)
        self.trace = trace_of(headers)
        self.declared = headers.get("content-length", "")
        self.status = 0
        self.received = 0
        self.ended = False
        scope.setdefault("state", {})["trace"] = self.trace

    async def answer(self) -> None:
        started = time.perf_counter()
        structlog.contextvars.bind_contextvars(**_log_ids(self.trace))
        try:
            await self.edge.app(self.scope, self.receive, self.send)
        except TooLarge as err:
            await self._refuse(problems.render(err, self.trace.correlation_id))
        except Exception:
            log.exception("http.unhandled", path=self.scope["path"])
            await self._refuse(problems.render(problems.internal(), self.trace.correlation_id))
        finally:
            waiting.end_look_out(self.scope)
            self._record(time.perf_counter() - started)
            structlog.contextvars.clear_contextvars()

    async def receive(self) -> Message:
        # Not before: how much a route takes is known once the route is.
        if self._declares_too_much():
            raise self._too_large()
        message = await self._receive()
        self.received += len(message.get("body", b""))
        self.ended = not message.get("more_body", False)
        if self.received > self._limit:
            raise self._too_large()
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self.status >= 400:
                await self._drain()
            headers = MutableHeaders(scope=message)
            headers[CORRELATION_HEADER] = self.trace.correlation_id
            for name, value in self.edge.headers:
                headers.setdefault(name, value)
            headers.setdefault("cache-control", "no-store")
        await self._send(message)

    async def _drain(self) -> None:
        """Read on in a body that was refused in the middle, and keep nothing of it.

        Who still sends when the connection is closed gets a reset, and never the answer.
        """
        if self.scope.get("moorage.route") is None or not self.scope["moorage.route"].streams:
            return
        read = 0
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAINED_SECONDS):
                while not self.ended and read < DRAINED_BYTES:
                    message = await self._receive()
                    read += len(message.get("body", b""))
                    self.ended = not message.get("more_body", False)

    def _declares_too_much(self) -> bool:
        if not (self.declared.isascii() and self.declared.isdigit()):
            return False
        return len(self.declared) > 18 or int(self.declared) > self._limit

    @property
    def _limit(self) -> int:
        spec = self.scope.get("moorage.route")
        streams = spec is not None and spec.streams
        return self.edge.stream_bytes if streams else self.edge.body_bytes

    def _too_large(self) -> TooLarge:
        return TooLarge(f"The body may have {self._limit} bytes at most.")

    async def _refuse(self, response: Any) -> None:
        if self.status == 0:
            await response(self.scope, self._receive, self.send)

    def _record(self, seconds: float) -> None:
        spec = self.scope.get("moorage.route")
        route = spec.name if spec else "unknown"
        metrics.REQUESTS.labels(route, self.status).inc()
        if spec is not None and not spec.waits:
            metrics.SECONDS.labels(spec.kind).observe(seconds)
        write = log.debug if self.status < 400 and self.scope["method"] == "GET" else log.info
        write(
            "http.request",
            method=self.scope["method"],
            route=route,
            status=self.status,
            ms=round(seconds * 1000, 2),
        )


def trace_of(headers: Headers) -> Trace:
    """The ids that came with the request, or new ones. A malformed id is replaced, not refused."""
    correlation = headers.get(CORRELATION_HEADER, "")
    if not _CORRELATION.fullmatch(correlation):
        correlation = new_correlation_id()
    parent = headers.get("traceparent", "")
    if not _TRACEPARENT.fullmatch(parent):
        parent = f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01"
    return Trace(correlation_id=correlation, traceparent=parent)


def _log_ids(trace: Trace) -> dict[str, str]:
    parent = cast(str, trace.traceparent)
    return {"correlation_id": trace.correlation_id, "trace_id": parent[3:35]}
