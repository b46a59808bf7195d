"""What stands between a running database and the first request: schema, keys, the first admin.

`moor up` runs this in a process of its own, at every start: its connections, which are the schema
owner's, and its event loop end with it.
"""

import asyncio

import psycopg

from moorage_core import bootstrap, main
from moorage_core import settings as settings_module
from moorage_core.bootstrap import FirstAdmin
from moorage_core.embedded.errors import OperatorError
from moorage_core.kit import logs
from moorage_core.migrations import run as migrations
from moorage_core.operate import arguments, dumps
from moorage_core.secrets.openbao import OpenBao, Unusable
from moorage_core.settings import Settings


class SecretStoreUnusable(OperatorError):
    """OpenBao does not do what the platform needs of it."""


class DatabaseRefused(OperatorError):
    """The database cannot be brought to what this release needs."""


def run() -> None:
    """Prepare the database that the effective settings name. Safe to run at every start."""
    with arguments.refusals():
        settings = settings_module.load()
        logs.configure(level=settings.log.level, format=settings.log.format)
        if settings.secrets.url:
            _check_secret_store(settings)
        arguments.say("Schema", _migrate(str(settings.database.owner_url)))
        admin = asyncio.run(_first_start(settings))
    if admin:
        arguments.say("First admin", admin.email)
        arguments.say("Password", f"{admin.password}   shown this once: note it now")


def _check_secret_store(settings: Settings) -> None:
    """Before anything is made: a platform that cannot keep secrets cannot even sign a token."""
    try:
        OpenBao(settings.secrets).check()
    except Unusable as err:
        raise SecretStoreUnusable(str(err)) from err
    current = "kept there" if settings.secrets.store == "openbao" else "moved back from there"
    arguments.say("Secrets", f"OpenBao at {settings.secrets.url}, {current}")


def _migrate(owner_url: str) -> str:
    dumps.connect(owner_url).close()
    try:
        return migrations.upgrade(owner_url)
    except migrations.SchemaTooNew as err:
        raise DatabaseRefused(str(err)) from err


async def _first_start(settings: Settings) -> FirstAdmin | None:
    try:
        async with main.open_platform(settings, background=False) as platform:
            return await bootstrap.first_start(platform)
    except psycopg.OperationalError as err:
        raise DatabaseRefused(
            f"The database does not let moorage_app and moorage_system work: {err}"
        ) from err
