"""Measures the control plane; results in bench/results/, one file for each part.

    make bench                      everything
    make bench ARGS="--seconds 5"   shorter runs
    make bench ARGS="--only machines"
    make bench ARGS="--only apps --part bulk --members 100"

Ratios are taken in one run on one machine: the bare rate before and after the API's, so that a
machine that slows down in between slows both. Absolute numbers say little about another machine.
"""

import argparse
import asyncio
import functools
import itertools
import json
import os
import platform
import shlex
import signal
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import apps, bare, catalog, console, load, machines, slurm
from bench.platform import CLIENTS, PORT, WORKERS, server, tenant
from moorage_core.embedded import folder, postgres

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--part", choices=apps.PARTS, help="one part of apps; the others are kept")
    parser.add_argument("--members", type=int, default=apps.Size.members)
    parser.add_argument("--instances", type=int, default=apps.Size.instances)
    parser.add_argument("--rows", type=int, default=apps.Size.rows)
    given = parser.parse_args()
    if given.part and given.only != "apps":
        parser.error("--part goes with --only apps")
    # Whoever ends it early leaves no platform behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    for name in [given.only] if given.only else PARTS:
        results: list[dict[str, Any]] = []
        with tempfile.TemporaryDirectory(prefix="moorage-bench-") as place:
            Path(place).chmod(0o711)
            PARTS[name](Path(place) / "data", given, functools.partial(report, results))
        keep(name, results, others=given.part is not None)


def keep(name: str, results: list[dict[str, Any]], *, others: bool) -> None:
    """Write the figures down; with `others`, beside those that were not taken this time."""
    target = ROOT / f"bench/results/{name}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    known = json.loads(target.read_text()) if others and target.exists() else []
    figures = {figure["name"]: figure for figure in [*known, *results]}
    target.write_text(json.dumps(list(figures.values()), indent=2) + "\n")


def report(
    results: list[dict[str, Any]],
    name: str,
    value: float,
    unit: str,
    aim: str = "",
    met: bool | None = None,
) -> None:
    verdict = {True: "met", False: "MISSED", None: ""}[met]
    print(f"{name:45} {value:10.3f} {unit:8} {aim:10} {verdict}", flush=True)
    figure = {"name": name, "value": round(value, 3), "unit": unit, "aim": aim, "met": met}
    command = f"make bench ARGS='{shlex.join(sys.argv[1:])}'"
    results.append(figure | {"command": command, "machine": machine()})


