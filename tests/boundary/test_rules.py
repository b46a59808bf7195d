"""Every rule of the contract is carried by a test, and every such test by a rule."""

import re
from pathlib import Path

REPO = Path(__file__).parents[2]
PAGES = [page for page in (REPO / "contract/rules").glob("*.md") if page.name != "README.md"]
FOLDERS = ("*/tests", "apps/*/tests", "apps/fixtures/*/tests", "tests")
ROW = re.compile(r"^\| ([A-Z]{2}-\d+) \| (?:MUST|SHOULD|MAY) \| ", re.MULTILINE)
HEADING = re.compile(r"^## ([A-Z]{2}-\d+) ", re.MULTILINE)
CARRIED = re.compile(r"pytest\.mark\.rule\(([^)]*)\)")


def test_every_rule_in_a_table_has_its_paragraph() -> None:
    for page in PAGES:
        text = page.read_text()
        assert ROW.findall(text) == HEADING.findall(text), page.name


def test_rules_and_tests_name_each_other() -> None:
    rules = {rule for page in PAGES for rule in ROW.findall(page.read_text())}

    carried = {
        rule
        for folder in FOLDERS
        for module in REPO.glob(f"{folder}/**/test_*.py")
        for arguments in CARRIED.findall(module.read_text())
        for rule in re.findall(r"[A-Z]{2}-\d+", arguments)
    }

    assert rules - carried == set(), "a rule that no test carries"
    assert carried - rules == set(), "a test that carries no rule of contract/rules"
