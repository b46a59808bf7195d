"""Running a world: once, with a dead replica at every point, with a cancel at every point."""

import asyncio
import copy
from collections.abc import Iterator

from moorage.controller.app import App
from moorage.controller.watching import Published, WatchedInstance
from moorage.testing import checks
from moorage.testing.holds import SimulatedWatch
from moorage.testing.platform import Platform
from moorage.testing.script import Script
from moorage.testing.worlds import ImpossibleWorld, World


def run(app: App, world: World, *, seconds: float = 0) -> World:
    """The world after the app has done what was asked for. The one that came in stays as it was.

    Args:
        seconds: How much time passes for what waits. With none, everything that waits still does.

    Raises:
        ImpossibleWorld: the platform could not produce this.
    """
    return _run(app, world, Script(), seconds=seconds)


def look(app: App, world: World) -> World:
    """The world after the app has looked at the instance once."""
    after = _copy(app, world)
    if app.watcher is None:
        raise ValueError("The app has no function that looks at instances.")
    instance = Platform(app, after, Script()).instance()
    views: dict[str, Published] = {}
    watch = SimulatedWatch(after, app.manifest)
    watched = WatchedInstance.over(
        instance, watch, app.manifest, views=views, told=set(), generation=1
    )

    async def once() -> None:
        assert app.watcher is not None
        observed = await app.watcher.look(watched)
        await watch.observe(observed)

    asyncio.run(once())
    return after


def every_crash(app: App, world: World, *, seconds: float = 0) -> Iterator[World]:
    """The world after each of the ways in which the replica can die once and be replaced.

    It dies before, and after, everything that it says to the platform or has a machine do.
    """
    yield from _struck(app, world, "kill", seconds)


def every_cancel(app: App, world: World, *, seconds: float = 0) -> Iterator[World]:
    """The world after each of the moments at which somebody can cancel what is being done."""
    yield from _struck(app, world, "cancel", seconds)


def _struck(app: App, world: World, what: str, seconds: float) -> Iterator[World]:
    calm = Script()
    _run(app, world, calm, seconds=seconds)
    for at in range(calm.events):
        for after_effect in (False, True):
            script = Script("kill" if what == "kill" else "cancel", at, after_effect)
            yield _run(app, world, script, seconds=seconds)


def _run(app: App, world: World, script: Script, *, seconds: float) -> World:
    after = _copy(app, world)
    asyncio.run(Platform(app, after, script).run(seconds))
    return after


def _copy(app: App, world: World) -> World:
    checks.check(world, app.manifest)
    return copy.deepcopy(world)


__all__ = ["ImpossibleWorld", "every_cancel", "every_crash", "look", "run"]
