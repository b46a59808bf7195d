"""What was run of the matrix, and how it ended: for machines and for people."""

import json
import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tests.faults.cells import Cell

PLACE = Path(__file__).parent / "report"


@dataclass
class Report:
    """One run of a part of the matrix."""

    part: str
    """`simulated` or `lab`."""
    seed: int
    total: Sequence[Cell]
    wanted: Sequence[Cell]
    """Those that this run was to try."""
    run: set[Cell] = field(default_factory=set[Cell])
    wrong: list[str] = field(default_factory=list[str])
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    """By what they were spent on."""
    at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    @property
    def outcome(self) -> str:
        if self.wrong:
            return "failed"
        return "passed" if {*self.wanted} <= self.run else "passed as far as it was run"

    def line(self) -> str:
        """For whoever watches."""
        return (
            f"{self.part}: {len(self.run)} cells run of {len(self.total)}, "
            f"{len(self.wrong)} wrong, seed {self.seed}"
        )

    def document(self) -> dict[str, object]:
        return {
            "part": self.part,
            "at": self.at,
            "machine": f"{platform.system()} {platform.release()}",
            "seed": self.seed,
            "outcome": self.outcome,
            "cells": {
                "run": len(self.run),
                "wanted": len(self.wanted),
                "total": len(self.total),
            },
            "by_fault": _counts((str(cell.fault) for cell in self.total), self._names("fault")),
            "by_kind": _counts((cell.step.act for cell in self.total), self._names("act")),
            "seconds": {name: round(spent, 1) for name, spent in self.seconds.items()},
            "wrong": self.wrong,
            "run": sorted(map(str, self.run)),
        }

    def _names(self, of: str) -> Iterable[str]:
        return (str(cell.fault) if of == "fault" else cell.step.act for cell in self.run)

    def write(self, place: Path = PLACE) -> None:
        place.mkdir(exist_ok=True)
        text = json.dumps(self.document(), indent=1, ensure_ascii=False)
        (place / f"{self.part}.json").write_text(f"{text}\n")
        (place / f"{self.part}.md").write_text(self.page())

    def page(self) -> str:
        """The same for people."""
        document = self.document()
        lines = [
            f"# Fault matrix: {self.part}",
            "",
            f"{self.at}, seed {self.seed}: **{self.outcome}**.",
            f"{len(self.run)} cells run of {len(self.total)}.",
            "",
            *_table("Fault", _counted(document["by_fault"])),
            "",
            *_table("Kind", _counted(document["by_kind"])),
            "",
            "| Spent on | Seconds |",
            "|---|---|",
            *(f"| {name} | {spent:.0f} |" for name, spent in self.seconds.items()),
        ]
        if self.wrong:
            lines += ["", "## Wrong", "", *(f"- {line}" for line in self.wrong)]
        return "\n".join(lines) + "\n"


Counts = Mapping[str, Mapping[str, int]]


def _counts(total: Iterable[str], run: Iterable[str]) -> dict[str, dict[str, int]]:
    all_of, done = Counter(total), Counter(run)
    return {name: {"run": done[name], "total": all_of[name]} for name in all_of}


def _counted(found: object) -> Counts:
    assert isinstance(found, dict)
    return found


def _table(name: str, counts: Counts) -> list[str]:
    rows = [f"| {key} | {each['run']} | {each['total']} |" for key, each in counts.items()]
    return [f"| {name} | Run | Of |", "|---|---|---|", *rows]
