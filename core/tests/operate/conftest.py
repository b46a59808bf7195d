"""A small platform on disk: real server, real schema, a few rows, keys, seals and blobs."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from core.tests.embedded import places
from moorage_core.embedded import folder, postgres
from moorage_core.embedded.postgres import Server
from moorage_core.migrations import run as migrations

OLDEST = places.INSTALLED[places.TRIED[0]]
FILES = {
    "keys/master-1.key": b"\x00" * 32,
    "seals/seals.jsonl": b"one\ntwo\n",
    "blobs/sha256:ab/ab01": b"blob" * 1000,
    "tls/ca.pem": b"certificate",
}


@pytest.fixture
def place() -> Iterator[Path]:
    """An empty folder; servers left running on data folders in it are stopped at the end."""
    with places.open_place() as path:
        yield path
        for cluster in path.glob("*/postgres"):
            places.stop(folder.prepare(cluster.parent))


@pytest.fixture(scope="module")
def platform() -> Iterator[Server]:
    """A platform that runs on the oldest PostgreSQL here; tests read it and change nothing."""
    with places.open_place() as place, places.prepared_folder(place / "data") as folder:
        server = postgres.start(folder, binaries=OLDEST, fsync=False)
        migrations.upgrade(server.owner_url)
        with psycopg.connect(server.owner_url) as db:
            db.execute(
                "INSERT INTO orgs (id, slug, name, created_at, updated_at)"
                " SELECT 'org_' || n, 'slug-' || n, 'Örg ' || n, now(), now()"
                " FROM generate_series(1, 500) n"
            )
        for name, content in FILES.items():
            path = folder.path / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        yield server
