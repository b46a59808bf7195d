"""`moor ca`: another authority in place of the platform's own, without enrolling nodes anew.

rotate makes the next one and has agents trust both. switch lets it sign, once all agents have
confirmed that they trust it. finish drops the old one. A running platform follows by itself.
"""

import asyncio
import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import psycopg
import typer

from moorage_core.embedded import authority, succession, tls
from moorage_core.embedded.errors import OperatorError
from moorage_core.errors import ApiError
from moorage_core.kit.db import open_database
from moorage_core.nodes import presence
from moorage_core.nodes.presence import Trust
from moorage_core.operate import arguments, reached
from moorage_core.settings import Settings

NAMED = 20
"""Nodes that a refusal names."""
Force = Annotated[
    bool, typer.Option("--force", help="Also where nodes lack it: those must enrol again.")
]


class NoAuthority(OperatorError):
    """There is no platform with an authority here."""

    exit_code = 4


class NodesLackIt(OperatorError):
    """Agents have not confirmed the new authority."""

    exit_code = 5


def rotate(data: arguments.Data = None, config: arguments.Config = None) -> None:
    """Make the next authority. Agents are told to trust both; the old one goes on signing."""
    with arguments.refusals():
        place = _place(arguments.load_settings(config, data=data))
        succession.announce(place, now=datetime.now(UTC))
    arguments.say("Next", tls.fingerprint(place / "ca.next.pem"))
    arguments.say("Hand on", f"{place / 'ca.next.pem'} to clients that keep a ca.pem")
    arguments.say("Then", "moor ca status, and moor ca switch once all nodes have it")


def status(data: arguments.Data = None, config: arguments.Config = None) -> None:
    """How far a change of authority is, and how many agents have confirmed it."""
    with arguments.refusals():
        settings = arguments.load_settings(config, data=data)
        place = _place(settings)
        trust = _trust(settings, place)
    arguments.say("Stage", succession.stage(place))
    arguments.say("Signs", tls.fingerprint(place / "ca.pem"))
    for name in ("next", "previous"):
        if (place / f"ca.{name}.pem").exists():
            arguments.say(name.title(), tls.fingerprint(place / f"ca.{name}.pem"))
    arguments.say("Confirmed", f"by {trust.confirmed} of {trust.confirmed + len(trust.lacking)}")
    if trust.lacking:
        arguments.say("Not yet", _named(trust))


def switch(
    force: Force = False, data: arguments.Data = None, config: arguments.Config = None
) -> None:
    """Let the next authority sign the server's certificate. The old one stays trusted."""
    with arguments.refusals():
        settings = arguments.load_settings(config, data=data)
        place = _place(settings)
        trust = _trust(settings, place)
        if trust.lacking and not force and succession.stage(place) == succession.Stage.ANNOUNCED:
            raise NodesLackIt(
                f"These nodes have not confirmed the next authority: {_named(trust)}. They follow"
                " when they poll. With --force they are left behind and must enrol again."
            )
        succession.switch(place)
    arguments.say("Signs", tls.fingerprint(place / "ca.pem"))
    arguments.say("Then", "moor ca finish, once clients have the new ca.pem")


def finish(data: arguments.Data = None, config: arguments.Config = None) -> None:
    """Drop the authority that was. Agents are told to trust the new one alone."""
    with arguments.refusals():
        place = _place(arguments.load_settings(config, data=data))
        succession.finish(place)
    arguments.say("Signs", tls.fingerprint(place / "ca.pem"))


def _place(settings: Settings) -> Path:
    place = settings.data / "tls"
    if not (place / "ca.pem").exists():
        raise NoAuthority(f"There is no authority in {place}. Name the data folder with --data.")
    return place


def _trust(settings: Settings, place: Path) -> Trust:
    digest = hashlib.sha256(authority.bundle(place)).hexdigest()
    with reached.database(settings) as found:
        return asyncio.run(_count(found, digest))


async def _count(settings: Settings, digest: str) -> Trust:
    """By the database alone: a whole platform takes longer to load than all the rest."""
    urls = settings.database
    assert urls.app_url is not None, "whoever has reached it knows where it is"
    assert urls.system_url is not None, "as above"
    timeout = int(urls.statement_timeout.total_seconds() * 1000)
    try:
        database = await open_database(
            urls.app_url, urls.system_url, pool_size=1, statement_timeout_ms=timeout
        )
        try:
            return await presence.count_trust(database, digest)
        finally:
            await database.close()
    except (ApiError, psycopg.Error) as err:
        raise NoAuthority(f"The database does not let us look: {err}") from err


def _named(trust: Trust) -> str:
    shown = ", ".join(trust.lacking[:NAMED])
    more = len(trust.lacking) - NAMED
    return f"{shown} and {more} more" if more > 0 else shown