def machine() -> str:
    """What it was measured on: cores and memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    return f"{os.cpu_count()} cores ({platform.machine()}), {memory:.0f} GiB"


def measure_apps(data: Path, given: argparse.Namespace, report: Callable[..., None]) -> None:
    size = apps.Size(given.seconds, given.members, given.instances, given.rows)
    apps.measure(data, size, report, part=given.part)


def measure_spine(data: Path, seconds: float, report: Callable[..., None]) -> None:
    with server(data) as pid:
        idle = resident_mib(pid)
        report("idle server, all its processes", idle, "MiB", "< 200", idle < 200)
    with server(data, workers=WORKERS):
        place = folder.prepare(data)
        running = postgres.find_running(place)
        assert running is not None
        org, person, token = tenant(running.super_url)
        for name, request, what in (
            ("list of 50", list_request(token, org), "list"),
            ("mutation", mutation_request(token, org), "mutation"),
        ):
            ratio(report, name, request, what, running.app_url, org, person, seconds)
        wakes = asyncio.run(wake_ups(token, org, rounds=int(seconds * 10)))
        report("long poll answered after the commit: median", statistics.median(wakes), "ms")
        report("long poll answered after the commit: p95", sorted(wakes)[-len(wakes) // 20], "ms")
        outcomes = asyncio.run(open_loops(token, org, seconds=seconds * 2))
        for name, outcome in outcomes.items():
            assert set(outcome.statuses) <= {200, 201}, outcome.statuses
            p95 = outcome.percentile(0.95) * 1000
            report(f"open loop, {name}: p95", p95, "ms", "< 20", p95 < 20)
            report(f"open loop, {name}: median", outcome.percentile(0.5) * 1000, "ms")
            report(f"open loop, {name}: p99", outcome.percentile(0.99) * 1000, "ms")


def ratio(
    report: Callable[..., None],
    name: str,
    request: Callable[[], bytes],
    what: str,
    url: str,
    org: str,
    person: str,
    seconds: float,
) -> None:
    def bare_rate() -> float:
        return bare.rate(
            what, url, org=org, person=person, processes=WORKERS, clients=CLIENTS, seconds=seconds
        )

    asyncio.run(load.closed_loop(PORT, request, clients=CLIENTS, seconds=min(2.0, seconds)))
    before = bare_rate()
    outcome = asyncio.run(load.closed_loop(PORT, request, clients=CLIENTS, seconds=seconds))
    after = bare_rate()
    assert set(outcome.statuses) <= {200, 201}, outcome.statuses
    baseline = statistics.mean((before, after))
    share = outcome.rate / baseline
    report(f"{name}: bare SQL", baseline, "per s")
    report(f"{name}: through the API", outcome.rate, "per s")
    aim, met = (">= 0.4", share >= 0.4) if what == "mutation" else ("", None)
    report(f"{name}: ratio", share, "", aim, met)


async def wake_ups(token: str, org: str, *, rounds: int) -> list[float]:
    """Milliseconds from a mutation's answer to the answer of a long poll that waited for it."""
    make = mutation_request(token, org)
    poll = (
        "GET /v1/events?after=latest&wait=30&limit=1 HTTP/1.1\r\nhost: 127.0.0.1\r\n"
        f"authorization: Bearer {token}\r\n\r\n"
    ).encode()
    waiting, changing = await load.connect(PORT), await load.connect(PORT)
    lags: list[float] = []
    for _ in range(rounds):
        answer = asyncio.create_task(waiting.send(poll))
        await asyncio.sleep(0.05)
        await changing.send(make())
        committed = time.perf_counter()
        await answer
        lags.append((time.perf_counter() - committed) * 1000)
    return lags


async def open_loops(token: str, org: str, *, seconds: float) -> dict[str, load.Outcome]:
    """100 mutations and 200 lists a second at once, for longer than a hiccup."""
    mutations, lists = await asyncio.gather(
        load.open_loop(PORT, mutation_request(token, org), rate=100, seconds=seconds),
        load.open_loop(PORT, list_request(token, org), rate=200, seconds=seconds),
    )
    return {"100 mutations/s": mutations, "200 lists/s": lists}


def list_request(token: str, org: str) -> Callable[[], bytes]:
    request = (
        f"GET /v1/orgs/{org}/projects?limit=50 HTTP/1.1\r\nhost: 127.0.0.1\r\n"
        f"authorization: Bearer {token}\r\n\r\n"
    ).encode()
    return lambda: request


def mutation_request(token: str, org: str) -> Callable[[], bytes]:
    numbers = itertools.count()
    run = uuid.uuid4().hex[:12]

    def make() -> bytes:
        number = next(numbers)
        body = json.dumps({"slug": f"p{run}-{number}", "name": f"Project {number}"}).encode()
        head = (
            f"POST /v1/orgs/{org}/projects HTTP/1.1\r\nhost: 127.0.0.1\r\n"
            f"authorization: Bearer {token}\r\ncontent-type: application/json\r\n"
            f"idempotency-key: {run}-{number}\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    return make


def resident_mib(pid: int) -> float:
    """Proportional memory of a process and its children, without the database."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    total = 0
    for one in (pid, *map(int, children)):
        if "postgres" in Path(f"/proc/{one}/comm").read_text():
            continue
        for line in Path(f"/proc/{one}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024


PARTS: dict[str, Callable[[Path, argparse.Namespace, Callable[..., None]], None]] = {
    "spine": lambda data, given, report: measure_spine(data, given.seconds, report),
    "catalog": lambda data, given, report: catalog.measure(data, given.seconds, report),
    "machines": lambda data, given, report: machines.measure(data, given.seconds, report),
    "apps": measure_apps,
    "console": lambda data, _given, report: console.measure(data, report),
    "slurm": lambda data, _given, report: slurm.measure(data, report),
}

if __name__ == "__main__":
    main()
