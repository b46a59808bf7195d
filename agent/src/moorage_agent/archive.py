"""The agent as one file, `agent.pyz`. The same sources make the same bytes, wherever it is built.

Members are stored and not compressed: what a compressor makes depends on its version.
"""

import io
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from moorage_agent.pasted import line

__all__ = ["build", "line"]

PACKAGE = Path(__file__).resolve().parent
SHEBANG = b"#!/usr/bin/env python3\n"
START = b"from moorage_agent import __main__\n\n__main__.main()\n"
EPOCH = (1980, 1, 1, 0, 0, 0)


def build() -> bytes:
    """The archive of this package."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, content in [("__main__.py", START), *_sources()]:
            member = zipfile.ZipInfo(name, EPOCH)
            member.create_system = 3  # Unix, also when built elsewhere
            member.external_attr = 0o100644 << 16
            archive.writestr(member, content)
    return SHEBANG + packed.getvalue()


def _sources() -> Iterator[tuple[str, bytes]]:
    for path in sorted(PACKAGE.rglob("*.py"), key=lambda path: path.relative_to(PACKAGE).parts):
        yield f"moorage_agent/{path.relative_to(PACKAGE).as_posix()}", path.read_bytes()


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(build())
