"""The page for those who use a registry of their own tells the truth."""

from pathlib import Path

from moorage_core.settings import SourceSettings
from moorage_core.sources import commands, rules
from moorage_core.sources.models import STORE

PAGE = Path(__file__).parents[3] / "docs/howto/use-a-private-registry.md"


def test_the_page_names_every_failure_and_the_numbers_in_force() -> None:
    text = PAGE.read_text()
    defaults = SourceSettings()

    for failure in commands.FETCH_ERRORS:
        assert f"| `{failure.code}` |" in text
    assert f"Up to {rules.REDIRECTS} redirects" in text
    assert f"nothing for {defaults.timeout.seconds} seconds" in text
    assert f"{defaults.bytes_per_second // 1024} KiB per second" in text
    assert "a minute's grace" in text
    assert rules.GRACE == 60
    assert f"`{STORE}`" in text
