"""Leads lives through the matrix, many at once, and holds each against one that nothing disturbed.

Faults of one life (its controllers, its agents, its roads) happen whenever it gets there. Faults of
the platform itself happen to all lives at once: each is held at its own point until all are, then
the server or PostgreSQL is killed, or time passes, once for all of them.
"""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from tests.e2e.callers import Caller
from tests.faults import cells, lane, oracle, stage
from tests.faults.cells import Cell, Fault, Hit, Point
from tests.faults.lane import LEASE, Lane
from tests.faults.life import ACTS, Life, Patient
from tests.faults.road import Lost
from tests.faults.stage import Stage

OF_ALL = (Fault.KILL_SERVER, Fault.KILL_DATABASE, Fault.TWO_CONTROLLERS)
"""What happens to every life at once."""
OF_ONE = tuple(fault for fault in Fault if fault not in OF_ALL)
GATHERED_WITHIN = 3.0
"""Seconds after the last arrival in which further lives are waited for."""
LAST = ACTS[-1][0]
TRIES = 3
"""Lives in which a cell may be met, should others have been in its way."""

Json = dict[str, Any]


@dataclass
class Together:
    """Where lives wait for a fault that happens to all of them."""

    stage: Stage
    active: int = 0
    rounds: Counter[Fault] = field(default_factory=Counter[Fault])
    _waiting: dict[int, tuple[Fault, "asyncio.Future[None]"]] = field(
        default_factory=dict[int, tuple[Fault, "asyncio.Future[None]"]]
    )
    _arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def meet(self, who: Lane, fault: Fault) -> None:
        if self.stage.broken is not None:
            raise Lost(str(self.stage.broken))
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # Two deliveries of one life can be held at once: each is told apart.
        self._waiting[id(done)] = fault, done
        self._arrived.set()
        await done

    async def run(self) -> None:
        """Let faults happen. Where one cannot, every life ends with the reason."""
        try:
            await self._run()
        except Exception as err:
            self.stage.broken = err
            for _, done in self._waiting.values():
                done.cancel()
            raise

    async def _run(self) -> None:
        """Whenever everybody is there, or nobody else comes.

        One after the other, and whoever has met its own goes on.
        """
        while True:
            await self._gather()
            wishes = {fault for fault, _ in self._waiting.values()}
            for fault in sorted(wishes):
                mine = [key for key, (wish, _) in self._waiting.items() if wish is fault]
                await asyncio.to_thread(self._happen, fault)
                self.rounds[fault] += 1
                for key in mine:
                    _, done = self._waiting.pop(key)
                    if not done.done():
                        done.set_result(None)

    async def _gather(self) -> None:
        while not self._waiting or len(self._waiting) < self.active:
            self._arrived.clear()
            try:
                async with asyncio.timeout(GATHERED_WITHIN if self._waiting else None):
                    await self._arrived.wait()
            except TimeoutError:
                return

    def left(self) -> None:
        """One life less to wait for."""
        self.active -= 1
        self._arrived.set()

    def _happen(self, fault: Fault) -> None:
        if fault is Fault.KILL_SERVER:
            self.stage.kill_server()
            self.stage.start_server()
        elif fault is Fault.KILL_DATABASE:
            self.stage.kill_database()
            self.stage.start_database()
        else:
            self.stage.move_clock(LEASE)


@dataclass
class Led:
    """What came of a life."""

    worlds: dict[str, Json] = field(default_factory=dict[str, Json])
    """By the act after which they were so."""
    record: list[Point] = field(default_factory=list[Point])
    seconds: float = 0
    wrong: list[str] = field(default_factory=list[str])


