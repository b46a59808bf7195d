"""HTTPS to the platform: JSON in and out, refusals as exceptions, connections that are kept.

Every call of the protocol may be repeated, so a kept connection that turns out to be dead costs one
more try and nothing else. Nothing here waits and tries again later: how long to wait is the
caller's business.
"""

import http.client
import ipaddress
import json
import ssl
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union, cast
from urllib.parse import urlsplit

TIMEOUT = 30.0
LARGEST = 32 * 1024 * 1024
CHUNK = 256 * 1024
_NOT_YET_VALID, _EXPIRED = 9, 10
_DEAD = (http.client.BadStatusLine, http.client.CannotSendRequest, ConnectionError)

Body = Union[bytes, dict[str, Any], None]


class Unreachable(Exception):
    """The platform did not answer. Trying again later may help."""


class Refused(Exception):
    """The platform answered with a problem."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        self.status = status
        self.code = str(problem.get("code", "unknown"))
        self.errors: list[Any] = problem.get("errors") or []
        super().__init__(str(problem.get("detail") or problem.get("title") or f"HTTP {status}"))


class Insecure(Exception):
    """The address would send the node's secrets over the network in the clear."""


@dataclass(frozen=True)
class Address:
    """Where the platform is."""

    is_https: bool
    host: str
    port: int
    prefix: str


def parse(url: str) -> Address:
    """The parts of the platform's address; plain HTTP only on the machine itself."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Insecure(f"{url!r} is not an address of the platform: https://host[:port].")
    is_https = parts.scheme == "https"
    if not is_https and not is_loopback(parts.hostname):
        raise Insecure(f"{url!r} is plain HTTP, and not this machine's own: use https.")
    port = parts.port or (443 if is_https else 80)
    return Address(is_https, parts.hostname, port, parts.path.rstrip("/"))


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def trusting(ca: Optional[Path]) -> ssl.SSLContext:
    """Trust the authorities of this file alone; without one, those of the system."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if ca is None:
        context.load_default_certs()
    else:
        context.load_verify_locations(cafile=str(ca))
    return context


