"""How findings are told: the order, and the words that every form of the report shares."""

from collections import Counter
from collections.abc import Iterable, Sequence

from moorage_conformance.findings import Finding, Outcome

SECTIONS: dict[Outcome, str] = {
    "broken": "Broken",
    "kept": "Kept",
    "not_applicable": "Not judged",
}
"""In the order in which somebody wants to read them."""


def sentence(findings: Sequence[Finding]) -> str:
    """The verdict."""
    broken = {each.rule for each in findings if each.outcome == "broken"}
    if broken:
        return f"Breaks {', '.join(sorted(broken, key=place))}."
    kept = {each.rule for each in findings if each.outcome == "kept"}
    return f"Keeps every rule that was judged: {len(kept)}." if kept else "Nothing was judged."


def counts(findings: Iterable[Finding]) -> str:
    """How many checks came out how."""
    found = Counter(finding.outcome for finding in findings)
    return ", ".join(f"{found[each]} {name.lower()}" for each, name in SECTIONS.items())


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """By rule, as the pages of the contract have them; checks of one rule as they were made."""
    return sorted(findings, key=lambda finding: place(finding.rule))


def place(rule: str) -> tuple[str, int]:
    """What rules are ordered by."""
    letters, _, number = rule.partition("-")
    return letters, int(number)
