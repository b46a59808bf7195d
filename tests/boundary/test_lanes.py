"""Every test is in one lane of `make test`, and is looked for where it is."""

from pathlib import Path

import pytest

from tools import lanes

NAMES = [lane.name for lane in lanes.LANES]


def lane(name: str) -> lanes.Lane:
    return next(each for each in lanes.LANES if each.name == name)


@pytest.mark.parametrize(
    ("marks", "path", "strays"),
    [
        ({"lab"}, "lab/tests/test_hosts.py", []),
        ({"lab"}, "cli/tests/test_new.py", ["hosts"]),
        ({"lab", "slurm"}, "tests/slurm/life/test_new.py", []),
        ({"lab", "slurm"}, "tests/slurm/test_changing.py", []),
        ({"lab", "slurm"}, "tests/slurm/test_new.py", ["lives", "changes"]),
        ({"lab", "slurm", "kit"}, "tests/slurm/test_conformance.py", []),
        ({"lab", "browser"}, "tests/e2e/test_new.py", ["browser"]),
        ({"slow"}, "cli/tests/test_new.py", []),
    ],
)
def test_a_test_where_no_lane_looks_is_told(marks: set[str], path: str, strays: list[str]) -> None:
    assert lanes.strays(frozenset(marks), Path(path)) == strays


def test_a_lane_reads_its_folders_unless_others_are_named() -> None:
    words = lanes.command(lane("browser"), ["-x"])

    assert words is not None
    assert words[-2:] == ["tests/console", "-x"]


@pytest.mark.parametrize(
    ("name", "named", "found"),
    [
        ("browser", "tests/e2e/test_echo.py::test_it", []),
        ("hosts", "tests/e2e/test_echo.py::test_it", ["tests/e2e/test_echo.py::test_it"]),
        ("lives", "tests/slurm/life/test_health.py", ["tests/slurm/life/test_health.py"]),
        ("changes", "tests/slurm/life/test_health.py", []),
        ("hosts", "tests", ["tests/e2e", "tests/faults"]),
        ("plain", "tests", ["tests"]),
    ],
)
def test_what_is_named_is_read_by_those_whose_it_is(
    name: str, named: str, found: list[str]
) -> None:
    assert lane(name).of([named]) == found


def test_a_lane_of_which_nothing_was_named_does_not_run() -> None:
    assert lanes.command(lane("browser"), ["tests/e2e", "-x"]) is None


def test_no_test_is_in_two_lanes() -> None:
    shared = [
        (one.name, other.name)
        for one in lanes.LANES
        for other in lanes.LANES
        if one is not other and one.mark and one.mark == other.mark
        if any(other.looks_at(Path(each)) for each in one.folders)
    ]

    assert shared == []


def test_a_lane_that_comes_after_another_waits_for_one_before_it() -> None:
    waits = [(each.after, each.name) for each in lanes.LANES if each.after]

    assert all(NAMES.index(first) < NAMES.index(then) for first, then in waits)
