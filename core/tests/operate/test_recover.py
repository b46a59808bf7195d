"""`moor recover` on a data folder, whether the platform runs or rests."""

import asyncio
import subprocess
import sys
from pathlib import Path

import psycopg

from core.tests.embedded import places
from moorage_core import bootstrap
from moorage_core.embedded import postgres
from moorage_core.main import open_platform
from moorage_core.migrations import run as migrations
from moorage_core.operate import arguments
from moorage_core.settings import Settings


def moor(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).parent / "moor", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


async def first_start(settings: Settings) -> None:
    async with open_platform(settings, background=False) as platform:
        await bootstrap.first_start(platform)


def test_the_first_admin_gets_a_code_while_the_platform_runs_or_rests(place: Path) -> None:
    with places.prepared_folder(place / "data") as folder:
        server = postgres.start(folder, fsync=False)
        migrations.upgrade(server.owner_url)
        settings = arguments.with_urls(Settings(data=folder.path), server)
        asyncio.run(first_start(settings))

        running = moor("recover", "admin@localhost", "--data", folder.path)
        adopted = postgres.find_running(folder)
        with psycopg.connect(server.owner_url) as db:
            codes = db.execute("SELECT count(*) FROM password_codes").fetchone()
        postgres.stop(server)
        resting = moor("recover", "admin@localhost", "--data", folder.path)

        assert running.returncode == resting.returncode == 0, running.stderr + resting.stderr
        assert "moor_pwc_" in running.stdout
        assert "moor_pwc_" in resting.stdout
        assert (adopted is not None, codes) == (True, (1,))
        assert postgres.find_running(folder) is None


def test_a_folder_without_a_platform_has_nobody_to_let_in(place: Path) -> None:
    refused = moor("recover", "admin@localhost", "--data", place / "nothing")

    assert refused.returncode == 4
    assert "There is no platform's data" in refused.stderr
    assert not (place / "nothing").exists()
