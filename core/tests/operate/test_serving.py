"""How long the supervisor bears with workers that die."""

import pytest

from moorage_core.operate import serving


def test_a_worker_that_died_is_replaced_at_once_and_each_further_one_later() -> None:
    deaths = [100.0]
    pauses: list[float | None] = []
    for _ in range(8):
        pauses.append(serving.patience(deaths, now=deaths[-1]))
        deaths.append(deaths[-1] + 0.5)

    assert pauses == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]


@pytest.mark.parametrize("apart", [0.0, 0.1, 4.0])
def test_fifteen_deaths_within_a_minute_are_the_end_whoever_died(apart: float) -> None:
    deaths = [100 + apart * number for number in range(15)]

    assert serving.patience(deaths[:14], now=deaths[13]) is not None
    assert serving.patience(deaths, now=deaths[14]) is None


def test_deaths_that_lie_far_back_do_not_count() -> None:
    deaths = [100.0 + 10 * number for number in range(20)]

    assert serving.patience(deaths, now=deaths[-1]) is not None
