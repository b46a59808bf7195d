"""How tests are dealt to processes, and how what they have measured reaches whoever reads."""

import pytest

TOLD = "told"
"""A property whose value is printed at the end, whether or not the test passed."""


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs the lab is one group, since there is one lab; everything else goes by its file."""
    for item in items:
        group = "lab" if item.get_closest_marker("lab") else item.nodeid.partition("::")[0]
        item.add_marker(pytest.mark.xdist_group(group))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == TOLD and report.when == "call":
                    terminalreporter.write_line(str(value))
