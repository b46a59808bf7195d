"""One authority after another, without a moment in which a client that keeps up trusts nobody.

    present        ca.pem                         signs the server's certificate
    announced      ca.pem + ca.next.pem           both are given to agents; the old one still signs
    switched       ca.pem + ca.previous.pem       the new one signs; both are still given
    present        ca.pem                         the old one is gone

Each step is a rename of whole files. A step that was cut off is finished by doing it again.
"""

from datetime import datetime
from enum import StrEnum
from pathlib import Path

from moorage_core.embedded import authority, folder
from moorage_core.embedded.errors import OperatorError


class Stage(StrEnum):
    PRESENT = "present"
    ANNOUNCED = "announced"
    SWITCHED = "switched"


class OutOfTurn(OperatorError):
    """The change of authority is at another stage."""


def stage(place: Path) -> Stage:
    """How far a change of authority has come."""
    if (place / "ca.next.pem").exists():
        return Stage.ANNOUNCED
    if (place / "ca.previous.pem").exists():
        return Stage.SWITCHED
    return Stage.PRESENT


def announce(place: Path, *, now: datetime) -> None:
    """Make the next authority beside the present one. Nothing is signed by it yet."""
    _require(place, Stage.PRESENT, Stage.ANNOUNCED, hint="Finish the change under way first.")
    if not (place / "ca.pem").exists():
        raise OutOfTurn(f"There is no authority in {place} yet: `moor up` makes the first.")
    authority.make(place, now=now, name="ca.next")


def switch(place: Path) -> None:
    """Let the next authority be the present one. The server's certificate follows by itself."""
    _require(place, Stage.ANNOUNCED, hint="`moor ca rotate` makes the next authority.")
    if (place / "ca.next.key").exists():
        for suffix in ("key", "pem"):
            _copy(place / f"ca.{suffix}", place / f"ca.previous.{suffix}")
        (place / "ca.next.key").replace(place / "ca.key")
    (place / "ca.next.pem").replace(place / "ca.pem")


def finish(place: Path) -> None:
    """Drop the authority that was. Whoever trusts nothing else is a stranger from now on."""
    _require(place, Stage.SWITCHED, hint="`moor ca switch` comes first.")
    (place / "ca.previous.key").unlink(missing_ok=True)
    (place / "ca.previous.pem").unlink()


def _require(place: Path, *stages: Stage, hint: str) -> None:
    found = stage(place)
    if found not in stages:
        raise OutOfTurn(f"The authority in {place} is at the stage `{found}`. {hint}")


def _copy(source: Path, target: Path) -> None:
    folder.write_private(target, source.read_bytes())
