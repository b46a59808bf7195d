"""Every kind of operation, at every step, under every fault: it ends as if nothing had happened.

The steps come from the record of a life that nothing disturbed, the kinds from the contract. Cells
of the matrix are met once, on simulated hosts; at which of the points inside a step, before the
platform has heard or after, the seed decides. Each run of the tests meets a twentieth of the cells,
as many of every fault, by its seed; `make test-faults` meets all of them and writes a report.
"""

import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import pytest

from tests.faults import cells, matrix
from tests.faults.cells import Cell, Fault, Moment
from tests.faults.life import ACTS, KINDS
from tests.faults.matrix import OF_ALL, OF_ONE, Matrix
from tests.faults.report import Report

pytestmark = pytest.mark.slow

LANES = 8
"""Lives that are led at the same time."""
SEED = int(os.environ.get("FAULT_SEED") or random.SystemRandom().randrange(1 << 32))
"""FAULT_SEED: the seed of a run that is to be repeated."""
IS_WHOLE = os.environ.get("FAULTS") == "all"
SHARE = 20
"""Of so many cells one is met, unless all are."""


@pytest.fixture(scope="module")
def whole() -> Iterator[Matrix]:
    with matrix.opened(LANES, SEED) as made:
        made.record()
        yield made
        if IS_WHOLE:
            every = made.all_cells()
            Report("simulated", SEED, every, every, made.run, made.wrong, made.seconds).write()


def test_a_life_has_every_kind_of_operation_there_is() -> None:
    assert {kind for kind, _ in ACTS} == KINDS


def test_every_step_of_a_life_can_be_met_when_it_begins_inside_and_when_it_ends(
    whole: Matrix,
) -> None:
    moments: dict[object, set[Moment]] = {}
    for step, moment in whole.offered:
        if step.number:
            moments.setdefault(step, set()).add(moment)

    lacking = {str(s): m for s, m in moments.items() if len(m) < 3}
    assert lacking == {}
    assert {step.act for step, _ in whole.offered} == KINDS


def test_two_lives_that_nothing_disturbs_are_alike(whole: Matrix) -> None:
    again = matrix.lead(whole.lanes[1], expected=whole.calm)

    assert again.wrong == []


def test_faults_of_one_life_change_nothing(whole: Matrix, tell: Callable[[str], None]) -> None:
    total, wanted = _cells(whole, OF_ONE)

    started = time.monotonic()
    whole.play_apart(OF_ONE, wanted)

    tell(_tell(whole, "one life", total, started))
    _judge(whole, wanted)


def test_faults_of_the_platform_change_nothing(whole: Matrix, tell: Callable[[str], None]) -> None:
    total, wanted = _cells(whole, OF_ALL)

    started = time.monotonic()
    whole.play(wanted, controllers=2)

    tell(_tell(whole, "the platform", total, started))
    _judge(whole, wanted)


def _cells(whole: Matrix, faults: Sequence[Fault]) -> tuple[list[Cell], list[Cell]]:
    """Every cell of these faults, and those that this run meets. In the order of a life."""
    total = [cell for cell in whole.all_cells() if cell.fault in faults]
    if IS_WHOLE:
        return total, total
    chosen: set[Cell] = set()
    for fault in faults:
        of_it = [cell for cell in total if cell.fault is fault]
        chosen |= {*cells.pairwise(of_it, len(of_it) // SHARE, whole.seed)}
    return total, [cell for cell in total if cell in chosen]


def _tell(whole: Matrix, of: str, total: list[Cell], started: float) -> str:
    """What was tried."""
    met = [cell for cell in total if cell in whole.run]
    counts = Counter(cell.fault for cell in met)
    each = ", ".join(f"{fault}: {counts[fault]}" for fault in Fault if counts[fault])
    seconds = whole.seconds[f"faults of {of}"] = time.monotonic() - started
    return (
        f"fault matrix: {len(met)} of {len(total)} cells run in {seconds:.0f} s,"
        f" {len(whole.wrong)} differences, FAULT_SEED={whole.seed} ({each})"
    )


def _judge(whole: Matrix, wanted: list[Cell]) -> None:
    """What went wrong, and what was never met, is a failure."""
    assert whole.wrong == [], "\n".join(whole.wrong)
    assert [str(cell) for cell in wanted if cell not in whole.run] == []
