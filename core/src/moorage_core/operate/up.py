"""`moor up`: the whole platform on this machine, in the foreground, with one command.

In this order: hold the data folder, try the port, start PostgreSQL, migrate, make the first
admin, serve. A signal takes the same way back: workers first, then PostgreSQL.
"""

import os
import shutil
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from moorage_core import settings as settings_module
from moorage_core.embedded import authority, postgres, tls
from moorage_core.embedded import folder as folders
from moorage_core.embedded.errors import OperatorError
from moorage_core.embedded.folder import Folder
from moorage_core.embedded.postgres import Server
from moorage_core.embedded.tls import Certificate
from moorage_core.kit import logs
from moorage_core.operate import arguments, keeper, serving
from moorage_core.operate.keeper import Duty
from moorage_core.settings import ServerSettings, Settings

PREPARATION = "moorage_core.operate.preparation"


class PreparationKilled(OperatorError):
    """Somebody, or the kernel for want of memory, ended it."""


def up(
    data: arguments.Data = None,
    config: arguments.Config = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
    workers: Annotated[int | None, typer.Option(help="Server processes.")] = None,
) -> None:
    """Start the platform on this machine. Ctrl-C stops it."""
    with arguments.refusals(), arguments.stop_on_signal():
        options = {"host": host, "port": port, "workers": workers}
        settings = arguments.load_settings(config, data=data, server=options)
        logs.configure(level=settings.log.level, format=settings.log.format)
        folder = folders.prepare(settings.data)
        settings = settings.model_copy(update={"data": folder.path})
        with folders.hold(folder):
            _run(settings, folder=folder)
    print("Stopped.", flush=True)


def _run(settings: Settings, *, folder: Folder) -> None:
    arguments.say("Data folder", folder.path)
    address = serving.find_address(settings.server)
    settings = _with_names(settings)
    certificate = choose_certificate(settings, place=folder.tls)
    _count_across_processes(folder.run / "metrics")
    with _database(settings, folder=folder) as (complete, server):
        serving.load()
        _prepare(complete, folder=folder)
        duties = _duties(settings, server=server, certificate=certificate)
        # Servers never act as the schema's owner, so they are not told its password.
        effective = _without_owner(complete)
        with keeper.keeping(duties), _handed_over(effective, file=folder.run / "settings.json"):
            waiting = _make_room(complete.server)
            _announce(complete, address=address)
            serving.serve(
                complete.server, address=address, certificate=certificate, waiting=waiting
            )


def _with_names(settings: Settings) -> Settings:
    """The settings with every name that callers may know this server by."""
    server = settings.server.model_copy(
        update={"names": _names(settings), "public_url": shown_url(settings)}
    )
    return settings.model_copy(update={"server": server})


def _count_across_processes(place: Path) -> None:
    """A fresh folder in which the server processes add up their counters."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(mode=0o700)
    os.environ[settings_module.METRICS_VARIABLE] = str(place)


def choose_certificate(settings: Settings, *, place: Path) -> Certificate | None:
    """The certificate that the settings ask for; None where the API is plain HTTP.

    The authority is made in any case: what enrols later is told its fingerprint.
    """
    authority.make(place, now=datetime.now(UTC))
    if not settings.serves_tls:
        if settings.server.tls == "off":
            arguments.say("Plain HTTP", "as the settings say; only a proxy with TLS may reach it")
        return None
    now = datetime.now(UTC)
    if settings.server.tls != "files":
        made = tls.own(place, names=_names(settings), now=now)
        arguments.say("Certificate", f"our own authority, {place / 'ca.pem'}")
        arguments.say("Its SHA-256", tls.fingerprint(place / "ca.pem"))
        return made
    chain, key = settings.server.certificate, settings.server.certificate_key
    if chain is None or key is None:
        raise arguments.BadSettings(
            "server.tls = files needs server.certificate and server.certificate_key."
        )
    arguments.say("Certificate", chain)
    return tls.given(chain, key, now=now)


def _names(settings: Settings) -> tuple[str, ...]:
    public = urlsplit(settings.server.public_url or "").hostname
    further = (*settings.server.names, public) if public else settings.server.names
    return tls.names_for(settings.server.host, further=further)


@contextmanager
def _database(settings: Settings, *, folder: Folder) -> Generator[tuple[Settings, Server | None]]:
    """The settings with URLs of a database that runs; our own is stopped afterwards."""
    if settings.database.owner_url:
        arguments.say("Database", "the server named in the settings")
        yield settings, None
        return
    server = postgres.start(folder)
    arguments.say("Database", f"PostgreSQL {server.binaries.release}, in the data folder")
    try:
        yield arguments.with_urls(settings, server), server
    finally:
        postgres.stop(server)


def _prepare(settings: Settings, *, folder: Folder) -> None:
    """Migrate and make the first admin, in a process that is told everything by a closed file."""
    with _handed_over(settings, file=folder.run / "preparation.json"):
        code = serving.apart(PREPARATION)
    if code < 0:
        raise PreparationKilled(f"The preparation of the database was killed by signal {-code}.")
    if code > 0:
        raise SystemExit(code)


def _duties(
    settings: Settings, *, server: Server | None, certificate: Certificate | None
) -> list[Duty]:
    duties = [keeper.database(server)] if server else []
    if certificate and certificate.authority:
        duties.append(keeper.own_certificate(certificate.chain.parent, names=_names(settings)))
    elif certificate:
        duties.append(keeper.given_certificate(certificate.chain, certificate.key))
    return duties


@contextmanager
def _handed_over(settings: Settings, *, file: Path) -> Generator[None]:
    """Give the settings, which hold passwords, to the processes that we start: by a closed file."""
    folders.write_private(file, settings_module.dump(settings).encode())
    os.environ[settings_module.EFFECTIVE_VARIABLE] = str(file)
    try:
        yield
    finally:
        del os.environ[settings_module.EFFECTIVE_VARIABLE]
        file.unlink(missing_ok=True)


def _without_owner(settings: Settings) -> Settings:
    database = settings.database.model_copy(update={"owner_url": None})
    return settings.model_copy(update={"database": database})


def _make_room(settings: ServerSettings) -> int:
    waiting = serving.make_room(settings.waiting_requests)
    if waiting < settings.waiting_requests:
        arguments.say("Limit", f"{waiting} waiting requests per process; `ulimit -n` is too low")
    return waiting


def _announce(settings: Settings, *, address: str) -> None:
    """Say, once the workers listen, that they do. Runs beside the server."""

    def wait() -> None:
        pause = threading.Event()
        while not serving.accepts(address, settings.server.port):
            pause.wait(0.05)
        url = shown_url(settings).rstrip("/")
        arguments.say("Console", f"{url}/")
        print(f"Moorage is ready at {url}", flush=True)

    threading.Thread(target=wait, name="announce", daemon=True).start()


def shown_url(settings: Settings) -> str:
    """An address that a person can type, also where we listen on every one."""
    if settings.server.public_url:
        return settings.server.public_url
    host = settings.server.host
    host = socket.gethostname() if tls.is_everywhere(host) else host
    host = f"[{host}]" if ":" in host else host
    return f"{'https' if settings.serves_tls else 'http'}://{host}:{settings.server.port}"
