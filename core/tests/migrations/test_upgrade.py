"""Migrations: from empty, at once by several processes, whole or not at all."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from core.tests.callers import Urls
from moorage_core.embedded import postgres
from moorage_core.migrations import run, script


@pytest.fixture
def empty(server: postgres.Server, urls: Urls) -> str:
    """A database with nothing in it, as its owner sees it."""
    name = psycopg.conninfo.conninfo_to_dict(urls.owner)["dbname"]
    assert isinstance(name, str)
    admin = make_conninfo(server.super_url, dbname="postgres")
    with psycopg.connect(admin, autocommit=True) as db:
        db.execute(
            psycopg.sql.SQL("DROP DATABASE {} WITH (FORCE)").format(psycopg.sql.Identifier(name))
        )
        db.execute(
            psycopg.sql.SQL("CREATE DATABASE {} OWNER moorage_owner").format(
                psycopg.sql.Identifier(name)
            )
        )
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
