"""Measures the control plane; results in bench/results/, one file for each part.

    make bench                      everything
    make bench ARGS="--seconds 5"   shorter runs
    make bench ARGS="--only machines"

Ratios are taken in one run on one machine: the bare rate before and after the API's, so that a
machine that slows down in between slows both. Absolute numbers say little about another machine.
"""

import argparse
import asyncio
import functools
import itertools
import json
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import bare, catalog, load, machines
from bench.platform import CLIENTS, PORT, WORKERS, server, tenant
from moorage_core.embedded import folder, postgres

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--only", choices=PARTS)
    given = parser.parse_args()
    seconds = given.seconds
    for name in [given.only] if given.only else PARTS:
        results: list[dict[str, Any]] = []
        with tempfile.TemporaryDirectory(prefix="moorage-bench-") as place:
            Path(place).chmod(0o711)
            reporting = functools.partial(report, results, seconds)
            PARTS[name](Path(place) / "data", seconds, reporting)
        target = ROOT / f"bench/results/{name}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(results, indent=2) + "\n")


def report(
    results: list[dict[str, Any]],
    seconds: float,
    name: str,
    value: float,
    unit: str,
    aim: str = "",
    met: bool | None = None,
) -> None:
    verdict = {True: "met", False: "MISSED", None: ""}[met]
    print(f"{name:45} {value:10.3f} {unit:8} {aim:10} {verdict}", flush=True)
    figure = {"name": name, "value": round(value, 3), "unit": unit, "aim": aim, "met": met}
    results.append(figure | {"command": f"make bench ARGS='--seconds {seconds:g}'"})


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


PARTS = {"spine": measure_spine, "catalog": catalog.measure, "machines": machines.measure}

if __name__ == "__main__":
    main()
