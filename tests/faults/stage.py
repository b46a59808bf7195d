"""A platform to do harm to: PostgreSQL, one server process, a tenant with a published app.

Everything here is real but the clock, which can be moved. The server is killed and started again
within a fraction of a second, and so is PostgreSQL: it loses nothing that was committed, because
only the forcing of its files to the disk is switched off.
"""

import asyncio
import contextlib
import os
import signal
import threading
import time
from collections.abc import Coroutine, Generator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import psycopg

from core.tests.embedded import places
from moorage import AccessToken, Client
from moorage_core import bootstrap
from moorage_core.embedded import authority, cluster, postgres
from moorage_core.embedded import folder as folders
from moorage_core.main import open_platform
from moorage_core.migrations import run as migrations
from moorage_core.operate import serving
from moorage_core.settings import (
    DatabaseSettings,
    IdentitySettings,
    LimitSettings,
    LogSettings,
    MachineSettings,
    ServerSettings,
    Settings,
)
from moorage_echo import release
from tests.e2e import shop as shops
from tests.e2e import site as sites
from tests.e2e import world
from tests.e2e.callers import Caller, pause
from tests.e2e.shop import Shop
from tests.e2e.site import Site
from tests.e2e.world import Tenant
from tests.faults.clock import SharedClock
from tests.faults.processes import Forge, Process

HOST = "127.0.0.1"
VERSIONS = ("0.1.0", "0.2.0")
LONG = timedelta(days=30)
T = TypeVar("T")


@dataclass(frozen=True)
class Operator:
    """Who acts for instances of the app."""

    id: str
    account: str
    key: str
    secret_file: Path

    def environment(self, url: str, replica: str) -> dict[str, str]:
        return {
            "MOORAGE_URL": url,
            "MOORAGE_SERVICE_ACCOUNT": self.account,
            "MOORAGE_KEY": self.key,
            "MOORAGE_SECRET_FILE": str(self.secret_file),
            "MOORAGE_REPLICA": replica,
            "MOORAGE_WATCHES": "0",
            "MOORAGE_GRACE": "0",
        }


