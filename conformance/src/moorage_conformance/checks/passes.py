"""The passes, in order."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from moorage_conformance.checks import (
    cancelled,
    conduct,
    crashed,
    drains,
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


@dataclass(frozen=True)
class Pass:
    """One way through an app's life, and what it shows."""

    name: str
    checks: Sequence[Check]
    live: Callable[[Stage, Judge, Memory], Awaitable[None]]
    needed: bool = False
    """Whether others are held against it, so that it is never left out."""


async def _undisturbed(stage: Stage, judge: Judge, memory: Memory) -> None:
    memory.worlds = await undisturbed.live(stage, judge)


async def _crashed(stage: Stage, judge: Judge, memory: Memory) -> None:
    await crashed.live(stage, judge, memory.worlds)


async def _cancelled(stage: Stage, judge: Judge, memory: Memory) -> None:
    await cancelled.live(stage, judge, memory.worlds)


async def _lost(stage: Stage, judge: Judge, memory: Memory) -> None:
    await unreliable.lose(stage, judge, memory.worlds)


async def _added(stage: Stage, judge: Judge, memory: Memory) -> None:
    await unreliable.add(stage, judge, memory.worlds)


async def _handed_over(stage: Stage, judge: Judge, memory: Memory) -> None:
    await handed_over.live(stage, judge, memory.worlds)


async def _drained(stage: Stage, judge: Judge, memory: Memory) -> None:
    await drains.live(stage, judge, memory.worlds)


async def _conduct(stage: Stage, judge: Judge, memory: Memory) -> None:
    bounds = conduct.Bounds(stage.plan.manifest.slug, stage.app.account, stage.inside.strayed())
    conduct.review(stage.road.exchanges, judge, bounds)


EVERY: tuple[Pass, ...] = (
    Pass("undisturbed", undisturbed.CHECKS, _undisturbed, needed=True),
    Pass("crashed", crashed.CHECKS, _crashed),
    Pass("cancelled", cancelled.CHECKS, _cancelled),
    Pass("lost answers", (unreliable.LOST,), _lost),
    Pass("unknown fields", (unreliable.ADDED,), _added),
    Pass("handed over", handed_over.CHECKS, _handed_over),
    Pass("busy", drains.CHECKS, _drained),
    Pass("conduct", conduct.CHECKS, _conduct),
)


def is_wanted(each: Pass, only: frozenset[str]) -> bool:
    return each.needed or not only or any(check.rule in only for check in each.checks)
