"""Runbooks name what the platform says, and the reference of errors leads to them."""

import functools
import re
from pathlib import Path

import pytest

from tools import gen_pages

REPO = Path(__file__).parents[2]
RUNBOOKS = sorted(path for path in (REPO / "docs/runbooks").glob("*.md") if path.stem != "README")
SOURCES = ("core/src", "sdk/src", "agent/src")
LITERAL = re.compile(r"[\"']([a-z][a-z0-9_]+)\b")


@functools.cache
def said() -> frozenset[str]:
    """Every word that stands in the code as a text: codes, states and names of fields are among."""
    files = (path for folder in SOURCES for path in (REPO / folder).rglob("*.py"))
    return frozenset(word for path in files for word in LITERAL.findall(path.read_text("utf-8")))


@pytest.mark.parametrize("page", RUNBOOKS, ids=lambda page: page.stem)
def test_a_runbook_is_about_codes_and_states_that_there_are(page: Path) -> None:
    told = {code for code, _ in gen_pages.explained(page.parent) if f"`{code}`" in page.read_text()}

    assert told - said() == set()


@pytest.mark.parametrize("page", RUNBOOKS, ids=lambda page: page.stem)
def test_a_runbook_has_a_command_to_type(page: Path) -> None:
    assert "\n$ moor " in page.read_text()


def test_the_reference_of_errors_leads_to_runbooks() -> None:
    page = (REPO / "docs/reference/errors.md").read_text()

    assert "| [Somebody else changed it](../runbooks/changed-meanwhile.md) |" in page
    assert page.count("](../runbooks/") > 30
