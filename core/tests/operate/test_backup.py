"""Backup and restore: a round trip, on another PostgreSQL too, and everything that must refuse."""

import io
import json
import os
import stat
import tarfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
import typer
from psycopg import conninfo
from typer.testing import CliRunner

from core.tests.embedded import places
from core.tests.operate import conftest
from moorage_core.embedded import cluster, postgres
from moorage_core.embedded.binaries import Binaries, ProgramMissing
from moorage_core.embedded.postgres import Server
from moorage_core.migrations import run as migrations
from moorage_core.operate import archive, arguments, backup, dumps, restore
from moorage_core.settings import AuditSettings, DatabaseSettings, Settings

COUNTS = "SELECT count(*), count(DISTINCT name) FROM orgs WHERE slug LIKE 'slug-%'"


@pytest.fixture(scope="module")
def file(platform: Server) -> Iterator[Path]:
    """A backup of the running platform."""
    with places.open_place() as place:
        backup.write(at(platform.folder.path), target=place / "backup.tar")
        yield place / "backup.tar"


def at(path: Path, server: Server | None = None) -> Settings:
    """Settings that name this data folder, and an existing server if one is given."""
    urls = arguments.with_urls(Settings(), server).database if server else DatabaseSettings()
    return Settings(data=path, database=urls)


@contextmanager
def started(place: Path) -> Generator[Server]:
    """The server of a restored folder."""
    with places.prepared_folder(place) as made:
        yield postgres.start(made, fsync=False)


def test_a_backup_is_closed_to_others_and_names_what_it_holds(file: Path) -> None:
    manifest = archive.verify(file)

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert set(conftest.FILES) | {"database.dump", "keys/postgres.key"} == set(manifest.digests)
    assert (manifest.schema, manifest.postgres) == (migrations.head(), conftest.OLDEST.major)
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_the_platform_runs_on_while_it_is_backed_up(platform: Server, file: Path) -> None:
    with psycopg.connect(platform.app_url) as db:
        assert db.execute("SELECT 1").fetchone() == (1,)
    assert file.exists()


def test_a_restore_brings_back_rows_and_files(platform: Server, file: Path, place: Path) -> None:
    restore.read(at(place), source=file, place=place / "new")

    with started(place / "new") as server:
        with psycopg.connect(server.owner_url) as db:
            assert db.execute(COUNTS).fetchone() == (500, 500)
        for name, content in conftest.FILES.items():
            assert (place / "new" / name).read_bytes() == content
            assert stat.S_IMODE((place / "new" / name).stat().st_mode) == 0o600
        assert not (place / "new" / "database.dump").exists()


def test_a_restore_keeps_owners_grants_and_row_level_security(file: Path, place: Path) -> None:
    restore.read(at(place), source=file, place=place / "new")

    with started(place / "new") as server:
        with psycopg.connect(server.super_url) as db:
            owners = db.execute(
                "SELECT DISTINCT tableowner FROM pg_tables WHERE tablename = 'orgs'"
            )
            assert owners.fetchall() == [("moorage_owner",)]
            forced = db.execute("SELECT relforcerowsecurity FROM pg_class WHERE relname = 'orgs'")
            assert forced.fetchone() == (True,)
        with psycopg.connect(server.app_url) as db:
            assert db.execute(COUNTS).fetchone() == (0, 0)
            db.execute("SELECT set_config('moorage.orgs', 'org_7', true)")
            assert db.execute("SELECT name FROM orgs").fetchall() == [("Örg 7",)]


