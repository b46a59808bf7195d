"""What the kit found out about an app, rule by rule."""

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["kept", "broken", "not_applicable"]


@dataclass(frozen=True)
class Finding:
    """What came of one check."""

    rule: str
    """The id of the rule, as `OP-5`."""
    check: str
    """What was looked at: a sentence that is true of an app that keeps the rule."""
    outcome: Outcome
    detail: str = ""
    """Where it is broken: what was expected and what was seen. Otherwise why it was not judged."""
    evidence: tuple[str, ...] = ()
    """Where to look: correlation ids, requests."""


@dataclass(frozen=True)
class About:
    """Whom a run was about."""

    app: str
    version: str
    platform: str
    """The platform's address."""
    started_at: str
    seconds: float


class Broken(Exception):
    """A rule is not kept, in words: what was expected, and what was seen."""

    def __init__(self, expected: str, seen: str, *evidence: str) -> None:
        super().__init__(f"Expected: {expected} Seen: {seen}")
        self.expected = expected
        self.seen = seen
        self.evidence = evidence


class CannotRun(Exception):
    """The kit cannot judge the app: something that it needs is not there. Says what would help."""


def is_kept(findings: list[Finding]) -> bool:
    """Whether an app may be taken on."""
    return all(finding.outcome != "broken" for finding in findings)
