"""What tests have measured reaches whoever reads."""

import pytest

TOLD = "told"
"""A property whose value is printed at the end, whether or not the test passed."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == TOLD and report.when == "call":
                    terminalreporter.write_line(str(value))
