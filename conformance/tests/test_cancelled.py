"""Where an operation is cancelled. Pure."""

from moorage_conformance.checks.cancelled import NEVER, places


def test_everything_is_cancelled_at_every_step() -> None:
    assert [*places(3, most=None)][:4] == [0, 1, 2, 3]


def test_somebody_in_a_hurry_has_the_last_step_and_some_before_it_tried() -> None:
    assert places(12, most=3) == [3, 7, 11, NEVER]


def test_what_has_fewer_steps_than_that_is_cancelled_at_each() -> None:
    assert places(2, most=5) == [0, 1, NEVER]


def test_what_takes_no_steps_is_let_through() -> None:
    assert places(0, most=5) == [NEVER]
