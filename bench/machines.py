"""Measures machines. `bench.run` calls this and keeps the results in bench/results/machines.json.

A task's way to a real host and back, against connecting to the same host with asyncssh and running
the same command there. Then a thousand simulated agents on one server: what it costs to have them,
and what it takes to give each of them something to do.
"""

import asyncio
import ssl
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import asyncssh

from bench import processes
from moorage_lab import Host, Lab
from moorage_lab import lab as labs
from moorage_lab.errors import LabError
from moorage_lab.simulated import Crowd
from moorage_lab.simulated.http1 import Line, Server
from tests.e2e import work, world
from tests.e2e.callers import Caller
from tests.e2e.site import Site
from tests.e2e.work import Session
from tests.e2e.world import Tenant

LAB = "bench"
AGENTS = 1000
AIM_MS, AIM_RATIO = 25, 0.5

Report = Callable[..., None]


def measure(data: Path, seconds: float, report: Report) -> None:
    _measure_round_trips(data.parent / "lab" / "data", seconds, report)
    _measure_crowd(data, seconds, report)


# --- on a real host ------------------------------------------------------------------------------


def _measure_round_trips(data: Path, seconds: float, report: Report) -> None:
    data.parent.mkdir(mode=0o711, parents=True)
    try:
        lab = Lab.up(LAB, hosts=1)
    except LabError as err:
        print(f"no lab, so no round trips on real hosts: {err}", flush=True)
        return
    try:
        with processes.running(data, str(lab.layout.address)) as site:
            _round_trips(site, lab, int(seconds * 20), report)
    finally:
        labs.down(LAB)


def _round_trips(site: Site, lab: Lab, rounds: int, report: Report) -> None:
    (host,) = lab.hosts
    admin = site.admin()
    world.make_fleet(admin)
    tenant = world.make_tenant(site, admin, "bench")
    member = world.enrol(admin, host)
    session = work.open_session(site, tenant, work.allocate(admin, tenant, member))

    before = asyncio.run(_connections(lab, host, rounds))
    lags = asyncio.run(_tasks(site, session, rounds))
    after = asyncio.run(_connections(lab, host, rounds))
    median, baseline = statistics.median(lags), statistics.median(before + after)
    report(
        "task on a lab host, there and back: median", median, "ms", f"<= {AIM_MS}", median <= AIM_MS
    )
    report("task on a lab host, there and back: p95", _p95(lags), "ms")
    report("asyncssh connect and exec, same host: median", baseline, "ms")
    report("asyncssh connect and exec, same host: p95", _p95(before + after), "ms")
    share = median / baseline
    report("task against asyncssh: ratio", share, "", f"<= {AIM_RATIO}", share <= AIM_RATIO)


async def _tasks(site: Site, session: Session, rounds: int) -> list[float]:
    """Milliseconds from asking for a task to knowing its end."""
    line = Line(Server(site.url, ssl.create_default_context(cafile=str(site.ca))))
    token = session.holder.token
    lags: list[float] = []
    for number in range(rounds):
        wish = {"key": f"bench/{number}", "kind": "exec", "allocation": session.allocation}
        started = time.perf_counter()
        body = {"tasks": [wish | {"input": {"argv": ["/bin/true"]}}]}
        asked = await line.call("POST", f"{session.path}/tasks", body, token=token)
        path = f"/v1/tasks/{asked['tasks'][0]['id']}?wait=30"
        ended = await line.call("GET", path, token=token, seconds=60)
        lags.append((time.perf_counter() - started) * 1000)
        assert ended["status"] == "succeeded", ended
    line.close()
    return lags


