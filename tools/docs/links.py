"""Judges built pages: every link leads somewhere, and nothing is fetched from another host."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {
    "audio": "src",
    "embed": "src",
    "iframe": "src",
    "img": "src",
    "input": "src",
    "link": "href",
    "object": "data",
    "script": "src",
    "source": "src",
    "video": "src",
}
"""What a browser loads by itself, as against what a reader may follow."""


@dataclass
class Seen(HTMLParser):
    """What one page links to, loads, and can be linked to at."""

    links: list[str] = field(default_factory=list[str])
    loads: list[str] = field(default_factory=list[str])
    anchors: set[str] = field(default_factory=set[str])
    inline: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        if tag == "a" and "href" in known:
            self.links.append(known["href"])
        if tag in FETCHED and FETCHED[tag] in known:
            self.loads.append(known[FETCHED[tag]])
        if tag == "script" and "src" not in known and known.get("type") != "application/json":
            self.inline += 1
        self.anchors |= {known[name] for name in ("id", "name") if name in known}


def find(site: Path) -> Iterator[str]:
    """A sentence for each fault of the built pages."""
    seen = {path: _read(path) for path in sorted(site.rglob("*.html"))}
    for path, page in seen.items():
        name = path.relative_to(site)
        for link in page.loads:
            if urlsplit(link).netloc:
                yield f"{name}: loads {link} from another host"
        if page.inline:
            yield f"{name}: carries {page.inline} scripts of its own, which a browser refuses here"
        for link in [*page.links, *page.loads]:
            if fault := _dead(path, link, seen):
                yield f"{name}: {link} {fault}"


def _read(path: Path) -> Seen:
    page = Seen()
    page.feed(path.read_text("utf-8"))
    return page


def _dead(path: Path, link: str, seen: dict[Path, Seen]) -> str:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return ""
    target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "leads nowhere"
    if parts.fragment and target in seen and unquote(parts.fragment) not in seen[target].anchors:
        return "leads to no heading of that page"
    return ""
