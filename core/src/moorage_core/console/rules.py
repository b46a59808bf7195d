"""Which file an address means, and what goes out with it. Touches no disk."""

import base64
import hashlib
import re
from enum import Enum, auto
from pathlib import PurePosixPath

API = frozenset({"v1", "metrics", ".well-known"})
"""First words of addresses that are the API's, whether or not there is anything."""
DOCS = "docs"
ASSETS = "assets"
INDEX = "index.html"

YEAR = "public, max-age=31536000, immutable"
ASK_FIRST = "no-cache"
CSP = (
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline';"
    " script-src 'self'{scripts}; connect-src 'self'; object-src 'none';"
    " frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)

OCTETS = "application/octet-stream"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".xml": "application/xml",
}
"""Ours, not the system's: a page must not depend on what is installed beside it."""

_INLINE = re.compile(rb"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL)


class Area(Enum):
    """To whom an address belongs."""

    API = auto()
    CONSOLE = auto()
    ASSETS = auto()
    DOCS = auto()


def area(path: str) -> Area:
    first = path.removeprefix("/").split("/", 1)[0]
    if first in API:
        return Area.API
    return {DOCS: Area.DOCS, ASSETS: Area.ASSETS}.get(first, Area.CONSOLE)


def relative(path: str) -> PurePosixPath | None:
    """The file below a folder that an address names; None where it could lead out of it."""
    words = path.strip("/").split("/")
    if any(not word or word.startswith(".") or _is_odd(word) for word in words):
        return None
    return PurePosixPath(*words)


def _is_odd(word: str) -> bool:
    return "\\" in word or len(word.encode("utf-8", "replace")) > 255 or not word.isprintable()


def media_type(name: str) -> str:
    return TYPES.get(PurePosixPath(name).suffix, OCTETS)


def is_known(if_none_match: str, tag: str) -> bool:
    """Whether the caller has this very file already."""
    given = [each.strip().removeprefix("W/") for each in if_none_match.split(",")]
    return tag in given or given == ["*"]


def inline_scripts(page: bytes) -> tuple[str, ...]:
    """The digests of a page's own scripts: what the policy lets run beside files of ours."""
    found = {hashlib.sha256(script).digest() for script in _INLINE.findall(page)}
    return tuple(sorted(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in found))


def policy(scripts: tuple[str, ...]) -> str:
    return CSP.format(scripts="".join(f" {script}" for script in scripts))
