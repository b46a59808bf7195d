"""Looks for planted secrets wherever they must not be: as they are, in base64 and in hex."""

import base64
import json
import mmap
import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from moorage_core.embedded import binaries
from tests.e2e.site import Site


def forms(secret: str) -> list[bytes]:
    """How a secret may be written."""
    plain = secret.encode()
    encoded = base64.b64encode(plain).rstrip(b"=")[:-1]  # the last letter hangs on what follows
    return [plain, plain.hex().encode(), encoded, json.dumps(secret)[1:-1].encode()]


def found_in(places: Iterable[tuple[str, bytes]], secrets: dict[str, str]) -> list[str]:
    """Which secret is in which place, by name: never the secret itself."""
    known = {name: forms(secret) for name, secret in secrets.items()}
    return [
        f"{name} in {place}"
        for place, content in places
        for name, written in known.items()
        if any(form in content for form in written)
    ]


def in_folder(folder: Path, secrets: dict[str, str]) -> list[str]:
    """The same for every file below a folder, however large."""
    found: list[str] = []
    for path in _files(folder):
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
            for name, secret in secrets.items():
                if any(view.find(form) >= 0 for form in forms(secret)):
                    found.append(f"{name} in {path.relative_to(folder)}")
    return found


def _files(folder: Path) -> Iterator[Path]:
    for root, _, names in os.walk(folder):
        for name in names:
            path = Path(root) / name
            if path.is_file() and not path.is_symlink() and path.stat().st_size:
                yield path


def processes() -> bytes:
    """Arguments and environments of everything that runs on this machine, hosts included."""
    seen: list[bytes] = []
    for folder in Path("/proc").glob("[0-9]*"):
        if folder.name == str(os.getpid()):
            continue  # the test itself, which has the secrets
        for name in ("cmdline", "environ"):
            try:
                seen.append((folder / name).read_bytes())
            except OSError:
                continue
    return b"\n".join(seen)


def dump(site: Site) -> bytes:
    """The whole database, as its owner sees it."""
    newest = max(binaries.list_binaries(), key=lambda entry: entry.major)
    ended = subprocess.run(
        [newest.program("pg_dump"), "--enable-row-security", "--inserts", site.owner_url],
        capture_output=True,
        check=True,
    )
    return ended.stdout
