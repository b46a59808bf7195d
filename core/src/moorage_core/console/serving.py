"""Answers every address that is not the API's: the console, its assets, the docs.

Every state of the console is an address, so whatever a browser asks for by name gets the console's
one page, and the console finds its way. Costs no one's share of requests: it touches no database.
"""

import asyncio
import os
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from moorage_core.console import rules
from moorage_core.console.files import Folder, Found
from moorage_core.http.routing import PUBLIC, RouteSpec
from moorage_core.kit import accepting

BUILT = Path(__file__).parent
"""Where the build puts its files: `app` and `docs`."""

SPEC = RouteSpec(
    name="console",
    method="GET",
    path="/",
    kind="read",
    key=PUBLIC,
    waits=True,
    why_public="pages and scripts are the same for everybody; what they show is not",
)
"""How the log and the counters call it."""

NOT_BUILT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Moorage</title>
<h1>This part of Moorage has not been built</h1>
<p>The API answers; these pages were left out of this installation.
In a clone of the repository <code>make setup</code> builds them.</p>
</html>
"""


class Console:
    """An ASGI application for what the API's router did not know."""

    def __init__(self, built: Path, *, otherwise: ASGIApp) -> None:
        self._app = Folder(built / "app")
        self._docs = Folder(built / "docs")
        self._otherwise = otherwise

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = await self._answer(scope)
        if answer is None:
            await self._otherwise(scope, receive, send)
            return
        scope["moorage.route"] = SPEC
        await answer(scope, receive, send)

    async def _answer(self, scope: Scope) -> Response | None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            return None
        area = rules.area(scope["path"])
        if area is rules.Area.API:
            return None
        # Looking at a disk takes as long as it takes: never on the loop.
        return await asyncio.to_thread(self._find, Request(scope), area)

    def _find(self, request: Request, area: rules.Area) -> Response | None:
        path = request.scope["path"]
        if area is rules.Area.DOCS:
            return self._doc(request, path)
        name = rules.relative(path)
        if name is not None and (found := self._app.find(name)) is not None:
            cache = rules.YEAR if area is rules.Area.ASSETS else rules.ASK_FIRST
            return _send(found, request, cache=cache)
        if area is rules.Area.CONSOLE and (path == "/" or _is_looked_at(request)):
            return self._page(self._app, PurePosixPath(rules.INDEX), request)
        return None

    def _doc(self, request: Request, path: str) -> Response | None:
        below = path.removeprefix(f"/{rules.DOCS}")
        if not below.strip("/"):
            return self._page(self._docs, PurePosixPath(rules.INDEX), request, slash=below == "")
        name = rules.relative(below)
        if name is None:
            return None
        if self._docs.is_folder(name):
            slash = not path.endswith("/")
            return self._page(self._docs, name / rules.INDEX, request, slash=slash)
        found = self._docs.find(name)
        return None if found is None else _send(found, request, cache=rules.ASK_FIRST)

    @staticmethod
    def _page(
        folder: Folder, name: PurePosixPath, request: Request, *, slash: bool = False
    ) -> Response | None:
        """A page, under an address with a slash where its links count on one."""
        found = folder.find(name)
        if found is None:
            built = folder.is_folder(PurePosixPath())
            return None if built else HTMLResponse(NOT_BUILT, 503, {"cache-control": "no-store"})
        if slash:
            query = f"?{request.url.query}" if request.url.query else ""
            return RedirectResponse(quote(request.scope["path"]) + "/" + query, 308)
        return _send(found, request, cache=rules.ASK_FIRST)


def _is_looked_at(request: Request) -> bool:
    return accepting.takes(",".join(request.headers.getlist("accept")), "text/html")


def _send(found: Found, request: Request, *, cache: str) -> Response:
    gzip = accepting.takes(",".join(request.headers.getlist("accept-encoding")), "gzip")
    packed = found.packed if gzip else None
    tag = f'{found.tag[:-1]}-gzip"' if packed else found.tag
    headers = {
        "cache-control": cache,
        "content-security-policy": rules.policy(found.scripts),
        "etag": tag,
        "vary": "accept, accept-encoding",
    }
    if rules.is_known(request.headers.get("if-none-match", ""), tag):
        return Response(status_code=304, headers=headers)
    if packed:
        headers["content-encoding"] = "gzip"
    place = packed or found.place
    status = os.stat(place) if packed else found.status
    return FileResponse(
        place, headers=headers, media_type=rules.media_type(found.place.name), stat_result=status
    )
