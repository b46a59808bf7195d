"""Simulated hosts that run echo: the app's own program, on files and units of the simulation."""

import asyncio
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from moorage_echo import cluster
from moorage_echo.simulated import Network, Seat
from moorage_lab.simulated import Agent, Crowd, Host, Ran
from moorage_lab.simulated.http1 import Server
from tests.e2e.callers import Caller, wait_until
from tests.e2e.site import Site
from tests.e2e.world import REGION, SKU


@contextmanager
def hosts(
    site: Site, admin: Caller, count: int, *, versions: Sequence[str] = ("0.1.0", "0.2.0")
) -> Generator[list[Host]]:
    """So many hosts, each a node of the platform, in a thread of their own.

    They know the program of echo in these versions.
    """
    network = Network(versions=versions)
    made = [_host(network, number) for number in range(1, count + 1)]
    tokens = _announce(admin, made)
    with _thread(site, made, tokens):
        wait_until(lambda: _available(admin) >= count)
        yield made


def _host(network: Network, number: int) -> Host:
    def program(host: Host, argv: Sequence[str], stdin: str) -> Ran | None:
        ended = network.command(host.address, argv, stdin)
        return None if ended is None else Ran(*ended)

    host = Host(f"sim-{number}", f"192.0.2.{number}", program=program)
    network.add(
        Seat(
            host.address,
            read=host.files.get,
            write=host.files.__setitem__,
            starts=lambda: host.starts(cluster.UNIT),
        )
    )
    return host


def _announce(admin: Caller, made: Sequence[Host]) -> list[str]:
    place = {"region": REGION, "sku": SKU}
    nodes = [{"name": host.name, "address": host.address} | place for host in made]
    items = admin.post("/v1/node-batches", {"nodes": nodes})["items"]
    return [item["enrolment"]["token"] for item in items]


def _available(admin: Caller) -> int:
    return len(admin.get("/v1/nodes?status=available&limit=200")["items"])


@contextmanager
def _thread(site: Site, made: Sequence[Host], tokens: Sequence[str]) -> Generator[None]:
    """Agents live in an event loop, tests do not."""
    loop, stop = asyncio.new_event_loop(), asyncio.Event()

    async def live() -> None:
        async with Crowd(Server(site.url), []) as crowd:
            for host, token in zip(made, tokens, strict=True):
                script = host.play
                crowd.join(Agent(Server(site.url), token=token, hostname=host.name, script=script))
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(live()))
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
