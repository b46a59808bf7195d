"""What tests have measured reaches whoever reads."""

from collections.abc import Callable

import pytest

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
