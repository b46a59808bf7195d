"""Links between pages lead somewhere."""

import re
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
FOLDERS = (
    *(
        "agent",
        "apps",
        "bench",
        "cli",
        "conformance",
        "contract",
        "core",
        "docs",
        "lab",
        "manifest",
    ),
    *("sdk", "tests"),
)
PAGES = [
    *REPO.glob("*.md"),
    *(page for folder in FOLDERS for page in (REPO / folder).rglob("*.md")),
]
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if "node_modules" not in page.parts],
    ids=lambda page: str(page.relative_to(REPO)),
)
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    broken = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]

    assert broken == []
