"""What goes wrong in a test's world, and when.

Everything that a controller says or asks for is an event, and events are counted. At one of them,
before or after it takes effect, the replica dies or somebody cancels.
"""

from dataclasses import dataclass
from typing import Literal

from moorage.controller.outcomes import Lost


class Killed(Lost):
    """The replica is dead. Whatever it was about to do it does not."""


@dataclass
class Script:
    """What is to happen at event number `at`, counted from 0. None: nothing."""

    what: Literal["kill", "cancel"] | None = None
    at: int = -1
    after_effect: bool = True
    events: int = 0
    """How many there were."""

    def enter(self) -> int:
        """An event begins; its number."""
        self.events += 1
        return self.events - 1

    def strikes(self, event: int, *, after_effect: bool) -> bool:
        return self.what is not None and event == self.at and after_effect == self.after_effect
