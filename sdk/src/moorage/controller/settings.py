"""What a controller takes from the environment. Read here, passed on from here."""

import os
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

PREFIX = "MOORAGE_"


class SettingsWrong(ValueError):
    """A setting is missing, or is not what it should be."""


@dataclass(frozen=True)
class Settings:
    """How a controller reaches the platform, and how much it takes on."""

    url: str
    """MOORAGE_URL: the platform's address."""
    account: str
    """MOORAGE_SERVICE_ACCOUNT: the id of the operator's service account."""
    key: str
    """MOORAGE_KEY: the id of the account's key."""
    key_file: Path | None = None
    """MOORAGE_KEY_FILE: the private half of the key, PEM."""
    secret_file: Path | None = None
    """MOORAGE_SECRET_FILE: in place of a private key, the secret that was shown once."""
    ca: Path | None = None
    """MOORAGE_CA: the certificate of the platform's own authority."""
    audience: str | None = None
    """MOORAGE_AUDIENCE: the platform's own name for its address, where it is another."""
    replica: str = ""
    """MOORAGE_REPLICA: the name of this process. Left out: one of its own at every start."""
    capacity: int = 32
    """MOORAGE_CAPACITY: operations that are worked on at once."""
    watches: int = 1000
    """MOORAGE_WATCHES: instances that are watched."""
    looks: int = 16
    """MOORAGE_LOOKS: instances that are looked at in one moment."""
    grace: int = 10
    """MOORAGE_GRACE: seconds that steps have to end when the replica is told to stop."""
    health_host: str = "127.0.0.1"
    """MOORAGE_HEALTH_HOST: where the health page listens."""
    health_port: int | None = None
    """MOORAGE_HEALTH_PORT: its port. Left out: there is none."""

    @classmethod
    def read(cls, environment: Mapping[str, str] | None = None) -> Self:
        """The settings of this process."""
        found = os.environ if environment is None else environment
        known = {name: found[PREFIX + name] for name in _NAMES if found.get(PREFIX + name)}
        missing = [PREFIX + name for name in ("URL", "SERVICE_ACCOUNT", "KEY") if name not in known]
        if missing:
            raise SettingsWrong(f"Set {' and '.join(missing)}.")
        if ("KEY_FILE" in known) == ("SECRET_FILE" in known):
            raise SettingsWrong("Set either MOORAGE_KEY_FILE or MOORAGE_SECRET_FILE.")
        return cls(
            url=known["URL"],
            account=known["SERVICE_ACCOUNT"],
            key=known["KEY"],
            key_file=_path(known, "KEY_FILE"),
            secret_file=_path(known, "SECRET_FILE"),
            ca=_path(known, "CA"),
            audience=known.get("AUDIENCE"),
            replica=known.get("REPLICA") or own_name(),
            capacity=_number(known, "CAPACITY", 32, at_most=1000),
            watches=_number(known, "WATCHES", 1000, at_most=100_000),
            looks=_number(known, "LOOKS", 16, at_most=1000),
            grace=_number(known, "GRACE", 10, at_most=3600),
            health_host=known.get("HEALTH_HOST", "127.0.0.1"),
            health_port=_number(known, "HEALTH_PORT", 0, at_most=65_535) or None,
        )


_NAMES = (
    *("URL", "SERVICE_ACCOUNT", "KEY", "KEY_FILE", "SECRET_FILE", "CA", "AUDIENCE", "REPLICA"),
    *("CAPACITY", "WATCHES", "LOOKS", "GRACE", "HEALTH_HOST", "HEALTH_PORT"),
)


def own_name() -> str:
    """A name that no other process has, nor this one's successor."""
    return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"


def _path(known: Mapping[str, str], name: str) -> Path | None:
    return Path(known[name]) if name in known else None


def _number(known: Mapping[str, str], name: str, default: int, *, at_most: int) -> int:
    given = known.get(name, str(default))
    if not given.isascii() or not given.isdigit() or int(given) > at_most:
        raise SettingsWrong(f"{PREFIX}{name} is a whole number of {at_most} at most.")
    return int(given)
