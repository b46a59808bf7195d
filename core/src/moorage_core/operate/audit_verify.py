"""`moor audit verify`: is the audit log what it was when it was sealed?

Reads the database as its owner, at one moment, without a lock, while the platform runs or not. It
trusts the key files and the seal log and nothing in the database. The length of the seal log is
taken before that moment: a line is written after its row commits, so every line up to there has its
row, and one without is evidence.
"""

import json
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, LiteralString

import psycopg
import typer
from psycopg.rows import DictRow, dict_row, scalar_row

from moorage_core.audit import keyring, rules, seal_log, store, verification
from moorage_core.audit.entry_walk import StoredEntry
from moorage_core.audit.models import Seal
from moorage_core.audit.report import Finding, Report
from moorage_core.audit.seal_log import Line
from moorage_core.embedded.errors import OperatorError
from moorage_core.operate import arguments, dumps, reached
from moorage_core.settings import Settings

Connection = psycopg.Connection[DictRow]

TAMPERED = 5
"""The exit code where something was found: the log contradicts its seals."""
# As text, and never parsed by the driver: whoever changed a row may have made it unreadable.
ENTRIES: LiteralString = """
SELECT seq, id, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"') AS at, org_id,
    project_id, actor_kind, actor_id, actor_name, credential, action, target, outcome, count,
    break_glass, reason, correlation_id, app_slug, app_instance_id, details::text AS details, leaf
FROM public.audit_entries ORDER BY seq NULLS LAST, pos
"""
SEALS: LiteralString = f"SELECT {store.SEAL} FROM public.audit_seals ORDER BY number"
TABLES = ("audit_entries", "audit_seals", "streams")
# A view or a rule in a table's place could show one thing here and another to the platform.
REPLACED: LiteralString = """
SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = ANY (%s)
    AND (relkind <> 'r' OR relhasrules)
"""


class NothingToVerify(OperatorError):
    """There is no audit log here."""

    exit_code = 4


class Unreadable(OperatorError):
    """Something that the check needs cannot be read, or not as it is."""


class Output(StrEnum):
    TABLE = "table"
    JSON = "json"


def verify(
    data: arguments.Data = None,
    config: arguments.Config = None,
    output: Annotated[Output, typer.Option(help="For people, or for programs.")] = Output.TABLE,
) -> None:
    """Check the whole audit log against its signed seals; exit code 5 where they contradict."""
    with arguments.refusals():
        settings = arguments.load_settings(config, data=data)
        with _owner_url(settings) as url:
            report = check(settings, url=url)
    # `moor --output json audit verify` says it before the command's name.
    is_json = output is Output.JSON or arguments.wants_json(sys.argv)
    show = _show_json if is_json else _show
    show(report, seal_log.path_of(settings))
    if not report.is_sound:
        raise SystemExit(TAMPERED)


def check(settings: Settings, *, url: str) -> Report:
    """Walk through the log that `url` holds, with the keys and the seal log of these settings."""
    path = seal_log.path_of(settings)
    try:
        keys = keyring.read(settings.data / "keys")
        with _lines(path) as lines, _snapshot(url) as db:
            evidence = verification.Evidence(
                entries=_entries(db),
                seals=_seals(db),
                lines=lines or (),
                issued=_issued(db),
                keys=keys.public,
                now=datetime.now(UTC),
            )
            report = verification.check(evidence)
    except (keyring.KeyUnusable, OSError) as err:
        raise Unreadable(f"The audit log cannot be checked: {err}") from err
    if report.seals and lines is None:
        says = f"there is no seal log at {path}: no second place confirms these."
        report.add(Finding("log_missing", "seal", 1, says, last=report.seals))
    return report


@contextmanager
def _owner_url(settings: Settings) -> Generator[str]:
    if not reached.is_here(settings):
        raise NothingToVerify(
            f"There is no platform's data in {settings.data}. Name its folder with --data, or its "
            "settings with --config."
        )
    with reached.database(settings) as found:
        yield str(found.database.owner_url)


