"""What a crowd of agents has seen and done, in numbers."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Tally:
    """Shared by the agents of a crowd."""

    polls: int = 0
    exchanges: int = 0
    received: int = 0
    reports: int = 0
    unreachable: int = 0
    ends: Counter[str] = field(default_factory=Counter[str])
    refusals: Counter[str] = field(default_factory=Counter[str])

    def ended(self, state: str) -> None:
        self.ends[state] += 1

    def refused(self, code: str) -> None:
        self.refusals[code] += 1
