"""The node's standing with the platform: a short-lived token, renewed with the key.

The nonce rolls on with every exchange, and a nonce that is used twice is a cloned host: so one
exchange at a time, the assertion on disk before it is sent, the nonce after it was answered.
"""

import threading
import time
from collections.abc import Iterator
from typing import Any, Optional

from moorage_agent import identity
from moorage_agent.identity import Identity
from moorage_agent.places import Places
from moorage_agent.platform import TIMEOUT, Body, Platform, Refused

_RENEW_AT = 2 / 3


class Conflict(Exception):
    """The platform has seen a second holder of this identity, or does not know it. Ask later."""


class Retired(Exception):
    """The node is not wanted any more."""


class Session:
    """Calls in the node's name. Threads share it."""

    def __init__(self, platform: Platform, mine: Identity, places: Places) -> None:
        self.platform = platform
        self._identity, self._places = mine, places
        self._lock = threading.Lock()
        self._token = ""
        self._renew_after = 0.0

    def call(
        self, method: str, path: str, body: Body = None, *, timeout: float = TIMEOUT
    ) -> dict[str, Any]:
        """Call the platform; a token that has run out is replaced on the way."""
        token = self.token()
        try:
            return self.platform.call(method, path, body, token=token, timeout=timeout)
        except Refused as err:
            if err.status != 401:
                raise
        return self.platform.call(
            method, path, body, token=self.token(instead_of=token), timeout=timeout
        )

    def stream(self, path: str) -> Iterator[bytes]:
        """The bytes of a file of the platform's; a token that has run out is replaced first."""
        token = self.token()
        try:
            yield from self.platform.stream(path, token=token)
        except Refused as err:  # nothing has come by then
            if err.status != 401:
                raise
        else:
            return
        yield from self.platform.stream(path, token=self.token(instead_of=token))

    def token(self, *, instead_of: Optional[str] = None) -> str:
        """A token that lives, and is not this one."""
        with self._lock:
            if self._token in ("", instead_of) or time.monotonic() > self._renew_after:
                self._exchange()
            return self._token

    def _exchange(self) -> None:
        self._token = ""
        places = self._places
        self._identity = identity.assertion(self._identity, key=places.key, place=places.identity)
        body = {"node_id": self._identity.node_id, "assertion": self._identity.pending}
        try:
            answer = self.platform.call("POST", "/v1/agent/token", body)
        except Refused as err:
            if err.code == "node_retired":
                raise Retired(str(err)) from err
            if err.status in (401, 409):
                raise Conflict(f"{err.code}: {err}") from err
            raise
        self._identity = identity.answered(self._identity, answer["nonce"], place=places.identity)
        self._token = str(answer["token"])
        self._renew_after = time.monotonic() + float(answer["expires_in"]) * _RENEW_AT
