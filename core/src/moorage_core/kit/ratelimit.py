"""Token buckets, one per caller, in this process's memory."""

from collections import OrderedDict
from collections.abc import Callable

KEPT = 50_000


class Buckets:
    """`rate` requests a second on average, `burst` at once after a pause."""

    def __init__(self, rate: float, burst: int, *, monotonic: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._monotonic = monotonic
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, caller: str) -> float:
        """Seconds until the caller's next request would be taken; takes nothing."""
        tokens, at = self._buckets.get(caller, (self._burst, 0.0))
        tokens = min(self._burst, tokens + (self._monotonic() - at) * self._rate)
        return 0.0 if tokens >= 1 else (1 - tokens) / self._rate

    def take(self, caller: str) -> float:
        """Take one request from the caller's bucket. Seconds to wait; 0 if it may go on."""
        now = self._monotonic()
        tokens, at = self._buckets.get(caller, (self._burst, now))
        tokens = min(self._burst, tokens + (now - at) * self._rate)
        wait = 0.0 if tokens >= 1 else (1 - tokens) / self._rate
        self._buckets[caller] = (tokens if wait else tokens - 1, now)
        self._buckets.move_to_end(caller)
        if len(self._buckets) > KEPT:
            self._buckets.popitem(last=False)
        return wait
