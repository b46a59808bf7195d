"""Every rule of the contract is carried by a test, and every such test by a rule.

The checks of the conformance kit are tests of apps; each is proved by an app that fails it.
"""

import re
from pathlib import Path

from moorage_conformance.checks import passes

REPO = Path(__file__).parents[2]
PAGES = [page for page in (REPO / "contract/rules").glob("*.md") if page.name != "README.md"]
FOLDERS = ("*/tests", "apps/*/tests", "apps/fixtures/*/tests", "tests")
ROW = re.compile(r"^\| ([A-Z]{2}-\d+) \| (?:MUST|SHOULD|MAY) \| ", re.MULTILINE)
HEADING = re.compile(r"^## ([A-Z]{2}-\d+) ", re.MULTILINE)
ID = re.compile(r"[A-Z]{2}-\d+")
VARIANTS = REPO / "conformance/tests/variants"
JUDGED = {check.rule for each in passes.EVERY for check in each.checks}
"""Rules that the conformance kit judges apps by."""
UNBREAKABLE = {"ON-4"}
"""Those among them that the platform keeps for every app, whatever it does."""
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
        for rule in ID.findall(arguments)
    }
    carried |= JUDGED

    assert rules - carried == set(), "a rule that no test carries"
    assert carried - rules == set(), "a test that carries no rule of contract/rules"


def test_the_rules_say_which_of_them_the_kit_judges() -> None:
    text = (REPO / "contract/rules/README.md").read_text()
    section = text.partition("## Rules that an app can break")[2].partition("\n## ")[0]

    assert set(ID.findall(section)) == JUDGED


def test_every_rule_that_the_kit_judges_is_broken_by_a_variant() -> None:
    files = [file for file in VARIANTS.iterdir() if file.name != "README.md"]

    assert {file.stem.upper() for file in files} == JUDGED - UNBREAKABLE
