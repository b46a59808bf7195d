"""The passes, in order."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from moorage_conformance.checks import (
    boundary,
    cancelled,
    conduct,
    crashed,
    drains,
    faulty,
    handed_over,
    undisturbed,
    unreliable,
)
from moorage_conformance.judging import Check, Judge
from moorage_conformance.stage import Stage
from moorage_conformance.world import World


@dataclass
class Memory:
    """What later passes are held against."""

    worlds: dict[str, World] = field(default_factory=dict[str, World])
    """The world after each act of the undisturbed life."""
    steps: dict[str, int] = field(default_factory=dict[str, int])
    """How many steps each act of it took."""


Live = Callable[[Stage, Judge, Memory], Awaitable[None]]


@dataclass(frozen=True)
class Pass:
    """One way through an app's life, and what it shows."""

    name: str
    checks: Sequence[Check]
    live: Live
    needed: bool = False
    """Whether others are held against it, so that it is never left out."""


def _against(live: Callable[[Stage, Judge, Mapping[str, World]], Awaitable[None]]) -> Live:
    """A life that is held against the undisturbed one."""
    return lambda stage, judge, memory: live(stage, judge, memory.worlds)


async def _undisturbed(stage: Stage, judge: Judge, memory: Memory) -> None:
    await undisturbed.live(stage, judge, memory.worlds, memory.steps)


async def _cancelled(stage: Stage, judge: Judge, memory: Memory) -> None:
    await cancelled.live(stage, judge, memory.steps)


async def _boundary(stage: Stage, judge: Judge, memory: Memory) -> None:
    await boundary.live(stage, judge)


async def _faulty(stage: Stage, judge: Judge, memory: Memory) -> None:
    await faulty.live(stage, judge)


async def _conduct(stage: Stage, judge: Judge, memory: Memory) -> None:
    bounds = conduct.Bounds(stage.plan.manifest.slug, stage.app.account, stage.inside.strayed())
    conduct.review(stage.road.exchanges, judge, bounds)


EVERY: tuple[Pass, ...] = (
    Pass("undisturbed", undisturbed.CHECKS, _undisturbed, needed=True),
    Pass("crashed", crashed.CHECKS, _against(crashed.live)),
    Pass("cancelled", cancelled.CHECKS, _cancelled),
    Pass("lost answers", (unreliable.LOST,), _against(unreliable.lose)),
    Pass("unknown fields", (unreliable.ADDED,), _against(unreliable.add)),
    Pass("handed over", handed_over.CHECKS, _against(handed_over.live)),
    Pass("busy", drains.CHECKS, _against(drains.live)),
    Pass("faulty machine", faulty.CHECKS, _faulty),
    Pass("boundary", boundary.CHECKS, _boundary),
    Pass("conduct", conduct.CHECKS, _conduct),
)


def is_wanted(each: Pass, only: frozenset[str]) -> bool:
    return each.needed or not only or any(check.rule in only for check in each.checks)
