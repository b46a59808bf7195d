"""The cells of the fault matrix: which fault, at which moment of which step. Pure.

A *point* is a moment in the life of an instance that can be seen on the wire: an operation is
handed over, a step begins, something of it is asked for or told, it ends. The points come from the
record of a run that nothing disturbed; a *cell* is a point and a fault that happens there.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random


class Fault(StrEnum):
    """What goes wrong."""

    KILL_CONTROLLER = "kill -9 of the controller"
    KILL_SERVER = "kill -9 of the server"
    KILL_AGENT = "kill -9 of the agent"
    KILL_DATABASE = "kill -9 of PostgreSQL"
    CUT_CONTROLLER = "network cut between controller and platform"
    CUT_AGENT = "network cut between agent and platform"
    DUPLICATE = "a delivery comes twice"
    REORDER = "deliveries come in another order"
    TWO_CONTROLLERS = "two controllers at once"
    NEXT_RELEASE = "controller replaced by its next release"


class Moment(StrEnum):
    """When, within an operation."""

    HANDED = "handed over"
    BEGINS = "begins"
    INSIDE = "inside"
    ENDS = "ends"


@dataclass(frozen=True, order=True)
class Step:
    """A step, by names that are the same in every life. Number 0 is the phase as a whole."""

    act: str
    """The kind that was asked for: `instance.deploy`, `member.add`, …"""
    kind: str
    """The kind of the operation that the step is of: the same, or a child's."""
    member: str
    phase: str
    number: int
    name: str = ""

    def __str__(self) -> str:
        of = "" if self.kind == self.act and not self.member else f" {self.kind} {self.member}"
        name = self.name or "whole"
        return f"{self.act}{of} [{self.phase}] {self.number} {name}"


@dataclass(frozen=True)
class Point:
    """A moment of a step; for one inside, what exactly passes by (`asked 2-put`, `told 2-put`)."""

    step: Step
    moment: Moment
    what: str = ""


@dataclass(frozen=True)
class Cell:
    """What is tried: a fault, at a moment of a step."""

    fault: Fault
    step: Step
    moment: Moment

    def __str__(self) -> str:
        return f"{self.fault} · {self.step} · {self.moment}"


@dataclass(frozen=True)
class Hit:
    """A cell, and the choices that the seed made for it."""

    cell: Cell
    point: Point
    luck: float
    """From 0 to 1: whatever else there is to choose."""


Spots = dict[tuple[Step, Moment], list[Point]]
"""By step and moment: the points at which a fault can happen then. In the order of a life."""


def spots(record: Iterable[Point]) -> Spots:
    """What an undisturbed life offers."""
    found: Spots = {}
    for point in record:
        known = found.setdefault((point.step, point.moment), [])
        if point not in known:
            known.append(point)
    return found


def all_cells(offered: Spots, faults: Iterable[Fault]) -> list[Cell]:
    """Every cell there is, in the order of a life."""
    every = [*faults]
    return [Cell(fault, step, moment) for step, moment in offered for fault in every]


def choose(cells: Iterable[Cell], offered: Spots, seed: int) -> list[Hit]:
    """For each cell a point. The seed decides, whatever else is tried besides."""
    return [_choose(cell, offered[cell.step, cell.moment], seed) for cell in cells]


def _choose(cell: Cell, points: Sequence[Point], seed: int) -> Hit:
    dice = Random(f"{seed} {cell}")
    of_agents = [point for point in points if point.what.startswith("told")]
    if cell.fault in (Fault.KILL_AGENT, Fault.CUT_AGENT) and of_agents:
        points = of_agents
    return Hit(cell, dice.choice(points), dice.random())


def deal(hits: Sequence[Hit], lanes: int) -> list[list[Hit]]:
    """Deal hits out to lives, so that no point is hit twice in one life, evenly."""
    dealt: list[list[Hit]] = [[] for _ in range(lanes)]
    taken: list[set[tuple[Step, Moment]]] = [set() for _ in range(lanes)]
    for number, hit in enumerate(hits):
        spot = hit.cell.step, hit.cell.moment
        order = sorted(range(lanes), key=lambda lane: (len(dealt[lane]), (lane + number) % lanes))
        lane = next((lane for lane in order if spot not in taken[lane]), None)
        if lane is None:
            raise ValueError(f"{lanes} lives are too few for {hit.cell}.")
        dealt[lane].append(hit)
        taken[lane].add(spot)
    return dealt


def pairwise(cells: Sequence[Cell], count: int, seed: int) -> list[Cell]:
    """A sample in which pairs of kind, fault and moment come as evenly as so few cells allow."""
    dice = Random(seed)
    left, chosen = dice.sample(list(cells), len(cells)), list[Cell]()
    seen: Counter[tuple[str, str]] = Counter()
    while left and len(chosen) < count:
        best = min(left, key=lambda cell: sum(seen[pair] for pair in _pairs(cell)))
        left.remove(best)
        chosen.append(best)
        seen.update(_pairs(best))
    return chosen


def _pairs(cell: Cell) -> Iterator[tuple[str, str]]:
    kind, fault, moment = cell.step.act, str(cell.fault), str(cell.moment)
    yield from ((kind, fault), (kind, moment), (fault, moment))
    yield from (("kind", kind), ("fault", fault))
