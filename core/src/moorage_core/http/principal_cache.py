"""Principals that proved themselves moments ago: a busy caller costs a look-up every two seconds.

A change to a principal (a role, a disabled account, a revoked key) marks the topic
`principal:<id>`; every process forgets the principal when it hears that, and after `SECONDS` in any
case.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable

from moorage_core.authz.principals import Principal

SECONDS = 2.0
KEPT = 10_000
TOPIC = "principal:"


def topic(principal_id: str) -> str:
    return TOPIC + principal_id


class PrincipalCache:
    def __init__(self, *, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._entries: OrderedDict[bytes, tuple[Principal, float]] = OrderedDict()

    def find(self, credential: bytes) -> Principal | None:
        entry = self._entries.get(credential)
        if entry is None or entry[1] < self._monotonic():
            return None
        return entry[0]

    def keep(self, credential: bytes, principal: Principal) -> None:
        self._entries[credential] = (principal, self._monotonic() + SECONDS)
        self._entries.move_to_end(credential)
        if len(self._entries) > KEPT:
            self._entries.popitem(last=False)

    def hear(self, topics: Iterable[str] | None) -> None:
        """Forget whom a wake-up names; everyone when wake-ups may have been missed."""
        if topics is None:
            self._entries.clear()
            return
        changed = {name.removeprefix(TOPIC) for name in topics if name.startswith(TOPIC)}
        if changed:
            stale = [key for key, (who, _) in self._entries.items() if who.id in changed]
            for key in stale:
                del self._entries[key]
