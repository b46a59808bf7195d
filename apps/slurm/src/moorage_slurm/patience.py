"""When to ask for a repair again: what did not help is asked for less and less often. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

PAUSES = (60.0, 300.0, 900.0, 1800.0)
"""Seconds from one repair to the next of the same thing. The platform grants six in an hour."""
FORGOTTEN = 900.0
"""Seconds after which what was mended counts as new."""


@dataclass(frozen=True)
class Tried:
    """A repair of something was asked for so many times, at last at a moment."""

    times: int
    at: float

    @property
    def again(self) -> float:
        return self.at + PAUSES[min(self.times, len(PAUSES)) - 1]


@dataclass
class Patience:
    """What repairs were asked for, of one cluster."""

    tried: dict[str, Tried] = field(default_factory=dict[str, Tried])

    def due(self, ill: Iterable[str], *, now: float) -> list[str]:
        """Of what is ill, that for which it is time."""
        wanted = set(ill)
        for name, tried in [*self.tried.items()]:
            if name not in wanted and now >= tried.at + FORGOTTEN:
                del self.tried[name]
        known = self.tried
        return sorted(each for each in wanted if each not in known or now >= known[each].again)

    def asked(self, names: Iterable[str], *, now: float) -> None:
        """A repair of these was asked for."""
        for name in names:
            before = self.tried.get(name)
            self.tried[name] = Tried(1 if before is None else before.times + 1, now)

    def words(self, name: str, *, now: float) -> str | None:
        """What became of repairs, for whoever wonders why there is none."""
        tried = self.tried.get(name)
        if tried is None or now - tried.at < PAUSES[0]:
            return None
        times = "A repair" if tried.times == 1 else f"{tried.times} repairs"
        again = datetime.fromtimestamp(tried.again, UTC)
        return f"{times} did not help; the next is asked for at {again:%H:%M} UTC."
