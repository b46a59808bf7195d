"""The matrix on real ground: hosts of the lab, `moor up`, the real agent, and a controller.

Everything is killed and cut for real. A controller's road leads past us, so that a fault happens at
a moment that can be named; agents have their own road, straight to the platform over TLS. Nobody
moves the clock here: a fault lasts as long as it lasts.
"""

import asyncio
import contextlib
import json
import os
import signal
import ssl
from collections.abc import AsyncGenerator, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import psycopg

from core.tests.embedded import places
from moorage_core.embedded import cluster as databases
from moorage_core.embedded import folder as folders
from moorage_core.embedded import postgres
from moorage_core.operate import serving
from moorage_core.settings import Settings
from moorage_echo import cluster, release
from moorage_lab import Host, Lab
from moorage_lab import lab as labs
from tests.e2e import shop as shops
from tests.e2e import site as sites
from tests.e2e import work, world
from tests.e2e.callers import pause, wait_until
from tests.e2e.site import Site
from tests.e2e.world import Member
from tests.faults import stage
from tests.faults.cells import Fault, Hit
from tests.faults.clock import SharedClock
from tests.faults.lane import HOSTS, Lane
from tests.faults.road import Answer, Delivery
from tests.faults.stage import Stage

FAULTS = (
    Fault.KILL_CONTROLLER,
    Fault.KILL_SERVER,
    Fault.KILL_AGENT,
    Fault.KILL_DATABASE,
    Fault.CUT_CONTROLLER,
    Fault.CUT_AGENT,
)
"""What can be done to a site from outside, with nothing simulated."""
AGENT = "moorage-agent"
CUT_FOR = 3.0
"""Seconds that hosts are cut off, at most."""
BACK_WITHIN = 60.0
LOOK = """
import hashlib, json, pathlib, subprocess, sys
unit, key, program, cursor, *places = sys.argv[1:]
said = lambda *words: subprocess.run(words, capture_output=True, text=True).stdout
state = said("systemctl", "show", "-p", "ActiveState", "-p", "UnitFileState", "--value", unit)
started = "MESSAGE_ID=39f53479d3a045ac8e11786248231fbf"
starts = said("journalctl", "-q", "-u", unit, f"--after-cursor={cursor}", "-o", "cat", started)
files = [file for place in places for file in sorted(pathlib.Path(place).rglob("*"))]
files += [pathlib.Path("/etc/systemd/system", unit)]
def content(file):
    if str(file) == key:
        return "the key"
    raw = file.read_bytes()
    return hashlib.sha256(raw).hexdigest() if str(file) == program else raw.decode()
found = {str(file): content(file) for file in files if file.is_file()}
print(json.dumps({"unit": state.split(), "starts": len(starts.splitlines()), "files": found}))
"""
"""What a host has of echo, and how often it was started there since a place in its journal."""
PLACES = cluster.FOLDERS[:2]
"""Where everything is that echo was given. What it keeps itself is its own."""
CURSOR = "journalctl -n 1 -o json --no-pager --output-fields=__CURSOR"

Json = dict[str, Any]


