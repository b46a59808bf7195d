"""Seats for bytes on their way in or out, which hold memory, a file or a connection each.

Few, and counted apart from requests that only wait: a caller, an org and a process have so many and
no more. An org has at most half of a process's, so that one publisher never keeps all others out.
"""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager

from moorage_core.errors import Busy, TooMany


class Transfers:
    def __init__(self, *, per_principal: int, at_once: int) -> None:
        self._per_principal = per_principal
        self._per_org = max(1, at_once // 2)
        self._at_once = at_once
        self._taken: Counter[str] = Counter()
        self.under_way = 0

    @contextmanager
    def seat(self, principal: str, *, org: str) -> Generator[None]:
        """Hold a seat for one transfer, of a principal that acts for an org."""
        self._check(principal, org)
        self.under_way += 1
        self._taken.update((principal, org))
        try:
            yield
        finally:
            self.under_way -= 1
            self._taken.subtract((principal, org))
            for name in (principal, org):
                if not self._taken[name]:
                    del self._taken[name]

    def _check(self, principal: str, org: str) -> None:
        whose = (("You have", principal, self._per_principal), ("The org has", org, self._per_org))
        for who, name, limit in whose:
            if self._taken[name] >= limit:
                raise TooMany(
                    f"{who} {self._taken[name]} transfers of bytes under way on this server, of"
                    f" {limit} at once; 0 are left. Begin this one when another has ended.",
                    headers={"Retry-After": "5"},
                )
        if self.under_way >= self._at_once:
            raise Busy(
                f"This server has {self.under_way} transfers of bytes under way, of {self._at_once}"
                " at once; 0 are left. Try again shortly.",
                retry_after=5,
            )
