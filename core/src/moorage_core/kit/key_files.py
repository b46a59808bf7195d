"""New key files: readable by us alone, whole or not at all, and never over another one."""

import os
import secrets
from pathlib import Path


def put_new(path: Path, content: bytes) -> bool:
    """Write `content` to a new file. False where the file is there already: that one stays."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(beside, path)
    except FileExistsError:
        return False
    finally:
        beside.unlink()
    return True