@dataclass
class Ground(Stage):
    """A platform on the lab's address, and the hosts that are its nodes."""

    members: list[Member] = field(default_factory=list[Member])
    forwarded: int = 0
    """A port on loopback that leads to the platform's own, which speaks TLS."""

    @property
    def port(self) -> int:
        return self.forwarded

    @property
    def hosts(self) -> list[Host]:
        return [member.host for member in self.members]

    def happen(self, fault: Fault) -> None:
        """Kill what all share; back when somebody has started it again."""
        if fault is Fault.KILL_SERVER:
            self.site.kill_workers()
        else:
            pid = databases.find_process(self.database.folder)
            assert pid is not None, "the database does not run"
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda: self._runs_again(pid), seconds=BACK_WITHIN)
        answers = serving.accepts
        wait_until(lambda: answers(self.site.host, self.site.port), seconds=BACK_WITHIN)

    def _runs_again(self, before: int) -> bool:
        if databases.find_process(self.database.folder) in (None, before):
            return False
        try:
            psycopg.connect(self.database.super_url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def kill_agents(self) -> None:
        self.on_each(lambda host: host.run(f"systemctl kill -s KILL {AGENT}"))

    def cut_hosts(self, seconds: float) -> None:
        self.on_each(Host.cut)
        pause(seconds)
        self.on_each(Host.mend_network)

    def on_each(self, act: Any) -> list[Any]:
        with ThreadPoolExecutor(len(self.members)) as threads:
            return list(threads.map(act, self.hosts))


@dataclass(eq=False)
class RealLane(Lane):
    """One life at a time, on real hosts."""

    ground: Ground = field(kw_only=True)
    cursors: dict[str, str] = field(default_factory=dict[str, str])
    """Where the journal of each host stood when the life began."""

    @property
    def nodes(self) -> dict[str, str]:
        return {host.name: f"host-{at}" for at, host in enumerate(self.ground.hosts, start=1)}

    async def open(self, tokens: Sequence[str]) -> None:
        """Agents run already, each by its own token."""

    async def prepare(self, hits: Iterable[Hit], *, controllers: int = 1) -> None:
        await super().prepare(hits, controllers=controllers)
        found = await asyncio.to_thread(self.ground.on_each, _cursor)
        self.cursors = dict(found)

    def look(self) -> Json:
        return dict(self.ground.on_each(self._look))

    def _look(self, host: Host) -> tuple[str, Json]:
        given = (cluster.UNIT, cluster.KEY, cluster.PROGRAM, self.cursors[host.name], *PLACES)
        said = host.run(["/usr/bin/python3", "-c", LOOK, *given]).stdout
        return self.nodes[host.name], json.loads(said)

    async def _kill_agents(
        self, hit: Hit, delivery: Delivery, answer: Answer | None
    ) -> Answer | None:
        await asyncio.to_thread(self.ground.kill_agents)
        return await self._go_on(delivery, answer)

    async def _cut_agents(
        self, hit: Hit, delivery: Delivery, answer: Answer | None
    ) -> Answer | None:
        await asyncio.to_thread(self.ground.cut_hosts, CUT_FOR * hit.luck)
        return await self._go_on(delivery, answer)


def _cursor(host: Host) -> tuple[str, str]:
    return host.name, json.loads(host.run(CURSOR).stdout)["__CURSOR"]


# --- making it ------------------------------------------------------------------------------------


@contextlib.contextmanager
def opened() -> Generator[RealLane]:
    """A lab, a platform on it, a tenant who publishes and uses echo, and a lane for its lives."""
    with (
        places.open_place() as place,
        stage.running_loop() as loop,
        _lab() as lab,
        sites.running(place / "data", str(lab.layout.address)) as site,
    ):
        database = postgres.find_running(folders.prepare(site.data))
        assert database is not None, "the platform started it"
        ground = Ground(place, Settings(), database, SharedClock(place / "clock"), site, loop)
        try:
            _populate(ground, lab)
            yield from _lane(ground)
        finally:
            ground.forge.close()


@contextlib.contextmanager
def _lab() -> Generator[Lab]:
    name = f"f{os.getpid()}"
    try:
        yield Lab.up(name, hosts=HOSTS)
    finally:
        labs.down(name)


def _lane(ground: Ground) -> Generator[RealLane]:
    async def together(_: Lane, fault: Fault) -> None:
        await asyncio.to_thread(ground.happen, fault)

    operator = ground.run(ground.register("lab"))
    lane = RealLane(ground, 1, operator, together, ground=ground)
    for member in ground.members:
        lane.machines.append(work.allocate(ground.admin, ground.tenant, member))
    forwarding = _forwarding(ground.site)
    ground.forwarded = ground.run(forwarding.__aenter__())
    try:
        yield lane
    finally:
        ground.run(lane.close())
        ground.run(forwarding.__aexit__(None, None, None))


def _populate(ground: Ground, lab: Lab) -> None:
    ground.admin = ground.site.admin()
    world.make_fleet(ground.admin)
    ground.members = [world.enrol(ground.admin, host) for host in lab.hosts]
    ground.tenant = world.make_tenant(ground.site, ground.admin, "acme")
    place = ground.place / "echo"
    place.mkdir()
    opening = shops.open_shop(
        ground.site, ground.tenant, release.cut, ("0.1.0", "0.2.0"), place=place
    )
    ground.shop = asyncio.run(opening)
    shops.entitle(ground.tenant, ground.shop)


@contextlib.asynccontextmanager
async def _forwarding(site: Site) -> AsyncGenerator[int]:
    """A port on loopback that leads to the platform's, and speaks TLS to it."""
    context = ssl.create_default_context(cafile=str(site.ca))

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there = await asyncio.open_connection(site.host, site.port, ssl=context)
        except OSError:
            writer.transport.abort()
            return
        both = (_copy(reader, there[1]), _copy(there[0], writer))
        await asyncio.gather(*both, return_exceptions=True)

    server = await asyncio.start_server(carry, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while some := await reader.read(1 << 16):
            writer.write(some)
            await writer.drain()
    finally:
        writer.transport.abort()