def test_a_restore_into_a_newer_postgres_works(
    file: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = places.INSTALLED[places.TRIED[-1]]
    if newest.major == conftest.OLDEST.major:
        pytest.skip("only one PostgreSQL is installed here")
    monkeypatch.setenv("PATH", f"{newest.folder}:{os.environ['PATH']}")
    monkeypatch.setattr("moorage_core.embedded.binaries.DEBIAN", place / "none")

    restore.read(at(place), source=file, place=place / "new")

    assert cluster.major(place / "new" / "postgres") == newest.major
    with started(place / "new") as server:
        with psycopg.connect(server.owner_url) as db:
            assert db.execute(COUNTS).fetchone() == (500, 500)


def test_a_stopped_platform_is_backed_up_and_stays_stopped(file: Path, place: Path) -> None:
    restore.read(at(place), source=file, place=place / "new")

    backup.write(at(place / "new"), target=place / "again.tar")

    first, second = archive.verify(file).digests, archive.verify(place / "again.tar").digests
    assert first | {"database.dump": ""} == second | {"database.dump": ""}
    assert not (place / "new" / "postgres" / "postmaster.pid").exists()


def test_an_existing_server_is_backed_up_by_its_owner_and_restored(
    platform: Server, place: Path
) -> None:
    settings = at(platform.folder.path, platform)
    backup.write(settings, target=place / "backup.tar")
    with places.prepared_folder(place / "elsewhere") as other:
        target = postgres.start(other, binaries=conftest.OLDEST, fsync=False)

        into = at(place, target)
        restore.read(into, source=place / "backup.tar", place=place / "new")

        with psycopg.connect(target.owner_url) as db:
            assert db.execute(COUNTS).fetchone() == (500, 500)
        assert cluster.major(place / "new" / "postgres") is None
        with pytest.raises(dumps.DatabaseOccupied, match="needs an empty one"):
            restore.read(into, source=place / "backup.tar", place=place / "newer")
        assert not (place / "newer").exists()


def test_a_table_that_hides_rows_from_the_owner_stops_the_backup(
    platform: Server, place: Path
) -> None:
    settings = at(platform.folder.path, platform)
    with psycopg.connect(platform.owner_url, autocommit=True) as db:
        db.execute("CREATE TABLE shy (id int)")
        db.execute("ALTER TABLE shy ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")

        with pytest.raises(dumps.RowsHidden, match="every row of shy"):
            backup.write(settings, target=place / "backup.tar")

        db.execute("DROP TABLE shy")
    assert list(place.iterdir()) == []


def test_no_password_stands_in_an_argument(platform: Server, place: Path) -> None:
    noted = place / "arguments"
    (place / "pg_dump").write_text(f'#!/bin/sh\necho "$@" > {noted}\nexit 3\n')
    (place / "pg_dump").chmod(0o755)

    with pytest.raises(dumps.DumpFailed, match="pg_dump ended with 3"):
        dumps.dump(platform.super_url, binaries=Binaries(place, 15), target=place / "dump")

    assert "moorage_super" in noted.read_text()
    password = conninfo.conninfo_to_dict(platform.super_url)["password"]
    assert str(password) not in noted.read_text()


def test_a_missing_pg_dump_is_named(platform: Server, place: Path) -> None:
    with pytest.raises(ProgramMissing, match="has no pg_dump"):
        dumps.dump(platform.super_url, binaries=Binaries(place, 15), target=place / "dump")


def test_no_backup_is_overwritten(platform: Server, place: Path) -> None:
    (place / "backup.tar").write_text("precious")

    with pytest.raises(archive.FileTaken, match="no backup is overwritten"):
        backup.write(at(platform.folder.path), target=place / "backup.tar")

    assert (place / "backup.tar").read_text() == "precious"


def test_a_folder_without_a_platform_is_not_made_one(place: Path) -> None:
    with pytest.raises(backup.NothingToBackUp, match="no platform's data"):
        backup.write(at(place / "empty"), target=place / "backup.tar")

    assert list(place.iterdir()) == []


def test_a_folder_that_is_in_use_is_refused(file: Path, place: Path) -> None:
    (place / "something").write_text("")

    with pytest.raises(restore.FolderOccupied, match="not an empty folder"):
        restore.read(at(place), source=file, place=place)

    assert [path.name for path in place.iterdir()] == ["something"]


def test_an_empty_folder_is_taken(file: Path, place: Path) -> None:
    (place / "new").mkdir()

    restore.read(at(place), source=file, place=place / "new")

    assert cluster.major(place / "new" / "postgres") is not None
    assert [path.name for path in place.iterdir()] == ["new"]


def change(file: Path, target: Path, *, name: str, content: bytes | None) -> Path:
    """A copy of the archive with one file changed, left out (None) or added."""
    with tarfile.open(file) as old, tarfile.open(target, "w") as new:
        for entry in old:
            stream = old.extractfile(entry)
            assert stream is not None
            data = content if entry.name == name else stream.read()
            if data is not None:
                entry.size = len(data)
                new.addfile(entry, io.BytesIO(data))
        if name not in old.getnames() and content is not None:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            new.addfile(entry, io.BytesIO(content))
    return target


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("keys/master-1.key", b"other", "keys/master-1.key differ"),
        ("keys/master-1.key", None, "keys/master-1.key differ"),
        ("keys/further.key", b"x", "keys/further.key differ"),
        ("manifest.json", None, "no manifest.json"),
        ("manifest.json", b"{}", "cannot be read"),
        ("keys/../../evil", b"x", "no backup of ours"),
        ("/etc/evil", b"x", "no backup of ours"),
    ],
)
def test_a_changed_archive_makes_nothing(
    file: Path, place: Path, name: str, content: bytes | None, says: str
) -> None:
    bad = change(file, place / "bad.tar", name=name, content=content)

    with pytest.raises(archive.BackupUnusable, match=says):
        restore.read(at(place), source=bad, place=place / "new")

    assert [path.name for path in place.iterdir()] == ["bad.tar"]


