"""Who you are to which platform, kept between commands in one file that only you can read."""

import json
import os
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from moorage_cli.failures import Broken


@dataclass(frozen=True)
class Profile:
    """One platform, one caller."""

    url: str
    ca: str | None = None
    """The certificate of the platform's own authority, PEM."""
    token: str | None = field(default=None, repr=False)
    token_id: str | None = None
    """Set where `moor login` made the token, so that `moor logout` can revoke it."""
    expires_at: str | None = None
    service_account: str | None = None
    key: str | None = None
    private_key_file: str | None = None


def load(path: Path) -> dict[str, Profile]:
    """All profiles by name. A file that others can read is closed to them first."""
    try:
        with path.open(encoding="utf-8") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if mode & 0o077:
                os.fchmod(file.fileno(), 0o600)
            return _parsed(json.load(file))
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, AttributeError) as err:
        raise Broken(f"{path} cannot be read. Delete it and sign in again.") from err
    except OSError as err:
        raise Broken(f"{path} cannot be read: {err.strerror}.") from err


def _parsed(document: Mapping[str, Any]) -> dict[str, Profile]:
    known = Profile.__dataclass_fields__
    return {
        name: Profile(**{key: value for key, value in entry.items() if key in known})
        for name, entry in document["profiles"].items()
    }


def save(path: Path, profiles: Mapping[str, Profile]) -> None:
    """Replace the file in one step. It is never there half written, nor open to others."""
    document = {"profiles": {name: asdict(profile) for name, profile in profiles.items()}}
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".credentials-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(document, file, indent=2)
            Path(draft).replace(path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
    except OSError as err:
        raise Broken(f"{path} cannot be written: {err.strerror}.") from err


def write_private(path: Path, content: bytes) -> None:
    """Write a secret to a new file for its owner alone."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
