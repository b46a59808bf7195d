"""What tests have measured reaches whoever reads. None is outside of all lanes; slow ones begin."""

from collections.abc import Callable

import pytest

from tools import lanes

TOLD = "told"
Tell = Callable[[str], None]


@pytest.fixture
def tell(record_property: Callable[[str, object], None]) -> Tell:
    """Takes a line that is printed at the end of all tests, whether or not this one passed."""
    return lambda line: record_property(TOLD, line)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == TOLD and report.when == "call":
                    terminalreporter.write_line(str(value))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A test with the marks of a lane is where that lane looks for it; what takes long is first."""
    for item in items:
        marks = frozenset(mark.name for mark in item.iter_markers())
        path = item.path.relative_to(config.rootpath)
        if strays := lanes.strays(marks, path):
            where = f"the lane {strays[0]}, which does not look there: see tools/lanes.py"
            raise pytest.UsageError(f"{item.nodeid} is of {where}")
    # Otherwise one process is at them at the end, and the others have nothing left to do.
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
