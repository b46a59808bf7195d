"""`moor ca` on a platform's data folder."""

import hashlib
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from moorage_core.embedded import authority, succession, tls
from moorage_core.embedded.postgres import Server
from moorage_core.embedded.succession import Stage


def moor(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).parent / "moor", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def place(platform: Server) -> Path:
    """The platform's certificates, with one node enrolled that trusts the first authority."""
    found = platform.folder.tls
    for path in found.iterdir():
        path.unlink()
    tls.own(found, names=("localhost",), now=datetime.now(UTC))
    with psycopg.connect(platform.super_url, autocommit=True) as db:
        db.execute("DELETE FROM nodes; DELETE FROM skus; DELETE FROM regions")
        db.execute(
            """
            INSERT INTO regions VALUES ('rgn_1', 'north', 'North', 1, now(), now(), NULL);
            INSERT INTO skus VALUES ('sku_1', 's', 'S', 1, 1, NULL, 0, 0, 'EUR', 1, now(), now());
            INSERT INTO nodes (id, org_id, name, region_id, sku_id, reach, status, status_since,
                enrolled_at, created_at, updated_at)
            VALUES ('nod_1', 'org_' || repeat('0', 26), 'gpu-07', 'rgn_1', 'sku_1', 'agent',
                'available', now(), now(), now(), now())
            """
        )
    return found


def confirm(platform: Server, place: Path) -> None:
    """The node says that it uses the bundle that it is told to."""
    digest = hashlib.sha256(authority.bundle(place)).hexdigest()
    with psycopg.connect(platform.super_url, autocommit=True) as db:
        db.execute("UPDATE nodes SET trust = %s", (digest,))


def test_the_next_authority_signs_once_every_node_has_confirmed_it(
    platform: Server, place: Path
) -> None:
    data = ("--data", platform.folder.path)
    rotated = moor("ca", "rotate", *data)
    too_early = moor("ca", "switch", *data)
    before = moor("ca", "status", *data)
    confirm(platform, place)

    after = moor("ca", "status", *data)
    switched = moor("ca", "switch", *data)
    finished = moor("ca", "finish", *data)

    assert rotated.returncode == 0, rotated.stderr
    assert too_early.returncode == 5
    assert "gpu-07" in too_early.stderr
    assert "by 0 of 1" in before.stdout
    assert "by 1 of 1" in after.stdout
    assert switched.returncode == 0, switched.stderr
    assert finished.returncode == 0, finished.stderr
    assert succession.stage(place) is Stage.PRESENT


def test_a_node_can_be_left_behind_on_purpose(platform: Server, place: Path) -> None:
    data = ("--data", platform.folder.path)
    moor("ca", "rotate", *data)

    forced = moor("ca", "switch", "--force", *data)

    assert forced.returncode == 0, forced.stderr
    assert succession.stage(place) is Stage.SWITCHED


def test_a_folder_without_a_platform_says_so(tmp_path: Path) -> None:
    refused = moor("ca", "rotate", "--data", tmp_path / "nothing")

    assert refused.returncode == 4
    assert "There is no authority" in refused.stderr
