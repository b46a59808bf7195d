"""Work of one sweep in many orgs: what goes wrong in one keeps no other waiting."""

from collections.abc import Awaitable, Callable, Generator, Iterable
from contextlib import contextmanager
from typing import TypeVar

import psycopg
import structlog

from moorage_core import unit
from moorage_core.background.driver import Sweep
from moorage_core.context import Context
from moorage_core.errors import ApiError
from moorage_core.kit import logs, metrics

T = TypeVar("T")

log = structlog.get_logger()


async def each(
    sweep: Sweep,
    found: Iterable[tuple[str, T]],
    act: Callable[[Context, str, list[T]], Awaitable[int]],
) -> int:
    """Do what was found, (org, thing) each, org by org, in one transaction for each; how much."""
    by_org: dict[str, list[T]] = {}
    for org, thing in found:
        by_org.setdefault(org, []).append(thing)
    done = 0
    for org, things in by_org.items():
        with put_off(sweep.name, org=org):
            async with unit.work(sweep.platform, org) as ctx:
                count = await act(ctx, org, things)
            done += count
    return done


@contextmanager
def put_off(name: str, **about: str) -> Generator[None]:
    """What goes wrong in the block is logged and left to the next time: whoever is next goes on."""
    try:
        yield
    except (psycopg.Error, OSError, ApiError) as err:
        log.warning("sweep.put_off", sweep=name, error=logs.named(err), **about)
    except Exception:
        metrics.SWEEP_FAILURES.labels(name).inc()
        log.exception("sweep.failed_in_part", sweep=name, **about)
