"""Who was heard of since the last flush, and what each agent said of itself.

A poll is a heartbeat. It is noted here, in memory, and written with all others in one statement:
a thousand agents cost a statement every few seconds.
"""

import asyncio
from datetime import datetime
from weakref import WeakValueDictionary

from moorage_core.nodes.models import Facts


class Heartbeats:
    def __init__(self) -> None:
        self._heard: dict[str, datetime] = {}
        self._facts: dict[str, Facts] = {}
        self._polls: dict[str, int] = {}
        self._turns = WeakValueDictionary[str, asyncio.Lock]()

    def mark(self, node: str, at: datetime) -> int:
        """Note a poll; its number, by which it knows whether another has come after it."""
        self._heard[node] = at
        self._polls[node] = self._polls.get(node, 0) + 1
        return self._polls[node]

    def is_newest(self, node: str, poll: int) -> bool:
        """Whether no later poll of the node came to this process."""
        return self._polls.get(node) == poll

    def has_said(self, node: str, facts: Facts) -> bool:
        """Whether the node said the same when it was last written down."""
        return self._facts.get(node) == facts

    def remember(self, node: str, facts: Facts) -> None:
        """These facts are in the database."""
        self._facts[node] = facts

    def forget(self, node: str) -> None:
        """Another host may be behind the node now."""
        self._facts.pop(node, None)

    def turn(self, node: str) -> asyncio.Lock:
        """What a node says of what it saw is written one call after the other, so that it counts.

        Held in this process: who waits takes no connection from others.
        """
        return self._turns.setdefault(node, asyncio.Lock())

    def take(self) -> dict[str, datetime]:
        """Whom to write down; empty afterwards."""
        heard, self._heard = self._heard, {}
        return heard

    def put_back(self, heard: dict[str, datetime]) -> None:
        """They could not be written. What was heard meanwhile is newer."""
        self._heard = heard | self._heard
