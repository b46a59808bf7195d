"""From profile and environment to a client."""

from dataclasses import dataclass
from pathlib import Path

import moorage
from moorage import Auth, Client
from moorage_cli import __version__, profiles
from moorage_cli.choices import Format
from moorage_cli.failures import NotSignedIn
from moorage_cli.profiles import Profile
from moorage_cli.settings import DEFAULT_PROFILE, Environment

AGENT = f"moor/{__version__}"
PATIENCE = 10.0
"""Seconds for which a command goes on trying: somebody may be looking at it."""


@dataclass(frozen=True)
class Chosen:
    """What the command line and the environment say about every command."""

    format: Format
    profile: str
    environment: Environment


@dataclass(frozen=True)
class Session:
    """A command at work: its client and how it shows things."""

    client: Client
    chosen: Chosen


def choose(format: Format | None, profile: str | None) -> Chosen:
    environment = Environment.read()
    name = profile or environment.profile or DEFAULT_PROFILE
    return Chosen(format or Format.TABLE, name, environment)


def find_profile(chosen: Chosen) -> Profile | None:
    return profiles.load(chosen.environment.credentials).get(chosen.profile)


def connect(chosen: Chosen, *, auth: Auth | None = None, anonymous: bool = False) -> Client:
    """A client as the environment says, or else the profile; `auth` in place of either's."""
    given, kept = chosen.environment, find_profile(chosen)
    url = given.url or (kept.url if kept else None)
    if url is None:
        raise NotSignedIn("You are not signed in. `moor login URL` does it.")
    same = _is_of(kept, url)
    if auth is None and not anonymous:
        auth = _auth(given.token, kept if same else None)
        if auth is None:
            raise NotSignedIn(f"You are not signed in to {url}. `moor login` does, or MOOR_TOKEN.")
    return Client(url, auth=auth, ca=authority(chosen), patience=PATIENCE, agent=AGENT)


def authority(chosen: Chosen) -> str | Path | None:
    """The certificate of the authority to trust, where it is not one that everybody trusts."""
    given, kept = chosen.environment, find_profile(chosen)
    if given.ca is not None or kept is None:
        return given.ca
    return kept.ca if given.url is None or _is_of(kept, given.url) else None


def _is_of(kept: Profile | None, url: str) -> bool:
    """Whether a profile is one of this platform's."""
    return kept is not None and kept.url == url.rstrip("/")


def _auth(token: str | None, kept: Profile | None) -> Auth | None:
    """A profile's credentials go to the profile's own platform and nowhere else."""
    if token is not None:
        return moorage.AccessToken(token)
    if kept is None:
        return None
    if kept.token is not None:
        return moorage.AccessToken(kept.token)
    if kept.service_account and kept.key and kept.private_key_file:
        file = Path(kept.private_key_file)
        return moorage.ServiceAccount(kept.service_account, key=kept.key, private_key=_key(file))
    return None


def _key(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as err:
        raise NotSignedIn(f"The private key {file} cannot be read: {err.strerror}.") from err
