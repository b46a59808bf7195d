"""Which files of the repository are pages of the site, where they stand there, and in which menu.

The menu is nobody's list: each folder's `README.md` is its index, and the menu follows the links of
it, grouped by its headings. A page that no index links to is a fault, so none is ever lost.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

INDEX = "README.md"
SECTIONS = (
    "tutorials",
    "howto",
    "reference",
    "explanation",
    "runbooks",
    "decisions",
    "contributing",
)
PLACES = {
    "docs": "",
    "docs/evidence": "contributing/evidence",
    "contract": "reference/contract",
    "apps/echo/src/moorage_echo/runbook.md": "runbooks/apps/echo.md",
    "apps/slurm/src/moorage_slurm/runbook.md": "runbooks/apps/slurm.md",
    "apps/slurm/components.md": "explanation/slurm-components.md",
    "CHANGELOG.md": "contributing/changelog.md",
    "CONTRIBUTING.md": "contributing/contributing.md",
    "REVIEWING.md": "contributing/reviewing.md",
    "SECURITY.md": "contributing/security.md",
    "STYLE.md": "contributing/style.md",
    "apps/echo/README.md": "contributing/packages/echo.md",
    "apps/slurm/README.md": "contributing/packages/slurm.md",
    "bench/README.md": "contributing/packages/bench.md",
    "conformance/tests/variants/README.md": "contributing/packages/conformance-variants.md",
} | {
    f"{name}/README.md": f"contributing/packages/{name}.md"
    for name in ("agent", "cli", "conformance", "core", "lab", "manifest", "sdk")
}
"""Files and folders of the repository, and where they stand on the site."""

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


@dataclass
class Site:
    """The pages by their place on the site, and everything else that they link to."""

    pages: dict[str, str] = field(default_factory=dict[str, str])
    files: dict[str, Path] = field(default_factory=dict[str, Path])


def collect(repo: Path) -> Site:
    """Read every page, with its links as they must be on the site."""
    places = dict(_places(repo))
    site = Site()
    for source, place in places.items():
        if source.endswith(".md"):
            text = (repo / source).read_text("utf-8")
            site.pages[place] = _relink(text, source, places)
        else:
            site.files[place] = repo / source
    return site


def _places(repo: Path) -> Iterator[tuple[str, str]]:
    for source, place in PLACES.items():
        path = repo / source
        found = [path] if path.is_file() else sorted(path.rglob("*"))
        for each in found:
            if each.is_file():
                within = each.relative_to(path).as_posix() if each != path else ""
                yield (
                    each.relative_to(repo).as_posix(),
                    f"{place}/{within}".strip("/"),
                )


def _relink(text: str, source: str, places: dict[str, str]) -> str:
    """Turn links between files into links between pages; what is on no page stays as words."""
    fences = [match.span() for match in FENCE.finditer(text)]
    here = PurePosixPath(places[source]).parent

    def moved(match: re.Match[str]) -> str:
        picture, words, link, anchor = match.groups()
        if any(start <= match.start() < end for start, end in fences):
            return match[0]
        target = os.path.normpath(PurePosixPath(source).parent / link)
        if (place := places.get(target)) is None:
            return match[0] if target.startswith("docs/") else words
        return f"{picture}[{words}]({os.path.relpath(place, here)}{anchor or ''})"

    return LINK.sub(moved, text)


def menu(pages: dict[str, str]) -> tuple[list[Any], list[str]]:
    """The menu as `mkdocs.yml` wants it, and a sentence for each page that is in none."""
    placed = {INDEX}
    entries: list[Any] = [{"Home": INDEX}]
    for section in SECTIONS:
        index = f"{section}/{INDEX}"
        entries.append({title(pages[index]): _below(index, pages, placed)})
    lost = sorted(set(pages) - placed)
    return entries, [f"{page}: no {INDEX} of its section links to it" for page in lost]


def _below(index: str, pages: dict[str, str], placed: set[str]) -> list[Any]:
    """What an index links to in its own folder, in its own order, under its own headings."""
    placed.add(index)
    folder = PurePosixPath(index).parent.as_posix()
    first, *parts = HEADING.split(FENCE.sub("", pages[index]))
    entries: list[Any] = [index, *_linked(first, folder, pages, placed)]
    for heading, part in zip(parts[::2], parts[1::2], strict=True):
        if group := _linked(part, folder, pages, placed):
            entries.append({heading.strip(): group})
    return entries


def _linked(text: str, folder: str, pages: dict[str, str], placed: set[str]) -> list[Any]:
    entries: list[Any] = []
    for match in LINK.finditer(text):
        target = os.path.normpath(f"{folder}/{match[3]}")
        if target not in pages or target in placed or not target.startswith(f"{folder}/"):
            continue
        if target.endswith(f"/{INDEX}"):
            entries.append({title(pages[target]): _below(target, pages, placed)})
        else:
            placed.add(target)
            entries.append({title(pages[target]): target})
    return entries


def title(text: str) -> str:
    """What a page is called: its first heading."""
    return text.splitlines()[0].removeprefix("# ").replace("`", "").strip()
