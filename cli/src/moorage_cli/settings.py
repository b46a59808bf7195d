"""What `moor` takes from the environment. Read here, passed on from here."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

DEFAULT_PROFILE = "default"


@dataclass(frozen=True)
class Environment:
    """The variables that mean something to `moor`."""

    url: str | None
    """MOOR_URL: the platform's address, in place of the profile's."""
    token: str | None = field(repr=False)
    """MOOR_TOKEN: a personal access token, in place of the profile's."""
    ca: Path | None
    """MOOR_CA: the certificate of the authority to trust."""
    profile: str | None
    """MOOR_PROFILE: which profile to use."""
    credentials: Path
    """Where profiles are kept."""
    runtime: Path | None = None
    """XDG_RUNTIME_DIR: a folder of the caller's own that the system keeps in memory."""

    @classmethod
    def read(cls) -> Self:
        known = os.environ
        home = known.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
        ca = known.get("MOOR_CA")
        return cls(
            url=known.get("MOOR_URL") or None,
            token=known.get("MOOR_TOKEN") or None,
            ca=Path(ca) if ca else None,
            profile=known.get("MOOR_PROFILE") or None,
            credentials=Path(home) / "moorage" / "credentials.json",
            runtime=Path(folder) if (folder := known.get("XDG_RUNTIME_DIR")) else None,
        )
