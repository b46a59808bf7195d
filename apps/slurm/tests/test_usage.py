"""What was used: counted once, whatever is said twice or late."""

from typing import Any

import pytest

from moorage_slurm.onhost import usage

NOW = 1_794_820_000.0
"""2026-11-16T09:06:40."""
EMPTY: dict[str, Any] = {"until": 0, "seen": {}, "users": {}, "hours": {}}
LOOKED = EMPTY | {"until": int(NOW) - 8}


def ended(key: str, *, ago: int = 1, cpu: int = 10, account: str = "prj_1") -> dict[str, Any]:
    end = int(NOW) - ago
    return {"key": key, "user": "ada", "account": account, "end": end, "cpu": cpu, "gpu": 0}


def test_what_ended_is_added_to_its_user_and_to_the_hour() -> None:
    after = usage.add(LOOKED, [ended("1"), ended("2")], now=NOW, heard_all=True)

    assert after["users"] == {"ada|prj_1": [2, 20, 0]}
    assert after["hours"] == {"2026-11-16T09": [20, 0]}


def test_a_row_that_is_seen_again_counts_once() -> None:
    once = usage.add(LOOKED, [ended("1")], now=NOW, heard_all=True)

    twice = usage.add(once, [ended("1")], now=NOW + 8, heard_all=True)

    assert twice["users"] == once["users"]
    assert twice["hours"] == once["hours"]


def test_a_row_that_comes_late_counts_for_an_hour_that_nobody_has_reported() -> None:
    after = usage.add(LOOKED, [ended("1", ago=3 * 3600)], now=NOW, heard_all=True)

    assert after["hours"] == {"2026-11-16T09": [10, 0]}


def test_counted_anew_a_row_counts_for_the_hour_in_which_it_ended() -> None:
    after = usage.add(EMPTY, [ended("1", ago=3 * 3600)], now=NOW, heard_all=True)

    assert after["hours"] == {"2026-11-16T06": [10, 0]}


def test_while_the_books_lag_behind_the_next_look_goes_back_as_far() -> None:
    after = usage.add(LOOKED, [ended("1")], now=NOW, heard_all=False)

    assert after["until"] == LOOKED["until"]


def test_what_can_be_seen_again_is_remembered_and_nothing_older() -> None:
    before = LOOKED | {"seen": {"old": int(NOW) - 10_000}}

    after = usage.add(before, [ended("new", ago=usage.OVERLAP)], now=NOW, heard_all=True)

    assert [*after["seen"]] == ["new"]


def test_nobody_pays_for_the_jobs_of_the_platform() -> None:
    after = usage.add(LOOKED, [ended("1", account="root")], now=NOW, heard_all=True)

    assert after["hours"] == {}


def test_hours_are_kept_for_a_controller_that_was_away() -> None:
    hours = {"2026-10-01T00": [1, 0], "2026-10-20T00": [2, 0]}

    after = usage.add(LOOKED | {"hours": hours}, [], now=NOW, heard_all=True)

    assert [*after["hours"]] == ["2026-10-20T00"]


def test_a_line_of_accounting_is_a_row() -> None:
    line = (
        "42|ada|prj_1|2026-11-16T09:06:39|120|60|billing=2,cpu=2,gres/gpu:h200=2,gres/gpu=2,node=1"
    )

    assert usage.row(line) == {
        "key": "42 2026-11-16T09:06:39",
        "user": "ada",
        "account": "prj_1",
        "end": int(NOW) - 1,
        "cpu": 120,
        "gpu": 120,
    }


def test_a_job_without_an_end_is_no_row() -> None:
    assert usage.row("42|ada|prj_1|Unknown|0|0|") is None


@pytest.mark.parametrize(("tres", "count"), [("", 0), ("cpu=1,node=1", 0), ("gres/gpu=8", 8)])
def test_gpus_are_counted_whatever_their_kind(tres: str, count: int) -> None:
    assert usage.gpus(tres) == count
