"""Work of one sweep in many orgs: what goes wrong in one keeps no other waiting."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

import psycopg
import structlog

from moorage_core import unit
from moorage_core.background.driver import Sweep
from moorage_core.context import Context
from moorage_core.errors import ApiError
from moorage_core.kit import metrics

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
        try:
            async with unit.work(sweep.platform, org) as ctx:
                count = await act(ctx, org, things)
            done += count
        except (psycopg.Error, OSError, ApiError) as err:
            log.warning("sweep.org_put_off", sweep=sweep.name, org=org, error=str(err))
        except Exception:
            metrics.SWEEP_FAILURES.labels(sweep.name).inc()
            log.exception("sweep.org_failed", sweep=sweep.name, org=org)
    return done
