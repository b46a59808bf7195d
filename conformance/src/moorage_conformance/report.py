"""The report of a run: for programs as JSON, for people as a page and as text.

`report.schema.json` says what the JSON has. Nothing here judges: the findings did.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any

from moorage_conformance import page, wording
from moorage_conformance.findings import About, Finding, is_kept

FORMAT = 1
"""Raised when a field is taken away or means something else; added fields leave it."""


def write(findings: Sequence[Finding], about: About, folder: Path) -> None:
    """Write `report.json`, `report.html` and `report.md` into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    said = json.dumps(document(findings, about), indent=2, ensure_ascii=False)
    (folder / "report.json").write_text(f"{said}\n", encoding="utf-8")
    (folder / "report.html").write_text(page.render(findings, about), encoding="utf-8")
    (folder / "report.md").write_text(text(findings, about), encoding="utf-8")


def document(findings: Sequence[Finding], about: About) -> dict[str, Any]:
    """The report as JSON has it, the rules in their order."""
    found = Counter(finding.outcome for finding in findings)
    return {
        "format": FORMAT,
        "app": about.app,
        "version": about.version,
        "platform": about.platform,
        "started_at": about.started_at,
        "seconds": round(about.seconds, 1),
        "verdict": "kept" if is_kept([*findings]) else "broken",
        "counts": {outcome: found[outcome] for outcome in wording.SECTIONS},
        "findings": [
            {**asdict(finding), "evidence": [*finding.evidence]}
            for finding in wording.in_order(findings)
        ],
    }


def schema() -> dict[str, Any]:
    """What `report.json` looks like, as JSON Schema."""
    found = resources.files("moorage_conformance").joinpath("report.schema.json")
    return json.loads(found.read_text("utf-8"))


def text(findings: Sequence[Finding], about: About) -> str:
    """The report as Markdown that reads well in a terminal: what is broken, and why, at the top."""
    lines = [f"# {about.app} {about.version}", "", wording.sentence(findings), ""]
    for outcome, heading in wording.SECTIONS.items():
        mine = [each for each in wording.in_order(findings) if each.outcome == outcome]
        if mine:
            lines += [f"## {heading}", "", *_entries(mine), ""]
    lines.append(f"On {about.platform}, {about.started_at}, {about.seconds:.0f} s.")
    return "\n".join(lines) + "\n"


def _entries(findings: Iterable[Finding]) -> list[str]:
    lines: list[str] = []
    for finding in findings:
        lines.append(f"- **{finding.rule}** {finding.check}")
        lines += [f"  {line}" for line in finding.detail.splitlines()]
        lines += [f"  - `{each}`" for each in finding.evidence]
    return lines
