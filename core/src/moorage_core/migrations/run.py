"""Brings a database to the schema of this release, once, however many processes start together."""

from pathlib import Path

import psycopg
import sqlalchemy
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, pool
from sqlalchemy.engine import Engine

LOCK = 0x6D6F6F7261676501
"""Advisory lock that one migrating process holds."""


class SchemaTooNew(Exception):
    """The database was written by a newer release than this one."""


def upgrade(owner_url: str, *, revision: str = "head") -> str:
    """Run what is missing, as the owner, under an advisory lock. The revision reached."""
    with _engine(owner_url).connect() as connection:
        connection.exec_driver_sql(f"SELECT pg_advisory_lock({LOCK})")
        connection.commit()
        try:
            _refuse_newer(connection)
            config = _config()
            config.attributes["connection"] = connection
            command.upgrade(config, revision)
            connection.commit()
            return current(connection) or ""
        finally:
            connection.rollback()
            connection.exec_driver_sql(f"SELECT pg_advisory_unlock({LOCK})")
            connection.commit()


def current(connection: Connection) -> str | None:
    """The revision that the database is at; None before the first."""
    return MigrationContext.configure(connection).get_current_revision()


def head() -> str:
    """The newest revision that this release knows."""
    return ScriptDirectory.from_config(_config()).get_current_head() or ""


def _refuse_newer(connection: Connection) -> None:
    have = current(connection)
    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if have is not None and have not in known:
        raise SchemaTooNew(
            f"The database is at revision {have}, which this release does not know. "
            "Start the release that wrote it, or restore a backup made before that upgrade."
        )


def _engine(owner_url: str) -> Engine:
    # SQLAlchemy wants its own URL form; libpq's is handed through untouched.
    return sqlalchemy.create_engine(
        "postgresql+psycopg://",
        creator=lambda: psycopg.connect(owner_url),
        poolclass=pool.NullPool,
    )


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    return config