@contextmanager
def _lines(path: Path) -> Generator[Iterator[Line] | None]:
    """The lines that the seal log holds now, however long they take to read; None without a log."""
    if not path.exists():
        yield None
        return
    with path.open("rb") as file:
        yield seal_log.read(file, size=path.stat().st_size)


@contextmanager
def _snapshot(url: str) -> Generator[Connection]:
    """A transaction that sees the database as it is at one moment."""
    dumps.connect(url).close()
    try:
        with Connection.connect(url, row_factory=dict_row) as db:
            db.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            db.read_only = True
            _refuse_disguise(db)
            yield db
    except psycopg.errors.UndefinedTable as err:
        raise NothingToVerify(
            "This database holds no audit log. Has the platform started?"
        ) from err
    except psycopg.Error as err:
        raise Unreadable(f"The database stopped answering: {err}") from err


def _refuse_disguise(db: Connection) -> None:
    """Stop where the database would not show us what it holds."""
    replaced = [row["relname"] for row in db.execute(REPLACED, [list(TABLES)])]
    if replaced:
        raise Unreadable(f"{', '.join(replaced)} is no plain table any more: somebody replaced it.")
    with db.cursor(row_factory=scalar_row) as cursor:
        sees = cursor.execute(dumps.SEES_EVERYTHING).fetchone()
        hidden = [] if sees else cursor.execute(dumps.HIDDEN).fetchall()
    if set(hidden) & set(TABLES):
        raise Unreadable(
            "A policy hides rows of the audit log from the role of database.owner_url: somebody "
            "changed the policies, or that role does not own the schema."
        )


def _issued(db: Connection) -> int:
    row = db.execute("SELECT last FROM public.streams WHERE name = 'audit'").fetchone()
    return row["last"] if row else 0


def _entries(db: Connection) -> Iterator[StoredEntry]:
    with db.cursor(name="entries") as cursor:
        cursor.itersize = 1000
        for row in cursor.execute(ENTRIES):
            yield StoredEntry(
                seq=row["seq"],
                id=row["id"],
                at=row["at"] or "",
                leaf=row["leaf"] or b"",
                content_hash=_content_hash(row),
            )


def _content_hash(row: dict[str, Any]) -> bytes | None:
    try:
        return rules.content_hash(row | {"details": json.loads(row["details"])})
    except (ValueError, TypeError, RecursionError, rules.UnstableDetails):
        return None


def _seals(db: Connection) -> Iterator[Seal]:
    with db.cursor(name="seals") as cursor:
        cursor.itersize = 1000
        for row in cursor.execute(SEALS):
            yield Seal(**row)


def _show_json(report: Report, log: Path) -> None:
    print(
        json.dumps(
            {
                "sound": report.is_sound,
                "entries": report.entries,
                "seals": report.seals,
                "last_seal_at": report.last_seal_at,
                "seal_log": str(log),
                "unsealed": {
                    "entries": report.unsealed,
                    "unnumbered": report.unnumbered,
                    "since": report.unsealed_since,
                },
                "findings": [_plain(finding) for finding in report.findings],
                "notes": [_plain(note) for note in report.notes],
                "not_shown": report.not_shown,
            },
            indent=2,
        )
    )


def _plain(finding: Finding) -> dict[str, Any]:
    return asdict(finding) | {"message": finding.message}


def _show(report: Report, log: Path) -> None:
    arguments.say("Entries", f"{report.entries:,}")
    last = f", the last made at {report.last_seal_at}" if report.seals else ""
    arguments.say("Seals", f"{report.seals:,}{last}")
    arguments.say("Seal log", log)
    waiting = f"{report.unsealed:,} entries, not protected yet, since {report.unsealed_since}"
    arguments.say("Unsealed", waiting if report.unsealed else "none")
    for finding in report.findings:
        arguments.say("FOUND", finding.message)
    for note in report.notes:
        arguments.say("Note", note.message)
    if report.not_shown:
        arguments.say("And", f"{report.not_shown:,} more that are not shown")
    sound = "every sealed entry is as it was sealed"
    arguments.say("Result", sound if report.is_sound else "the audit log was tampered with")