async def _connections(lab: Lab, host: Host, rounds: int) -> list[float]:
    """Milliseconds to connect, run `true` and hear its end, without any of the platform."""
    known = asyncssh.import_known_hosts(f"{host.address} {_host_key(host)}")
    lags: list[float] = []
    for _ in range(max(10, rounds // 4)):
        started = time.perf_counter()
        async with asyncssh.connect(
            str(host.address),
            username="root",
            client_keys=[str(lab.layout.key)],
            known_hosts=known,
            config=None,
        ) as connection:
            ended = await connection.run("/bin/true", check=True)
        assert ended.exit_status == 0
        lags.append((time.perf_counter() - started) * 1000)
    return lags


def _host_key(host: Host) -> str:
    return host.get("/etc/ssh/ssh_host_ed25519_key.pub").decode().strip()


# --- many simulated agents -----------------------------------------------------------------------


@dataclass(frozen=True)
class Cost:
    """What the server's processes have used so far: its own, and those of its database."""

    server: float
    database: float
    at: float

    @classmethod
    def now(cls, site: Site) -> "Cost":
        own, database = 0.0, 0.0
        for pid in processes.tree(site):
            used = processes.cpu(pid)
            if "postgres" in processes.name(pid):
                database += used
            else:
                own += used
        return cls(own, database, time.perf_counter())


def _measure_crowd(data: Path, seconds: float, report: Report) -> None:
    with processes.running(data, "127.0.0.1") as site:
        admin = site.admin()
        world.make_fleet(admin)
        tenant = world.make_tenant(site, admin, "bench")
        tokens = enrolments(admin, AGENTS)
        empty = processes.memory(site)
        asyncio.run(_crowd(site, tenant, tokens, max(seconds, 60), empty, report))


async def _crowd(
    site: Site, tenant: Tenant, tokens: list[str], seconds: float, empty: float, report: Report
) -> None:
    started = time.perf_counter()
    async with Crowd(Server(site.url), tokens) as crowd:
        await crowd.until_working(seconds=300)
        report(
            f"{AGENTS} simulated agents enrolled", AGENTS / (time.perf_counter() - started), "per s"
        )
        await asyncio.sleep(2)
        await _idle(site, crowd, seconds, empty, report)
        allocations = await asyncio.to_thread(allocate, tenant, AGENTS)
        await asyncio.to_thread(until_all_active, tenant)
        await _fan_out(site, tenant, crowd, allocations, report)
        assert crowd.states() == {"working": AGENTS}, crowd.states()
        assert not crowd.tally.refusals, crowd.tally.refusals


async def _idle(site: Site, crowd: Crowd, seconds: float, empty: float, report: Report) -> None:
    """What agents cost that have nothing to do: each polls, and is answered after its wait."""
    before, polls = Cost.now(site), crowd.tally.polls
    await asyncio.sleep(seconds)
    after = Cost.now(site)
    span = after.at - before.at
    heard = crowd.tally.polls - polls
    report("idle agents: heartbeats", heard / span, "per s")
    report("idle agents: server CPU", 100 * (after.server - before.server) / span, "% core")
    report("idle agents: database CPU", 100 * (after.database - before.database) / span, "% core")
    used = after.server + after.database - before.server - before.database
    report("idle agent: CPU, server and database", used / span / AGENTS * 1e6, "us/s")
    report("a heartbeat: CPU, server and database", used / max(heard, 1) * 1e3, "ms")
    held = processes.memory(site)
    report(f"server with {AGENTS} agents: memory", held, "MiB")
    report("idle agent: memory of the server", (held - empty) * 1024 / AGENTS, "KiB")


async def _fan_out(
    site: Site, tenant: Tenant, crowd: Crowd, allocations: list[str], report: Report
) -> None:
    """One task for each of a thousand nodes, asked for in two calls."""
    wish = {"allocations": allocations, "reason": "A benchmark gives all of them something to do."}
    opened = tenant.admin.post(f"/v1/projects/{tenant.project}/node-sessions", wish)
    line = Line(Server(site.url))
    path = f"/v1/operations/{opened['id']}/tasks"
    before, done = Cost.now(site), crowd.tally.ends["succeeded"]
    for half in (allocations[: AGENTS // 2], allocations[AGENTS // 2 :]):
        tasks = [
            {"key": "all", "kind": "exec", "allocation": one, "input": {"argv": ["true"]}}
            for one in half
        ]
        await line.call("POST", path, {"tasks": tasks}, token=opened["token"])
    asked = time.perf_counter() - before.at
    await crowd.until(lambda now: now.tally.ends["succeeded"] - done == AGENTS, seconds=300)
    after = Cost.now(site)
    line.close()
    span = after.at - before.at
    report(f"{AGENTS} tasks fanned out: accepted after", asked * 1000, "ms")
    report(f"{AGENTS} tasks fanned out: all ended after", span * 1000, "ms")
    report(f"{AGENTS} tasks fanned out: rate", AGENTS / span, "per s")
    report("a task of the fan-out: server CPU", (after.server - before.server) / AGENTS * 1e3, "ms")
    used = (after.database - before.database) / AGENTS * 1e3
    report("a task of the fan-out: database CPU", used, "ms")


def enrolments(admin: Caller, count: int) -> list[str]:
    names = [{"name": f"sim-{number:04}"} for number in range(count)]
    place = {"region": world.REGION, "sku": world.SKU, "reach": "agent"}
    made = admin.post("/v1/node-batches", {"nodes": [name | place for name in names]})
    return [node["enrolment"]["token"] for node in made["items"]]


def allocate(tenant: Tenant, count: int) -> list[str]:
    path = f"/v1/projects/{tenant.project}/allocations"
    wish = {"sku": world.SKU, "region": world.REGION}
    sizes = [min(100, count - begun) for begun in range(0, count, 100)]
    made = [tenant.admin.post(path, wish | {"count": size}) for size in sizes]
    return [one["id"] for answer in made for one in answer["allocations"]]


def until_all_active(tenant: Tenant) -> None:
    path = f"/v1/projects/{tenant.project}/allocations?status=provisioning&limit=1"
    for waiting in (path.replace("provisioning", "requested"), path):
        tenant.admin.until(waiting, lambda page: not page["items"], seconds=300)


def _p95(lags: list[float]) -> float:
    return sorted(lags)[int(len(lags) * 0.95)]
