"""The key that nonces of nodes are made with: a file outside the database, made once."""

import secrets
from pathlib import Path

from moorage_core.kit import key_files

NAME = "nodes.key"
SIZE = 32


def ensure(folder: Path) -> bytes:
    """The key of a folder; made where there is none. Processes that start together agree."""
    path = folder / NAME
    if not path.exists():
        key_files.put_new(path, secrets.token_bytes(SIZE))
    return path.read_bytes()