@dataclass
class Stage:
    """The platform, and a loop in which everything lives that is not a process of its own."""

    place: Path
    settings: Settings
    database: postgres.Server
    clock: SharedClock
    site: Site
    loop: asyncio.AbstractEventLoop
    forge: Forge = field(default_factory=Forge)
    process: Process | None = None
    broken: Exception | None = None
    """Why no more faults can happen."""
    admin: Caller = field(init=False)
    tenant: Tenant = field(init=False)
    shop: Shop = field(init=False)

    @property
    def port(self) -> int:
        return self.settings.server.port

    @property
    def log(self) -> Path:
        return self.place / "server.log"

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something in the loop, from outside of it."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    # What can be done to it

    def start_server(self) -> None:
        self.process = self.forge.server(self.settings, self.place / "clock", self.log)
        deadline = time.monotonic() + 60
        while not serving.accepts(HOST, self.port):
            assert self.process.is_alive, self.log.read_text()[-4000:]
            assert time.monotonic() < deadline, "the server never came"
            pause(0.01)

    def kill_server(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.close()

    def kill_database(self) -> None:
        """The server's parent process; what it began ends by itself when it notices."""
        pid = cluster.find_process(self.database.folder)
        assert pid is not None, "the database does not run"
        os.kill(pid, signal.SIGKILL)

    def start_database(self) -> None:
        cluster.start(self.database.folder, binaries=self.database.binaries, fsync=False)

    def move_clock(self, seconds: float) -> None:
        """Let so much time pass."""
        assert self.process is not None
        self.clock.wanted += seconds
        self.process.signal(signal.SIGUSR2)
        deadline = time.monotonic() + 60
        while self.clock.moved < self.clock.wanted:
            assert time.monotonic() < deadline, "time does not pass"
            pause(0.005)

    # Who is there

    async def register(self, name: str) -> Operator:
        """One more operator of the app, with an account of its own."""
        project = self.tenant.project
        auth = AccessToken(self.tenant.admin.token)
        ca = self.site.ca if self.site.url.startswith("https") else None
        async with Client(self.site.url, auth=auth, ca=ca) as client:
            account = await client.service_accounts.create(
                project, name=name, permissions=shops.CLAIMING
            )
            issued = await client.service_accounts.create_key(account)
            operator = await client.operators.register(
                project, app=self.shop.app, service_account=account, name=name
            )
        file = self.place / f"{name}.secret"
        file.write_text(str(issued.secret))
        return Operator(operator.id, account.id, issued.id, file)

    def generations(self, instance: str) -> dict[str, int]:
        """How often each secret of an instance was made."""
        query = (
            "SELECT name, max(generation) FROM runtime_secrets WHERE instance_id = %s GROUP BY name"
        )
        deadline = time.monotonic() + 60
        while True:
            try:
                with psycopg.connect(self.database.super_url) as db:
                    return dict(db.execute(query, (instance,)).fetchall())
            except psycopg.OperationalError:  # somebody else's fault happens meanwhile
                assert time.monotonic() < deadline, "the database never came back"
                pause(0.02)


@contextlib.contextmanager
def opened() -> Generator[Stage]:
    """A platform with a tenant who publishes and uses echo."""
    with places.open_place() as place, running_loop() as running:
        folder = folders.prepare(place / "data")
        database = postgres.start(folder, fsync=False)
        try:
            stage = _build(place, database, running)
            stage.start_server()
            _populate(stage)
            yield stage
            for caller in stage.site.callers:
                caller.http.close()
            stage.kill_server()
            stage.forge.close()
        finally:
            places.stop(folder)


@contextlib.contextmanager
def running_loop() -> Generator[asyncio.AbstractEventLoop]:
    """An event loop in a thread of its own: what lives in it lives beside the test."""
    made = asyncio.new_event_loop()
    thread = threading.Thread(target=made.run_forever, name="stage")
    thread.start()
    try:
        yield made
    finally:
        made.call_soon_threadsafe(made.stop)
        thread.join()
        made.close()


def _build(place: Path, database: postgres.Server, loop: asyncio.AbstractEventLoop) -> Stage:
    # A process that is killed loses what PostgreSQL has not handed to the kernel; a real one keeps
    # what it has promised.
    with psycopg.connect(database.super_url, autocommit=True) as db:
        db.execute("ALTER SYSTEM SET synchronous_commit = on")
        db.execute("SELECT pg_reload_conf()")
    migrations.upgrade(database.owner_url)
    settings = Settings(
        data=database.folder.path,
        database=DatabaseSettings(app_url=database.app_url, system_url=database.system_url),
        server=ServerSettings(host=HOST, port=sites.free_port(HOST)),
        identity=IdentitySettings(token_lifetime=LONG, login_per_minute=10_000),
        machines=MachineSettings(node_token_lifetime=LONG),
        limits=LimitSettings(
            requests_per_second=100_000,
            burst=100_000,
            anonymous_per_second=100_000,
            anonymous_burst=100_000,
        ),
        log=LogSettings(level="warning"),
    )
    authority.make(database.folder.tls, now=datetime.now(UTC))
    site = Site(database.folder.path, HOST, settings.server.port)
    site.password = asyncio.run(_first_start(settings))
    return Stage(place, settings, database, SharedClock(place / "clock"), site, loop)


async def _first_start(settings: Settings) -> str:
    async with open_platform(settings, background=False) as platform:
        made = await bootstrap.first_start(platform)
    assert made is not None, "somebody started it before"
    return made.password


def _populate(stage: Stage) -> None:
    stage.admin = stage.site.admin()
    world.make_fleet(stage.admin)
    stage.tenant = world.make_tenant(stage.site, stage.admin, "acme")
    place = stage.place / "echo"
    place.mkdir()
    stage.shop = asyncio.run(shops.open_shop(stage.site, stage.tenant, _cut, VERSIONS, place=place))
    shops.entitle(stage.tenant, stage.shop)


def _cut(version: str, folder: Path) -> Path:
    """A version of echo that may take all the time that faults cost it."""
    made = release.cut(version, folder)
    manifest = made / "manifest.yaml"
    manifest.write_text(_patient(manifest.read_text()))
    return made


def _patient(manifest: str) -> str:
    head, found, rest = manifest.partition("\ntimeouts:\n")
    assert found, "the manifest has no timeouts"
    lines = rest.split("\n")
    end = next(at for at, line in enumerate(lines) if not line.startswith("  "))
    told = [f"{line.partition(':')[0]}: 24h" for line in lines[:end]]
    return head + found + "\n".join([*told, *lines[end:]])
