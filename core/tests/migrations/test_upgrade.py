"""Migrations: from empty, at once by several processes, whole or not at all."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.sql import SQL, Identifier

from core.tests.callers import Urls
from moorage_core.embedded import postgres, roles
from moorage_core.migrations import run, script


@pytest.fixture
def empty(server: postgres.Server, urls: Urls) -> str:
    """A database with nothing in it, as its owner sees it."""
    name = conninfo_to_dict(urls.owner)["dbname"]
    assert isinstance(name, str)
    admin = make_conninfo(server.super_url, dbname="postgres")
    with psycopg.connect(admin, autocommit=True) as db:
        db.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))
        db.execute(SQL("CREATE DATABASE {} OWNER moorage_owner").format(Identifier(name)))
    return urls.owner


def tables(url: str) -> int:
    with psycopg.connect(url) as db:
        row = db.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
        assert row is not None
        return row[0]


def test_an_empty_database_reaches_the_newest_revision(empty: str) -> None:
    reached = run.upgrade(empty)

    assert reached == run.head()
    assert tables(empty) > 20


def test_only_the_owner_may_make_temporary_tables_afterwards(empty: str) -> None:
    run.upgrade(empty)

    with psycopg.connect(empty) as db:
        row = db.execute(
            """
            SELECT array_agg(rolname::text ORDER BY rolname) FROM pg_roles
            WHERE rolname LIKE 'moorage_%'
                AND has_database_privilege(oid, current_database(), 'TEMP') AND NOT rolsuper
            """
        ).fetchone()
    assert row == (["moorage_owner"],)


def test_a_database_that_belongs_to_somebody_else_is_migrated_as_well(
    server: postgres.Server, empty: str
) -> None:
    """Its grants are not ours to change then."""
    name = conninfo_to_dict(empty)["dbname"]
    with psycopg.connect(make_conninfo(server.super_url, dbname=name), autocommit=True) as db:
        target = Identifier(str(name))
        db.execute(SQL("ALTER DATABASE {} OWNER TO {}").format(target, Identifier(roles.SUPER)))
        db.execute("ALTER SCHEMA public OWNER TO moorage_owner")

    assert run.upgrade(empty) == run.head()


def test_running_it_again_changes_nothing(empty: str) -> None:
    run.upgrade(empty)
    before = tables(empty)

    assert run.upgrade(empty) == run.head()
    assert tables(empty) == before


def test_processes_that_start_together_migrate_once(empty: str) -> None:
    with ThreadPoolExecutor(4) as processes:
        reached = list(processes.map(run.upgrade, [empty] * 4))

    assert reached == [run.head()] * 4


def test_a_migration_that_breaks_leaves_nothing_behind(
    empty: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = (script.VERSIONS / "0001_spine.sql").read_text()
    (tmp_path / "0001_spine.sql").write_text(whole + "\nSELECT 1 / 0;")
    monkeypatch.setattr(script, "VERSIONS", tmp_path)

    with pytest.raises(psycopg.errors.DivisionByZero):
        run.upgrade(empty)

    assert tables(empty) == 0


def test_a_database_of_a_newer_release_is_refused_with_advice(empty: str) -> None:
    run.upgrade(empty)
    with psycopg.connect(empty) as db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(run.SchemaTooNew, match="restore a backup"):
        run.upgrade(empty)
