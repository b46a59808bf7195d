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
        ({"lab", "slurm"}, "tests/slurm/test_new.py", []),
        ({"lab", "browser"}, "tests/e2e/test_new.py", ["browser"]),
        ({"slow"}, "cli/tests/test_new.py", []),
    ],
)
def test_a_test_where_no_lane_looks_is_told(marks: set[str], path: str, strays: list[str]) -> None:
    found = [each.name for each in lanes.LANES if each.misses(frozenset(marks), Path(path))]

    assert found == strays


def test_a_lane_reads_its_folders_unless_others_are_named() -> None:
    browser = lane("browser")

    assert lanes.command(browser, ["-x"])[-2:] == ["tests/console", "-x"]
    assert "tests/console" not in lanes.command(browser, ["tests/e2e/test_echo.py::test_it"])


def test_a_lane_that_comes_after_another_waits_for_one_before_it() -> None:
    waits = [(each.after, each.name) for each in lanes.LANES if each.after]

    assert all(NAMES.index(first) < NAMES.index(then) for first, then in waits)
