"""PostgreSQL's own dump and restore, as programs. Passwords go by environment, never as arguments.

A dump must hold every row. Row-level security is forced on our tables, and `pg_dump` by itself
refuses to read a table whose rows it might be denied. Our own server is dumped by its
superuser. An existing server is dumped by `moorage_owner`, which the schema lets see every row
through a policy of its own; that is checked in the catalogue first, table by table, because a
table without that policy would come out empty and nobody would notice until the restore.
"""

import os
import subprocess
from pathlib import Path

import psycopg
from psycopg import conninfo

from moorage_core.embedded.binaries import Binaries
from moorage_core.embedded.errors import OperatorError

SEES_EVERYTHING = """
SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user
"""
# Tables whose rows might be hidden from the connected role: no policy that shows it everything,
# or a restrictive one that takes something away.
HIDDEN = """
SELECT c.oid::regclass::text FROM pg_class c
WHERE c.relrowsecurity AND c.relkind IN ('r', 'p') AND (
    NOT EXISTS (
        SELECT FROM pg_policy p
        WHERE p.polrelid = c.oid AND p.polpermissive AND p.polcmd IN ('*', 'r')
            AND pg_get_expr(p.polqual, p.polrelid) = 'true'
            AND EXISTS (SELECT FROM unnest(p.polroles) r WHERE r = 0 OR pg_has_role(r, 'USAGE')))
    OR EXISTS (
        SELECT FROM pg_policy p
        WHERE p.polrelid = c.oid AND NOT p.polpermissive AND p.polcmd IN ('*', 'r')
            AND EXISTS (SELECT FROM unnest(p.polroles) r WHERE r = 0 OR pg_has_role(r, 'USAGE'))))
ORDER BY 1
"""


class DatabaseUnreachable(OperatorError):
    """Nobody answers at the database's address."""


class RowsHidden(OperatorError):
    """A dump by this role would not hold every row."""


class DumpFailed(OperatorError):
    """pg_dump or pg_restore ended with an error."""


class DatabaseOccupied(OperatorError):
    """A restore goes into an empty database only."""

    exit_code = 5


def connect(url: str) -> psycopg.Connection:
    """A connection, or a refusal that names the trouble and no password."""
    try:
        return psycopg.connect(url, autocommit=True, connect_timeout=10)
    except psycopg.OperationalError as err:
        raise DatabaseUnreachable(f"The database cannot be reached: {err}") from err


def major(url: str) -> int:
    """The major release of the server behind a URL."""
    with connect(url) as db:
        return db.info.server_version // 10000


def schema_revision(url: str) -> str:
    """Which revision of the schema a database has."""
    with connect(url) as db:
        try:
            found = db.execute("SELECT version_num FROM alembic_version").fetchone()
        except psycopg.errors.UndefinedTable:
            found = None
    if found is None:
        raise DatabaseUnreachable("The database holds no schema of ours. Has `moor up` run on it?")
    return str(found[0])


def dump(url: str, *, binaries: Binaries, target: Path) -> None:
    """Write the whole database into one file, seen at one moment."""
    with connect(url) as db:
        sees = db.execute(SEES_EVERYTHING).fetchone() == (True,)
        hidden = [] if sees else [str(name) for (name,) in db.execute(HIDDEN).fetchall()]
    if hidden:
        raise RowsHidden(
            f"The role of database.owner_url may not see every row of {', '.join(hidden)}, so a "
            "dump would be incomplete. Run `moor up` once with this release, or let that role "
            "bypass row-level security for the backup."
        )
    options = [] if sees else ["--enable-row-security"]
    _run("pg_dump", url, binaries, "--format=custom", f"--file={target}", *options)


def restore(url: str, *, binaries: Binaries, source: Path) -> None:
    """Fill an empty database in one transaction, owners and grants as they were."""
    with connect(url) as db:
        if (
            db.execute("SELECT FROM pg_tables WHERE schemaname = 'public' LIMIT 1").fetchone()
            is not None
        ):
            raise DatabaseOccupied(
                "The database holds tables already. A restore needs an empty one."
            )
    _run("pg_restore", url, binaries, "--single-transaction", "--exit-on-error", str(source))
    with connect(url) as db:
        # A restored database has no statistics, and plans without them are bad.
        db.execute("ANALYZE")


def _run(name: str, url: str, binaries: Binaries, *options: str) -> None:
    parts = conninfo.conninfo_to_dict(url)
    password = parts.pop("password", None)
    target = conninfo.make_conninfo("", **parts)
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith("MOORAGE_")
    }
    environment |= {"LC_ALL": "C"} | ({"PGPASSWORD": str(password)} if password else {})
    done = subprocess.run(
        [str(binaries.program(name)), "--no-password", f"--dbname={target}", *options],
        env=environment,
        umask=0o077,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise DumpFailed(f"{name} ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
