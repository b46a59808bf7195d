"""Data of every earlier release: restored on another machine, migrated, whole, and still usable."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from core.tests.live.conftest import place, port
from core.tests.operate import runs

__all__ = ["place", "port"]

RELEASES = sorted((Path(__file__).parent / "releases").glob("*.tar"))


def moor(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).parent / "moor", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("backup", RELEASES, ids=lambda path: path.stem)
async def test_a_backup_of_an_earlier_release_comes_back_to_life(
    backup: Path, place: Path, port: int
) -> None:
    facts = json.loads(backup.with_suffix(".json").read_text())
    data = place / "data"

    restored = moor("restore", backup, "--data", data)
    with runs.started(data, port=port) as run:
        await asyncio.to_thread(run.wait_for, "ready")
        verified = moor("audit", "verify", "--data", data)
        async with httpx2.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60
        ) as client:
            minted = await client.post(
                "/v1/auth/token",
                json={
                    "service_account": facts["service_account"],
                    "key": facts["key"],
                    "client_secret": facts["secret"],
                },
            )
            token = minted.raise_for_status().json()["access_token"]
            project = await client.get(
                f"/v1/projects/{facts['project']}", headers={"authorization": f"Bearer {token}"}
            )

    assert restored.returncode == 0, restored.stderr
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert project.json()["slug"] == "old"


def test_there_is_data_of_a_release() -> None:
    assert RELEASES, "python -m tools.release_data makes it"
