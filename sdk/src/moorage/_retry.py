"""When to ask again, and after how long. Pure: no clock, no network.

Asking again is safe where the platform cannot do it twice: reads, and mutations, which carry the
same Idempotency-Key each time. A machine's call has no such key; it is repeated only where it
cannot have been acted on, or where the caller makes a new proof for each try.
"""

import random
from dataclasses import dataclass

from moorage._operation import RouteClass
from moorage._problem import ApiError, CertificateRefused, MoorageError, Unreachable

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0
_dice = random.SystemRandom()


def may_repeat(error: MoorageError, *, kind: RouteClass, repeatable: bool = False) -> bool:
    """Whether the same request may be sent again after this."""
    safe = repeatable or kind != "machine"
    if isinstance(error, Unreachable):
        return not isinstance(error, CertificateRefused) and (safe or not error.sent)
    if not isinstance(error, ApiError):
        return False
    if error.status == 429 or error.code in {"in_progress", "busy"}:
        return True
    return error.status in {502, 503, 504} and safe


def pause(tries: int, *, asked: float | None, luck: float) -> float:
    """Seconds to wait: doubling with the tries, scattered by luck (0 to 1), as long as asked."""
    grown = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(tries - 1, 10))
    return max(asked or 0.0, grown * (0.5 + luck / 2))


def scattered(tries: int, error: MoorageError) -> float:
    """The pause after so many tries that ended like this."""
    asked = error.retry_after if isinstance(error, ApiError) else None
    return pause(tries, asked=asked, luck=_dice.random())


@dataclass
class Patience:
    """How much longer one call may go on trying."""

    seconds: float
    tries: int = 0

    def next(self, error: MoorageError, *, spent: float) -> float | None:
        """The pause before the next try; None where there is no time left for one."""
        self.tries += 1
        wait = scattered(self.tries, error)
        return wait if spent + wait <= self.seconds else None
