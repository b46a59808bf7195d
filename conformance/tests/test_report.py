"""What a run tells programs and people."""

import json
from pathlib import Path

import jsonschema
import pytest

from conformance.tests import golden_files
from moorage_conformance import report
from moorage_conformance.findings import About, Finding

ABOUT = About("beacon", "1.0.0", "https://moorage.example.org", "2026-11-16T02:00:00Z", 83.42)
KEPT = Finding("OP-16", "A replica that is told to stop hands over what it holds.", "kept")
BROKEN = Finding(
    "OP-5",
    "Killed at any report or task, it ends in the world of an undisturbed run.",
    "broken",
    "Expected: /etc/beacon with <colour> once.\nSeen: it is there twice.",
    ("01J0000000000000000000000A", "POST /v1/operations/opn_1/report"),
)
UNJUDGED = Finding(
    "ON-5", "Its bytes come from its artifacts.", "not_applicable", "It has no artifacts."
)
FINDINGS = [KEPT, UNJUDGED, BROKEN]


@pytest.mark.parametrize("name", ["report.json", "report.html", "report.md"])
def test_a_report_is_written_for_programs_and_for_people(name: str, tmp_path: Path) -> None:
    report.write(FINDINGS, ABOUT, tmp_path / "new" / "folder")

    golden_files.check(name, (tmp_path / "new" / "folder" / name).read_text())


@pytest.mark.parametrize("findings", [[], [KEPT], FINDINGS])
def test_a_report_fits_its_schema(findings: list[Finding]) -> None:
    said = json.loads(json.dumps(report.document(findings, ABOUT)))

    jsonschema.Draft202012Validator(report.schema()).validate(said)
    assert said["verdict"] == ("broken" if BROKEN in findings else "kept")


def test_rules_come_in_the_order_of_their_numbers() -> None:
    said = report.document([KEPT, BROKEN, UNJUDGED], ABOUT)

    assert [each["rule"] for each in said["findings"]] == ["ON-5", "OP-5", "OP-16"]


def test_what_an_app_says_is_text_on_the_page(tmp_path: Path) -> None:
    hostile = Finding("OP-12", "<b>bold</b>", "broken", "<script>alert(1)</script>", ("&<>",))

    report.write([hostile], ABOUT, tmp_path)

    page = (tmp_path / "report.html").read_text()
    assert "<script>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<b>" not in page
