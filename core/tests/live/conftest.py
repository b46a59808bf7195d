"""The whole platform as real processes: `moor up` with two workers on a folder of its own."""

import socket
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from core.tests.embedded import places
from core.tests.factories.tenancy import OrgRow, Person, make_org, make_person
from moorage_core.embedded import folder, postgres


@pytest.fixture
def place() -> Iterator[Path]:
    """An empty folder; a database left running in it is stopped at the end."""
    with places.open_place() as path:
        yield path
        for cluster in path.glob("*/postgres"):
            places.stop(folder.prepare(cluster.parent))


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def super_url(data: Path) -> str:
    """The database of a running platform, seen by somebody who sees everything."""
    running = postgres.find_running(folder.prepare(data))
    assert running is not None, "the database does not run"
    return running.super_url


async def make_tenant(data: Path) -> tuple[OrgRow, Person]:
    """An org and its admin."""
    async with await psycopg.AsyncConnection.connect(super_url(data), autocommit=True) as sql:
        org = await make_org(sql, "acme")
        return org, await make_person(sql, "admin@example.org", role="tenant_admin", org=org.id)
