"""Reads the bytes of a pull as a server's client does."""

import asyncio
from typing import Any

from core.tests.callers import Caller
from core.tests.site import Site


class Reader:
    """One request, seen as the server sends the answer; waits at the first bytes if told to."""

    def __init__(self, site: Site, caller: Caller, pull: dict[str, Any], **headers: str) -> None:
        self.site = site
        self.request = site.client.build_request(
            "GET",
            f"/v1/pulls/{pull['id']}/content",
            headers={"moorage-pull": pull["secret"], **caller.proof, **headers},
        )
        self.begun, self.go_on, self.gone = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.go_on.set()
        self.status, self.body, self.ended = 0, b"", False

    async def read(self) -> None:
        await self.site.api(self._scope(), self._receive, self._send)

    async def _receive(self) -> Any:
        """Set `gone`, and the server hears that nobody is there any more."""
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            return
        if self.status == 200:
            self.body += message.get("body", b"")
        self.ended = not message.get("more_body", False)
        self.begun.set()
        await self.go_on.wait()

    def _scope(self) -> dict[str, Any]:
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": self.request.url.path,
            "raw_path": self.request.url.raw_path,
            "query_string": b"",
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in self.request.headers.raw],
            "client": ("127.0.0.1", 4000),
            "server": ("127.0.0.1", 7700),
        }
