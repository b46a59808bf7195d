"""The one place that speaks HTTP.

It proves the caller, tries again where that is safe, and names what went wrong.
"""

import asyncio
import copy
import logging
import ssl
import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from typing import TypedDict

import httpx2

from moorage import _address, _operation, _quiet, _retry
from moorage._operation import Arguments, Operation, Options
from moorage._problem import (
    ApiError,
    BadAnswer,
    CertificateRefused,
    Unauthenticated,
    Unreachable,
)
from moorage._refusal import refusal
from moorage.auth import Auth, Headers

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 30.0
KEPT = 32
"""Connections that are kept open for the next calls."""
NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)
NOBODY: Headers = {}
NO_OPTIONS = Options()

log = logging.getLogger("moorage")


@dataclass(frozen=True)
class _Call:
    """What stays the same over all tries of one call."""

    operation: Operation
    arguments: Arguments
    correlation_id: str
    headers: dict[str, str] = field(repr=False)

    @property
    def idempotency_key(self) -> str | None:
        return self.headers.get("Idempotency-Key")


class _Ids(TypedDict):
    correlation_id: str
    idempotency_key: str | None


class Transport:
    """A connection to one platform as one caller."""

    def __init__(
        self, url: str, *, auth: Auth | None, ca: str | Path | None, patience: float, agent: str
    ) -> None:
        address = _address.checked(url)
        self.url = str(address)
        self.patience = patience
        self._auth = auth
        self._owner = True
        plain = address.scheme == "http"
        _quiet.hide_secrets()
        self._http = httpx2.AsyncClient(
            base_url=self.url,
            headers={"User-Agent": agent},
            # A cookie that the platform sets is a credential: it is for whoever signed in.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            verify=_address.trust(ca),
            # What goes to this machine in plain text must not take the way over a proxy.
            trust_env=not plain,
            timeout=httpx2.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS, pool=None),
            # A call that waits on the platform must not keep others from being sent.
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=KEPT),
        )

    def acting(self, auth: Auth) -> "Transport":
        """The same connections for another caller. Closing it closes none of them."""
        other = copy.copy(self)
        other._auth, other._owner = auth, False  # noqa: SLF001 - one of our own
        return other

    async def close(self) -> None:
        if not self._owner:
            return
        try:
            if self._auth is not None:
                await self._auth.close(self)
        finally:
            await self._http.aclose()

    async def send(
        self, operation: Operation, arguments: Arguments, options: Options = NO_OPTIONS
    ) -> httpx2.Response:
        """The answer to a call; raises what went wrong."""
        return await self._persist(_call(operation, arguments, options), stream=False)

    @asynccontextmanager
    async def stream(
        self, operation: Operation, arguments: Arguments, options: Options = NO_OPTIONS
    ) -> AsyncGenerator[httpx2.Response]:
        """An answer that goes on: the connection is open until the end of the block."""
        call = _call(operation, arguments, options)
        response = await self._persist(call, stream=True)
        try:
            yield response
        except httpx2.TransportError as err:
            raise self._unreachable(err, call) from err
        finally:
            await response.aclose()

    async def _persist(self, call: _Call, *, stream: bool) -> httpx2.Response:
        patience, started, renewed = _retry.Patience(self.patience), time.monotonic(), False
        while True:
            proof = await self._proof(call.operation)
            try:
                return await self._once(call, proof, stream=stream)
            except Unauthenticated as err:
                if renewed or not self._can_renew(err, proof):
                    raise
                renewed = True
            except (ApiError, Unreachable) as err:
                wait = self._pause(err, call, patience, spent=time.monotonic() - started)
                if wait is None:
                    raise
                await asyncio.sleep(wait)

    async def _proof(self, operation: Operation) -> Headers:
        if operation.public or self._auth is None:
            return NOBODY
        return await self._auth.headers(self)

    def _can_renew(self, err: Unauthenticated, proof: Headers) -> bool:
        # Other codes of 401 are about what the call says, such as a password.
        mine = err.code == "unauthenticated" and proof is not NOBODY
        return mine and self._auth is not None and self._auth.refused(proof)

    def _pause(
        self, err: ApiError | Unreachable, call: _Call, patience: _retry.Patience, *, spent: float
    ) -> float | None:
        repeatable = callable(call.arguments.body)
        if not _retry.may_repeat(err, kind=call.operation.kind, repeatable=repeatable):
            return None
        wait = patience.next(err, spent=spent)
        log.debug("%s: %s; again in %s s", call.operation.id, err, wait)
        return wait

    async def _once(self, call: _Call, proof: Headers, *, stream: bool) -> httpx2.Response:
        timeout = httpx2.Timeout(
            ANSWER_SECONDS + call.arguments.wait, connect=CONNECT_SECONDS, pool=None
        )
        request = self._http.build_request(
            call.operation.method,
            _operation.address(call.operation, call.arguments),
            params=_operation.query(call.arguments),
            headers={**call.headers, **proof},
            content=_operation.body(call.arguments),
            timeout=timeout,
        )
        try:
            response = await self._http.send(request, stream=stream)
            if response.status_code >= 400:
                await response.aread()
        except httpx2.TransportError as err:
            raise self._unreachable(err, call) from err
        except httpx2.RequestError as err:
            raise BadAnswer(_strange(self.url), correlation_id=call.correlation_id) from err
        log.debug("%s: %s, %s", call.operation.id, response.status_code, call.correlation_id)
        if response.status_code >= 400:
            raise refusal(response, correlation_id=call.correlation_id)
        return response

    def _unreachable(self, err: httpx2.TransportError, call: _Call) -> Unreachable:
        ids: _Ids = {"correlation_id": call.correlation_id, "idempotency_key": call.idempotency_key}
        if (untrusted := _certificate_error(err)) is not None:
            return CertificateRefused(
                f"The certificate of {self.url} is not trusted: {untrusted.verify_message}. "
                "Where the platform has an authority of its own, give its certificate as `ca`.",
                sent=False,
                **ids,
            )
        said = str(err) or type(err).__name__
        if isinstance(err, NOT_SENT):
            return Unreachable(f"{self.url} cannot be reached: {said}.", sent=False, **ids)
        return Unreachable(f"The answer of {self.url} did not arrive: {said}.", sent=True, **ids)


def _call(operation: Operation, arguments: Arguments, options: Options) -> _Call:
    correlation_id = options.correlation_id or uuid.uuid4().hex
    headers = {"X-Correlation-ID": correlation_id, **arguments.headers}
    if options.traceparent is not None:
        headers["traceparent"] = options.traceparent
    if operation.kind == "mutation":
        headers["Idempotency-Key"] = options.idempotency_key or uuid.uuid4().hex
    if arguments.version is not None:
        headers["If-Match"] = f'"{arguments.version}"'
    if arguments.body is not None:
        headers["Content-Type"] = "application/json"
    if arguments.content is not None:
        headers["Content-Type"] = "application/octet-stream"
    return _Call(operation, arguments, correlation_id, headers)


def _certificate_error(err: BaseException | None) -> ssl.SSLCertVerificationError | None:
    while err is not None:
        if isinstance(err, ssl.SSLCertVerificationError):
            return err
        err = err.__cause__ or err.__context__
    return None


def _strange(url: str) -> str:
    return f"What answers at {url} is not a Moorage platform, or a proxy stands in its place."
