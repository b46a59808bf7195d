"""One running platform that the tests of a module share: a database for each costs half a second.

For tests that make things of their own and look only at those. Whoever moves the clock, or counts
the rows of a whole table, takes the fixtures of `conftest` instead.
"""

import dataclasses
import itertools
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx2
import psycopg
import pytest
from fastapi import FastAPI
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.sql import SQL, Identifier

from core.tests.callers import Caller, Urls
from core.tests.factories.tenancy import OrgRow, ProjectRow, Sql, make_person
from moorage_core.access import authorities
from moorage_core.embedded import postgres
from moorage_core.events.sweeps import NumberRecords
from moorage_core.http.principal_cache import PrincipalCache
from moorage_core.kit.clock import ManualClock
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.main import build_api, open_platform
from moorage_core.platform import Platform
from moorage_core.settings import (
    DatabaseSettings,
    IdentitySettings,
    LimitSettings,
    MachineSettings,
    Settings,
    SourceSettings,
    WebhookSettings,
)
from moorage_core.signing import commands as signing
from moorage_core.signing.keyset import Keyset

TEMPLATE = "moorage_template"
"""The database that `server` migrates and that all others are copies of."""
BASE_URL = "http://127.0.0.1:7700"

Rows = list[tuple[Any, ...]]
_numbers = itertools.count()


@dataclass(frozen=True)
class Site:
    """A platform, its API and a way to look behind it."""

    urls: Urls
    sql: Sql
    platform: Platform
    api: FastAPI
    client: httpx2.AsyncClient
    _seen: dict[tuple[str, ...], tuple[str, Rows]] = field(
        default_factory=dict[tuple[str, ...], tuple[str, Rows]], kw_only=True, repr=False
    )

    async def actor(
        self,
        role: str | None = None,
        *,
        org: OrgRow | None = None,
        project: ProjectRow | None = None,
        expires_in: timedelta = timedelta(days=1),
    ) -> Caller:
        """Somebody with that role there, ready to call."""
        where = project.org if project is not None else org
        person = await make_person(
            self.sql,
            f"{role or 'nobody'}-{fresh()}@example.org",
            role=role,
            org=where.id if where is not None else PLATFORM_ORG,
            project=project.id if project is not None else None,
            expires_in=expires_in,
        )
        return Caller(self.client, person)

    async def number(self) -> None:
        """Run the sequencer once."""
        await NumberRecords(self.platform).activate()

    async def rows(self, query: str, *params: Any) -> Rows:
        """Look as somebody who sees everything."""
        cursor = await self.sql.execute(query.encode(), params)
        return await cursor.fetchall() if cursor.description else []

    async def everything(self, *, but: tuple[str, ...] = ()) -> Rows:
        """For every table but these: how many rows it has, and which transaction wrote the newest.

        Both are the same as before only where nothing was written: a row that is added or changed
        has a newer writer than all others, and one that is removed is missing. To read the rows
        themselves takes a tenth of a second, thousands of times. Snapshots that are the same show
        the same, so it is looked at again only after somebody has written anything at all.
        """
        ((snapshot,),) = await self.rows("SELECT pg_current_snapshot()::text")
        seen = self._seen.get(but)
        if seen is None or seen[0] != snapshot:
            seen = self._seen[but] = (snapshot, await self._newest(but))
        return seen[1]

    async def _newest(self, but: tuple[str, ...]) -> Rows:
        query = """
            SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> ALL (%s)
        """
        each = (
            f"SELECT '{name}', count(*), max(xmin::text::bigint) FROM {name}"
            for (name,) in await self.rows(query, list(but))
        )
        return await self.rows(" UNION ALL ".join(each) + " ORDER BY 1")


@dataclass(frozen=True)
class TimedSite(Site):
    """A site whose clock stands still until a test moves it; its caches age by that clock too."""

    clock: ManualClock


def fresh() -> str:
    """A word that no other test uses; fits slugs and addresses."""
    return f"{next(_numbers)}-{uuid.uuid4().hex[:8]}"


@contextmanager
def fresh_database(server: postgres.Server) -> Iterator[Urls]:
    """An empty, migrated database for as long as the block lasts."""
    name = f"site_{next(_numbers)}_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(make_conninfo(server.super_url, dbname="postgres"), autocommit=True) as db:
        copy = SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy OWNER moorage_owner")
        db.execute(copy.format(Identifier(name), Identifier(TEMPLATE)))
        yield Urls(
            owner=make_conninfo(server.owner_url, dbname=name),
            app=make_conninfo(server.app_url, dbname=name),
            system=make_conninfo(server.system_url, dbname=name),
            super=make_conninfo(server.super_url, dbname=name),
        )
        db.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


@pytest.fixture(scope="module")
def site_settings(
    server: postgres.Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    data = tmp_path_factory.mktemp("site")
    for folder in ("keys", "seals"):
        (data / folder).mkdir(mode=0o700)
    with fresh_database(server) as urls:
        yield Settings(
            data=data,
            database=DatabaseSettings(
                app_url=urls.app, system_url=urls.system, owner_url=urls.owner, pool_size=4
            ),
            limits=LimitSettings(
                requests_per_second=100_000,
                burst=100_000,
                anonymous_per_second=100_000,
                anonymous_burst=100_000,
            ),
            identity=IdentitySettings(login_per_minute=100_000),
            webhooks=WebhookSettings(private_addresses=True),
            sources=SourceSettings(private_addresses=True),
            machines=MachineSettings(loopback_addresses=True),
        )


@pytest.fixture(scope="session")
def site_api() -> FastAPI:
    return build_api(Settings())


@pytest.fixture(scope="module")
async def site(
    server: postgres.Server, site_settings: Settings, site_api: FastAPI
) -> AsyncIterator[Site]:
    """The module's platform. Its sweeps run only when a test runs them."""
    database = site_settings.database
    name = conninfo_to_dict(str(database.app_url))["dbname"]
    urls = Urls(
        owner=str(database.owner_url),
        app=str(database.app_url),
        system=str(database.system_url),
        super=make_conninfo(server.super_url, dbname=name),
    )
    transport = httpx2.ASGITransport(app=site_api, raise_app_exceptions=False)
    async with (
        open_platform(site_settings, background=False) as platform,
        await psycopg.AsyncConnection.connect(urls.super, autocommit=True) as sql,
        httpx2.AsyncClient(transport=transport, base_url=BASE_URL) as client,
    ):
        await signing.rotate(platform)
        await authorities.ensure(platform)
        site_api.state.platform = platform
        yield Site(urls, sql, platform, site_api, client)


@pytest.fixture
def timed(site: Site) -> Iterator[TimedSite]:
    """The module's platform, for one test, by a clock of the test's own."""
    clock = ManualClock()
    platform = dataclasses.replace(
        site.platform,
        clock=clock,
        keyset=Keyset(monotonic=lambda: clock.now().timestamp()),
        principals=PrincipalCache(monotonic=lambda: clock.now().timestamp()),
    )
    platform.hub.listen(platform.principals.hear)
    site.api.state.platform = platform
    yield TimedSite(site.urls, site.sql, platform, site.api, site.client, clock)
    site.api.state.platform = site.platform