@dataclass
class Matrix:
    """A platform, lanes, and what an undisturbed life comes to."""

    stage: Stage
    lanes: list[Lane]
    together: Together
    seed: int
    calm: Led = field(default_factory=Led)
    offered: cells.Spots = field(default_factory=dict)
    run: set[Cell] = field(default_factory=set[Cell])
    wrong: list[str] = field(default_factory=list[str])
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    """By what they were spent on."""

    def record(self) -> None:
        """Lead a life that nothing disturbs."""
        self.calm = lead(self.lanes[0])
        self.offered = cells.spots(self.calm.record)

    def all_cells(self) -> list[Cell]:
        return cells.all_cells(self.offered, Fault)

    def play(self, wanted: Iterable[Cell], *, controllers: int = 1) -> None:
        """Let these cells happen, in as many lives as there are lanes, at the same time."""
        left = [*wanted]
        for _ in range(TRIES):
            hits = cells.choose(left, self.offered, self.seed)
            dealt = [some for some in cells.deal(hits, len(self.lanes)) if some]
            self._lead_all(dict(zip(self.lanes, dealt, strict=False)), controllers)
            left = [cell for cell in left if cell not in self.run]
            if not left or self.wrong:
                return

    def play_apart(self, faults: Sequence[Fault], wanted: Iterable[Cell]) -> None:
        """A life for each fault, all of its cells in it."""
        left = [*wanted]
        for _ in range(TRIES):
            hits = cells.choose(left, self.offered, self.seed)
            dealt = [[hit for hit in hits if hit.cell.fault is fault] for fault in faults]
            pairs = zip(self.lanes, [some for some in dealt if some], strict=False)
            self._lead_all(dict(pairs), 1)
            left = [cell for cell in left if cell not in self.run]
            if not left or self.wrong:
                return

    def _lead_all(self, agendas: Mapping[Lane, Sequence[Hit]], controllers: int) -> None:
        self.together.active = len(agendas)

        def one(item: tuple[Lane, Sequence[Hit]]) -> None:
            mine, hits = item
            try:
                led = lead(mine, hits, controllers=controllers, expected=self.calm)
                self.wrong += [f"lane {mine.number}: {line}" for line in led.wrong]
            except Exception as err:  # noqa: BLE001 - the other lives go on
                happened = ", ".join(map(str, mine.done[-3:]))
                self.wrong.append(f"lane {mine.number}, after {happened}: {err!r}")
            finally:
                self.run |= {*mine.done}
                self.stage.loop.call_soon_threadsafe(self.together.left)

        with ThreadPoolExecutor(len(agendas)) as threads:
            list(threads.map(one, agendas.items()))
        for mine in agendas:
            self.stage.run(mine.settle())


def lead(
    where: Lane,
    hits: Sequence[Hit] = (),
    *,
    controllers: int = 1,
    expected: Led | None = None,
) -> Led:
    """Lead a life to its end, looking at the world after each act."""
    started = time.monotonic()
    on = where.stage
    on.run(where.prepare(hits, controllers=controllers))
    lane.reset(where)
    caller = Caller(on.site.url, on.site.ca, token=on.tenant.admin.token)
    life = Life(
        Patient(caller),
        on.tenant.project,
        on.shop.app,
        where.operator.id,
        where.machines,
        pulse=where.pulse,
    )
    led, last = Led(record=where.record), Json()
    with contextlib.closing(caller.http):
        for kind, ended in life.acts(where.begin_act):
            found = oracle.world(life, ended, nodes=where.nodes, look=where.look)
            if kind != LAST:  # what an instance leaves behind is swept in its own time
                found["secrets"] = on.generations(life.id)
            led.worlds[kind] = found
            if expected is not None:
                led.wrong += _compare(kind, expected.worlds[kind], found, where)
                if led.wrong:
                    return led
            last = ended
        told = oracle.stories(life, oracle.list_events(life, last))
        led.worlds["events"] = told
        if expected is not None:
            led.wrong += _compare("events", expected.worlds["events"], told, where)
    led.seconds = time.monotonic() - started
    return led


def _compare(kind: str, expected: Json, found: Json, where: Lane) -> list[str]:
    lines = oracle.differences(expected, found)
    if not lines:
        return []
    happened = "; ".join(map(str, where.done[-6:]))
    return [f"after {kind}: {line}" for line in lines[:20]] + [f"(had happened: {happened})"]


@contextlib.contextmanager
def opened(lanes: int, seed: int) -> Generator[Matrix]:
    """A matrix on a platform of its own."""
    with stage.opened() as on:
        together = Together(on)
        running = asyncio.run_coroutine_threadsafe(together.run(), on.loop)
        made = lane.make(on, lanes, together.meet)
        try:
            yield Matrix(on, made, together, seed)
        finally:
            for each in made:
                on.run(each.close())
            running.cancel()
