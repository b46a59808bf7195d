"""A run: the stage is set up, the passes go over it, and nothing is left behind."""

import contextlib
import secrets
import tempfile
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from moorage import ApiError, Client, Unauthenticated
from moorage_conformance import hosts, machines, namespace, publishing, road, tenant
from moorage_conformance.checks import passes
from moorage_conformance.checks.passes import Pass
from moorage_conformance.findings import Broken, CannotRun, Finding
from moorage_conformance.judging import Judge
from moorage_conformance.plan import Plan
from moorage_conformance.stage import DOORS, Stage
from moorage_conformance.tenant import Tenant


@dataclass(frozen=True)
class Wish:
    """What to run, where, and on which machines."""

    plan: Plan
    client: Client
    ca: str | Path | None = None
    """The authority to trust: a file, or its text."""
    project: str | None = None
    """Left out: a tenant of the kit's own."""
    allocations: Sequence[str] = ()
    """Left out: as many as the app takes, asked for by region and SKU."""
    region: str | None = None
    sku: str | None = None
    only: frozenset[str] = frozenset()
    """Rules; left out: all of them."""
    passes: frozenset[str] | None = None
    """Ways through the app's life, by name; left out: all that the rules need."""
    crashes: int | None = None
    """How often the controller dies in one operation at most; left out: at every call."""
    cancels: int | None = None
    """How often one operation is cancelled at most; left out: at every step."""
    name: str | None = None
    """What the versions of the run are called by; left out: a name that no other run has."""
    log: Path | None = None
    """Where to keep what the controllers write."""
    acts: frozenset[str] | None = None
    """A part of the life between its beginning and its end; left out: all of it."""


async def run(wish: Wish, tell: Callable[[Finding], None]) -> list[Finding]:
    """Judge an app. Each finding is told as it comes.

    Raises:
        CannotRun: the app cannot be judged here.
    """
    findings: list[Finding] = []

    def found(finding: Finding) -> None:
        if not wish.only or finding.rule in wish.only:
            findings.append(finding)
            tell(finding)

    async with _staged(wish) as stage:
        memory = passes.Memory()
        for each in passes.EVERY:
            if not _is_wanted(each, wish):
                continue
            judge, why_not = Judge(each.checks), "Nothing in the app's life showed it."
            try:
                await each.live(stage, judge, memory)
            except Unauthenticated as err:
                raise CannotRun(f"The kit itself is signed out: {err}") from err
            except (Broken, ApiError) as err:
                why_not = f"The pass ended before: {err}"
                judge.give_up(err)
            for finding in judge.findings(why_not):
                found(finding)
    return findings


def _is_wanted(each: Pass, wish: Wish) -> bool:
    chosen = wish.passes is None or each.name in wish.passes
    return chosen and passes.is_wanted(each, wish.only)


@contextlib.asynccontextmanager
async def _staged(wish: Wish) -> AsyncGenerator[Stage]:
    """Everything in place; taken away again however the block ends."""
    name = wish.name or f"k{secrets.token_hex(3)}"
    async with contextlib.AsyncExitStack() as stack:
        enter = stack.enter_async_context
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="conformance-")))
        ca = as_file(wish.ca, place)
        doors = [place / f"door-{number}" for number in range(DOORS)]
        inside = await enter(namespace.opened(doors))
        passed = await enter(road.opened(wish.client.url, ca=ca, doors=doors))
        if wish.project is None:
            where = await enter(tenant.own(wish.client, ca=ca))
        else:
            where = Tenant(wish.project, wish.client)
        held = [*wish.allocations]
        if held:
            await machines.check(where, held)
        else:
            needed = wish.plan.machines
            held = await enter(machines.held(where, needed, region=wish.region, sku=wish.sku))
        seen = await enter(hosts.opened(where, held, wish.plan.said.traces))
        app = await enter(publishing.published(wish.plan, where, run=name, place=place))
        operator = await enter(Client(wish.client.url, auth=app.auth(), ca=ca))
        yield Stage(
            plan=wish.plan,
            tenant=where,
            app=app,
            operator=operator,
            hosts=seen,
            road=passed,
            inside=inside,
            log=wish.log or place / "controller.log",
            crashes=wish.crashes,
            cancels=wish.cancels,
            ca=None if ca is None else str(ca),
            acts=wish.acts,
        )


def as_file(ca: str | Path | None, place: Path) -> Path | None:
    """The authority as a file, which programs want. A profile of `moor` keeps it as text."""
    if isinstance(ca, str) and ca.lstrip().startswith("-----BEGIN"):
        kept = place / "authority.pem"
        kept.write_text(ca)
        return kept
    return None if ca is None else Path(ca)
