"""`moor worker`, as a real process beside a database that runs already."""

import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from core.tests.embedded import places
from core.tests.operate import runs
from moorage_core.embedded import postgres
from moorage_core.migrations import run as migrations

COMMAND = "import typer; from moorage_core.operate import worker; typer.run(worker.worker)"
LEADERS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted"


@contextmanager
def started(data: Path) -> Generator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", COMMAND, "--data", str(data)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_worker_does_the_background_work_until_it_is_told_to_stop(place: Path) -> None:
    with places.prepared_folder(place / "data") as made:
        server = postgres.start(made, fsync=False)
        migrations.upgrade(server.owner_url)

        with started(made.path) as worker, psycopg.connect(server.super_url) as db:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "Background work is running.\n"
            runs.wait_until(lambda: db.execute(LEADERS).fetchone() != (0,))
            worker.send_signal(signal.SIGTERM)
            said, _ = worker.communicate(timeout=60)

            assert (worker.returncode, said) == (0, "Stopped.\n")


def test_a_worker_without_a_database_says_what_to_do(place: Path) -> None:
    with started(place / "data") as worker:
        _, errors = worker.communicate(timeout=60)

        assert worker.returncode == 2
        assert "Start `moor up` first" in errors
