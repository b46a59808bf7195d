"""Checks, and what is held of them while a pass goes on."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from moorage_conformance.findings import Broken, Finding

MOST_TOLD = 5
"""Faults of one check that are told in words."""


@dataclass(frozen=True)
class Check:
    """Something that a pass looks at, for one rule."""

    rule: str
    sentence: str
    """True of an app that keeps the rule."""


@dataclass
class Judge:
    """Collects what a pass sees. A check that is broken once is broken."""

    checks: Sequence[Check]
    seen: dict[Check, list[Broken]] = field(default_factory=dict[Check, list[Broken]])
    notes: dict[Check, str] = field(default_factory=dict[Check, str])
    """What somebody who reads that a check is kept should know besides."""

    def kept(self, *checks: Check) -> None:
        """It was looked at, and nothing was wrong with it."""
        for check in checks:
            self.seen.setdefault(check, [])

    def broken(self, check: Check, expected: str, seen: str, *evidence: str) -> None:
        self.seen.setdefault(check, []).append(Broken(expected, seen, *evidence))

    def expect(self, check: Check, is_so: object, expected: str, seen: str, *evidence: str) -> None:
        """Something should be so."""
        if is_so:
            self.kept(check)
        else:
            self.broken(check, expected, seen, *evidence)

    def give_up(self, err: Exception) -> None:
        """The pass cannot go on. What was not seen is not kept: something has to be broken."""
        if not any(self.seen.values()):
            fault = err if isinstance(err, Broken) else Broken("The pass goes on.", str(err))
            self.seen.setdefault(self.checks[0], []).append(fault)

    @contextmanager
    def on(self, check: Check) -> Generator[None]:
        """What is raised as broken in the block breaks this check, and the pass goes on."""
        try:
            yield
        except Broken as err:
            self.seen.setdefault(check, []).append(err)
        else:
            self.kept(check)

    def findings(self, why_not: str) -> Iterator[Finding]:
        """What came of every check of the pass."""
        for check in self.checks:
            if check not in self.seen:
                yield Finding(check.rule, check.sentence, "not_applicable", why_not)
                continue
            faults = self.seen[check]
            evidence = tuple(dict.fromkeys(e for fault in faults for e in fault.evidence))
            yield Finding(
                check.rule,
                check.sentence,
                "broken" if faults else "kept",
                _told(faults) if faults else self.notes.get(check, ""),
                evidence,
            )


def _told(faults: Sequence[Broken]) -> str:
    """Each fault on a line of its own, once."""
    lines = [*dict.fromkeys(map(str, faults))]
    more = [f"And {len(lines) - MOST_TOLD} more."] if len(lines) > MOST_TOLD else []
    return "\n".join([*lines[:MOST_TOLD], *more])


Tell = Callable[[Finding], None]
