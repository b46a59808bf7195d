"""A lock file says what and which bytes, never from where.

Whoever installs from a mirror would otherwise write its address into the repository, and everybody
else would be sent there. Every entry carries hashes instead, so it does not matter where a file
comes from.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

SENTENCE = "A lock file names packages and hashes, never a host: run `make lock`, or `npm install`"

PINNED = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^]]*\])?==")
ADDRESS = re.compile(r"\w+://|^\s*(-i|-f|--(extra-)?index-url|--find-links|--trusted-host)\b")


def find(repo: Path) -> Iterator[str]:
    """Each line of a lock that names a host, or lacks a hash."""
    for path in sorted((repo / "requirements").glob("*.lock")):
        yield from _python(path.read_text("utf-8"), str(path.relative_to(repo)))
    for path in _npm_locks(repo):
        yield from _npm(path.read_text("utf-8"), str(path.relative_to(repo)))


def entries(text: str) -> dict[str, str]:
    """The entry of each package in a requirements lock, by its normalised name."""
    blocks = re.split(r"\n(?=\S)", text)
    found = ((PINNED.match(block), block) for block in blocks)
    return {normal(match[1]): block for match, block in found if match}


def name_of(requirement: str) -> str:
    """The package that a requirement such as `granian[uvloop]>=2.8` asks for."""
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    return match[0] if match else requirement


def normal(name: str) -> str:
    """A package name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _npm_locks(repo: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(repo):
        folders[:] = [name for name in sorted(folders) if name[0] != "." and name != "node_modules"]
        if "package-lock.json" in files:
            yield Path(folder, "package-lock.json")


def _python(text: str, name: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), start=1):
        if ADDRESS.search(line):
            yield f"{name}:{number}: {line.strip()}"
    for package, entry in entries(text).items():
        if "--hash=sha256:" not in entry:
            yield f"{name}: {package} has no hash"


def _npm(text: str, name: str) -> Iterator[str]:
    packages = cast(dict[str, dict[str, Any]], json.loads(text)["packages"])
    for place, entry in packages.items():
        if "resolved" in entry:
            yield f"{name}: {place} is resolved to {entry['resolved']}"
        elif place and "integrity" not in entry and not entry.get("link"):
            yield f"{name}: {place} has no hash"