def blindly() -> ssl.SSLContext:
    """Trust anybody: for what is held against a digest afterwards."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


class Platform:
    """The platform at one address. Threads share it; each call has a connection to itself."""

    def __init__(self, url: str, context: Optional[ssl.SSLContext]) -> None:
        self._address = parse(url)
        self._context = context
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def trust(self, context: ssl.SSLContext) -> None:
        """Use other trust from the next connection on."""
        with self._lock:
            self._context = context
        self.close()

    def close(self) -> None:
        """Close the connections that nobody uses at the moment."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def handshake(self, context: ssl.SSLContext) -> None:
        """Find out whether the platform can be reached with this trust."""
        with _as_unreachable():
            connection = self._new(context)
            try:
                connection.connect()
            finally:
                connection.close()

    def call(
        self,
        method: str,
        path: str,
        body: Body = None,
        *,
        token: str = "",
        timeout: float = TIMEOUT,
    ) -> dict[str, Any]:
        """Send a request and read its answer, a JSON object."""
        with self._answer(method, path, body, token=token, timeout=timeout) as answer:
            return _json(answer.read(LARGEST))

    def fetch(self, path: str, *, limit: int = LARGEST) -> bytes:
        """A file, whole. Whoever answers may not be trusted yet: one that is longer is refused."""
        found = bytearray()
        for piece in self.stream(path):
            found += piece
            if len(found) > limit:
                raise Unreachable(f"{path} is longer than {limit} bytes: is this its address?")
        return bytes(found)

    def stream(self, path: str, *, token: str = "") -> Iterator[bytes]:
        """A file, as it comes."""
        with self._answer("GET", path, None, token=token, timeout=TIMEOUT) as answer:
            while True:
                piece = answer.read(CHUNK)
                if not piece:
                    return
                yield piece

    def date(self) -> str:
        """The server's own idea of the time, trusted by nobody: for a sentence in the log."""
        connection = self._new(blindly())
        try:
            connection.request("GET", f"{self._address.prefix}/v1/agent/ca.pem")
            return connection.getresponse().getheader("Date") or ""
        except (OSError, http.client.HTTPException):
            return ""
        finally:
            connection.close()

    @contextmanager
    def _answer(
        self, method: str, path: str, body: Body, *, token: str, timeout: float
    ) -> Generator[http.client.HTTPResponse]:
        data, headers = _encode(body)
        if token:
            headers["Authorization"] = f"Bearer {token}"
        with _as_unreachable(self):
            connection, answer = self._send(method, path, data, headers, timeout)
            try:
                if answer.status >= 300:
                    raise Refused(answer.status, _problem(answer.read(LARGEST)))
                yield answer
                answer.read()
            except Refused:
                self._give_back(connection, answer)
                raise
            except BaseException:
                connection.close()
                raise
            self._give_back(connection, answer)

    def _send(
        self, method: str, path: str, data: Optional[bytes], headers: dict[str, str], timeout: float
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """The answer to a request; a kept connection that has died meanwhile is replaced."""
        while True:
            kept, connection = self._take()
            try:
                connection.timeout = timeout
                if connection.sock is not None:
                    connection.sock.settimeout(timeout)
                connection.request(method, self._address.prefix + path, data, headers)
                return connection, connection.getresponse()
            except _DEAD:
                connection.close()
                if not kept:
                    raise
            except BaseException:
                connection.close()
                raise

    def _take(self) -> tuple[bool, http.client.HTTPConnection]:
        with self._lock:
            if self._idle:
                return True, self._idle.pop()
            return False, self._new(self._context)

    def _give_back(
        self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse
    ) -> None:
        with self._lock:
            is_current = getattr(connection, "_context", None) in (self._context, None)
            if is_current and answer.isclosed() and connection.sock is not None:
                self._idle.append(connection)
                return
        connection.close()

    def _new(self, context: Optional[ssl.SSLContext]) -> http.client.HTTPConnection:
        address = self._address
        if not address.is_https:
            return http.client.HTTPConnection(address.host, address.port, timeout=TIMEOUT)
        return http.client.HTTPSConnection(
            address.host, address.port, timeout=TIMEOUT, context=context or trusting(None)
        )


@contextmanager
def _as_unreachable(platform: Optional[Platform] = None) -> Generator[None]:
    try:
        yield
    except ssl.SSLCertVerificationError as err:
        raise Unreachable(_distrust(err, platform)) from err
    except (OSError, http.client.HTTPException) as err:
        raise Unreachable(f"{type(err).__name__}: {err}") from err


def _distrust(err: ssl.SSLCertVerificationError, platform: Optional[Platform]) -> str:
    said = f"The platform's certificate is not trusted: {err.verify_message}."
    if err.verify_code not in (_NOT_YET_VALID, _EXPIRED):
        return said
    date = platform.date() if platform else ""
    return f"{said} Look at this host's clock; the server says it is {date or 'not known'}."


def _encode(body: Body) -> tuple[Optional[bytes], dict[str, str]]:
    if isinstance(body, dict):
        return json.dumps(body).encode(), {"Content-Type": "application/json"}
    if body is not None:
        return body, {"Content-Type": "application/octet-stream"}
    return None, {}


def _json(data: bytes) -> dict[str, Any]:
    try:
        read: Any = json.loads(data or b"{}")
    except ValueError as err:
        raise Unreachable("The platform's answer is not JSON: is this its address?") from err
    if not isinstance(read, dict):
        raise Unreachable("The platform's answer is no JSON object: is this its address?")
    return cast("dict[str, Any]", read)


def _problem(data: bytes) -> dict[str, Any]:
    try:
        return _json(data)
    except Unreachable:
        return {}
