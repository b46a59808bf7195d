"""The matrix on real hosts: real kills, real cuts, and the world is the same afterwards.

A seeded sample in every run of the tests. `FAULT_SEED` repeats one; `FAULTS=all` tries every cell
there is, for `FAULT_MINUTES` at most, and writes down which were run.
"""

import math
import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import pytest

from moorage_lab import needs
from tests.faults import cells, ground, matrix
from tests.faults.cells import Cell, Hit
from tests.faults.ground import FAULTS, RealLane
from tests.faults.matrix import Led
from tests.faults.report import Report

NEEDED = [*needs.TO_RUN, *needs.TO_BUILD]
IS_POSSIBLE = os.geteuid() == 0 and all(shutil.which(program) for program in NEEDED)
REASON = "needs root, systemd-container and mmdebstrap: `make setup` as root installs them"
pytestmark = [
    pytest.mark.lab,
    pytest.mark.slow,
    pytest.mark.skipif(not IS_POSSIBLE, reason=REASON),
]

SAMPLE = 24
IN_A_LIFE = 120
TRIES = 2
"""Lives in which a cell may be met, should another have been in its way."""
SEED = int(os.environ.get("FAULT_SEED") or random.getrandbits(32))
IS_WHOLE = os.environ.get("FAULTS") == "all"
MINUTES = float(os.environ.get("FAULT_MINUTES", "60"))


@pytest.fixture(scope="module")
def lane() -> Iterator[RealLane]:
    with ground.opened() as made:
        yield made


def test_real_faults_change_nothing_in_the_end(lane: RealLane, tell: Callable[[str], None]) -> None:
    calm = matrix.lead(lane)
    offered = cells.spots(calm.record)
    total = cells.all_cells(offered, FAULTS)
    wanted = total if IS_WHOLE else sample(total)
    made = Report("lab" if IS_WHOLE else "lab-sample", SEED, total, wanted)
    made.seconds["a life that nothing disturbs"] = calm.seconds
    until = time.monotonic() + 60 * MINUTES

    for _ in range(TRIES):
        left = [cell for cell in wanted if cell not in made.run]
        for hits in lives(cells.choose(left, offered, SEED)):
            if not made.wrong and time.monotonic() < until:
                lead(lane, hits, calm, made)

    tell(f"{made.line()}: FAULT_SEED={SEED}")
    assert made.wrong == []
    assert IS_WHOLE or made.outcome == "passed"


def lead(lane: RealLane, hits: Sequence[Hit], calm: Led, made: Report) -> None:
    """One more life, in which these happen."""
    began = time.monotonic()
    try:
        made.wrong += matrix.lead(lane, hits, expected=calm).wrong
    except Exception as err:  # noqa: BLE001 - what was run before it is reported
        made.wrong.append(f"after {', '.join(map(str, lane.done[-3:]))}: {err!r}")
    made.run |= {*lane.done}
    made.seconds[f"life {len(made.seconds)}, {len(hits)} faults"] = time.monotonic() - began
    if IS_WHOLE:
        made.write()


def sample(total: Sequence[Cell]) -> list[Cell]:
    """No two at the same moment of the same step: they can all happen in one life."""
    chosen: list[Cell] = []
    taken: set[tuple[object, object]] = set()
    for cell in cells.pairwise(total, len(total) // 4, SEED):
        if len(chosen) < SAMPLE and (cell.step, cell.moment) not in taken:
            taken.add((cell.step, cell.moment))
            chosen.append(cell)
    return chosen


def lives(hits: Sequence[Hit]) -> list[list[Hit]]:
    """As few lives as bear it: one fault at each moment of a step, and not too many in all."""
    spots = Counter((hit.cell.step, hit.cell.moment) for hit in hits)
    mixed = random.Random(SEED).sample(hits, len(hits))
    return cells.deal(mixed, max(*spots.values(), math.ceil(len(hits) / IN_A_LIFE)) if hits else 0)
