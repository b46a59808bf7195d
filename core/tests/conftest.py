"""A real PostgreSQL for the session, a database for each test, and people who call the API."""

import itertools
import logging
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import httpx2
import psycopg
import pytest
import structlog
from fastapi import FastAPI

from core.tests.callers import ActorMaker, Caller, Urls
from core.tests.embedded import places
from core.tests.factories.tenancy import OrgRow, ProjectRow, make_org, make_person, make_project
from core.tests.site import TEMPLATE, fresh_database, site, site_api, site_settings, timed
from moorage_core.embedded import folder, postgres
from moorage_core.events.sweeps import NumberRecords
from moorage_core.kit.clock import ManualClock
from moorage_core.kit.db import Database, open_database
from moorage_core.main import build_api, open_platform
from moorage_core.migrations import run as migrations
from moorage_core.platform import Platform
from moorage_core.settings import (
    DatabaseSettings,
    LimitSettings,
    Settings,
    SourceSettings,
    WebhookSettings,
)

__all__ = ["site", "site_api", "site_settings", "timed"]

_numbers = itertools.count()
# Looked for at each of thirty thousand requests, along the whole path, unless known to be absent.
if find_spec("sniffio") is None:
    cast(dict[str, Any], sys.modules)["sniffio"] = None


@pytest.fixture(scope="session", autouse=True)
def plain_logs() -> None:
    """Warnings and worse, in plain text: coloured tracebacks of whole platforms take seconds."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.format_exc_info,
            structlog.processors.KeyValueRenderer(key_order=["level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
    )


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    """One server for the session, without fsync."""
    with places.open_place() as place:
        running = postgres.start(folder.prepare(place / "data"), fsync=False, database=TEMPLATE)
        migrations.upgrade(running.owner_url)
        yield running
        postgres.stop(running)


@pytest.fixture
def urls(server: postgres.Server) -> Iterator[Urls]:
    """An empty, migrated database of the test's own."""
    with fresh_database(server) as urls:
        yield urls


@pytest.fixture
async def sql(urls: Urls) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    """A connection that sees everything: for arranging and for looking."""
    async with await psycopg.AsyncConnection.connect(urls.super, autocommit=True) as connection:
        yield connection


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def settings(urls: Urls, tmp_path: Path) -> Settings:
    (tmp_path / "keys").mkdir(mode=0o700)
    (tmp_path / "seals").mkdir(mode=0o700)
    return Settings(
        data=tmp_path,
        database=DatabaseSettings(
            app_url=urls.app, system_url=urls.system, owner_url=urls.owner, pool_size=4
        ),
        limits=LimitSettings(requests_per_second=100_000, burst=100_000, anonymous_burst=100_000),
        webhooks=WebhookSettings(private_addresses=True),
        sources=SourceSettings(private_addresses=True),
    )


@pytest.fixture
async def platform(settings: Settings, clock: ManualClock) -> AsyncIterator[Platform]:
    """The services of one process; sweeps run only when a test runs them."""
    async with open_platform(settings, clock=clock, background=False) as running:
        yield running


@pytest.fixture
async def database(urls: Urls) -> AsyncIterator[Database]:
    """Both pools without the rest of a platform."""
    opened = await open_database(urls.app, urls.system, pool_size=4, statement_timeout_ms=15_000)
    yield opened
    await opened.close()


@pytest.fixture(scope="session")
def built_api() -> FastAPI:
    return build_api(Settings())


@pytest.fixture
def api(built_api: FastAPI, platform: Platform) -> FastAPI:
    """The routes of the API, served from this test's platform."""
    built_api.state.platform = platform
    return built_api


@pytest.fixture
async def client(api: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(app=api, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:7700") as opened:
        yield opened


@pytest.fixture
def anonymous(client: httpx2.AsyncClient) -> Caller:
    return Caller(client, None)


@pytest.fixture
def actor(sql: psycopg.AsyncConnection[Any], client: httpx2.AsyncClient) -> ActorMaker:
    """`await actor("project_admin", project=p)`: somebody with that role, ready to call."""

    async def make(
        role: str | None = None,
        *,
        org: OrgRow | None = None,
        project: ProjectRow | None = None,
        email: str | None = None,
    ) -> Caller:
        where: dict[str, Any] = {}
        if project is not None:
            where = {"org": project.org.id, "project": project.id}
        elif org is not None:
            where = {"org": org.id}
        address = email or f"{role or 'nobody'}-{next(_numbers)}@example.org"
        return Caller(client, await make_person(sql, address, role=role, **where))

    return make


@pytest.fixture
async def acme(sql: psycopg.AsyncConnection[Any]) -> OrgRow:
    return await make_org(sql, "acme")


@pytest.fixture
async def rival(sql: psycopg.AsyncConnection[Any]) -> OrgRow:
    return await make_org(sql, "rival")


@pytest.fixture
async def alpha(sql: psycopg.AsyncConnection[Any], acme: OrgRow) -> ProjectRow:
    return await make_project(sql, acme, "alpha")


@pytest.fixture
async def beta(sql: psycopg.AsyncConnection[Any], acme: OrgRow) -> ProjectRow:
    return await make_project(sql, acme, "beta")


@pytest.fixture
def number(platform: Platform) -> Callable[[], Any]:
    """Run the sequencer once."""
    return NumberRecords(platform).activate