def test_a_link_in_an_archive_is_refused(place: Path) -> None:
    with tarfile.open(place / "bad.tar", "w") as tar:
        link = tarfile.TarInfo("keys/master-1.key")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)

    with pytest.raises(archive.BackupUnusable, match="no backup of ours"):
        archive.verify(place / "bad.tar")


def test_an_archive_cut_short_is_refused(file: Path, place: Path) -> None:
    (place / "cut.tar").write_bytes(file.read_bytes()[: file.stat().st_size // 2])

    with pytest.raises(archive.BackupUnusable, match="cut short"):
        restore.read(at(place), source=place / "cut.tar", place=place / "new")


def test_something_else_is_no_archive(place: Path) -> None:
    (place / "text").write_text("hello" * 1000)

    with pytest.raises(archive.BackupUnusable, match="is not a backup"):
        archive.verify(place / "text")
    with pytest.raises(archive.BackupUnusable, match="no file"):
        archive.verify(place / "none")


def test_an_archive_of_a_later_format_is_refused(file: Path, place: Path) -> None:
    with tarfile.open(file) as tar:
        stream = tar.extractfile("manifest.json")
        assert stream is not None
        manifest = json.load(stream) | {"format": 2}
    text = json.dumps(manifest).encode()
    later = change(file, place / "later.tar", name="manifest.json", content=text)

    with pytest.raises(archive.BackupUnusable, match="format 2; this release reads format 1"):
        archive.verify(later)


def test_a_log_that_grew_meanwhile_is_taken_at_its_earlier_length(place: Path) -> None:
    (place / "log").write_bytes(b"one\ntwo\nthree\n")
    with tarfile.open(place / "backup.tar", "w") as tar:
        writer = archive.Writer(tar)
        writer.add(archive.DATABASE, place / "log")

        writer.add("seals/seals.jsonl", place / "log", size=8)
        writer.finish(platform="0", schema="0001", postgres=15)

    archive.verify(place / "backup.tar")
    archive.extract(place / "backup.tar", into=place / "out")
    assert (place / "out" / "seals" / "seals.jsonl").read_bytes() == b"one\ntwo\n"


def test_a_seal_log_kept_elsewhere_is_backed_up_too(platform: Server, place: Path) -> None:
    (place / "elsewhere").write_bytes(b"three\n")
    settings = Settings(
        data=platform.folder.path, audit=AuditSettings(seal_log=place / "elsewhere")
    )

    backup.write(settings, target=place / "backup.tar")

    archive.extract(place / "backup.tar", into=place / "out")
    assert (place / "out" / "seals" / "seals.jsonl").read_bytes() == b"three\n"


def test_a_dump_that_does_not_load_leaves_nothing(file: Path, place: Path) -> None:
    with tarfile.open(place / "bad.tar", "w") as tar:
        (place / "dump").write_bytes(b"PGDMP nonsense")
        writer = archive.Writer(tar)
        writer.add(archive.DATABASE, place / "dump")
        writer.finish(platform="0", schema="0001", postgres=conftest.OLDEST.major)
    (place / "dump").unlink()

    with pytest.raises(dumps.DumpFailed, match="pg_restore ended with"):
        restore.read(at(place), source=place / "bad.tar", place=place / "new")

    assert [path.name for path in place.iterdir()] == ["bad.tar"]


def test_the_commands_say_what_they_did_and_end_with_stable_codes(
    platform: Server, place: Path
) -> None:
    app = typer.Typer()
    app.command("backup")(backup.backup)
    app.command("restore")(restore.restore)
    run = CliRunner()
    data = ["--data", str(platform.folder.path)]

    wrote = run.invoke(app, ["backup", str(place / "b.tar"), *data])
    again = run.invoke(app, ["backup", str(place / "b.tar"), *data])
    nothing = run.invoke(app, ["backup", str(place / "c.tar"), "--data", str(place / "none")])
    made = run.invoke(app, ["restore", str(place / "b.tar"), "--data", str(place / "new")])
    twice = run.invoke(app, ["restore", str(place / "b.tar"), "--data", str(place / "new")])

    codes = [result.exit_code for result in (wrote, again, nothing, made, twice)]
    assert codes == [0, 5, 4, 0, 5]
    assert f"Wrote {place / 'b.tar'}" in wrote.stdout
    assert f"moor up --data {place / 'new'}" in made.stdout
    assert "no backup is overwritten" in again.stderr
