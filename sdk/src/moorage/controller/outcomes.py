"""What a controller raises to say what should happen next. Anything else is a bug."""

import re
from collections.abc import Sequence
from typing import Literal

CODE = re.compile(r"[a-z][a-z0-9_.-]{0,62}")
SHORTEST_PAUSE, LONGEST_PAUSE = 0.1, 86_400.0
Recovery = Literal["retryable", "reconcilable", "repairable", "operator", "terminal"]


class Outcome(Exception):
    """An end of this try that is no bug."""


class Wait(Outcome):
    """Not yet: the operation gives its lease and its slot back and is looked at again later.

    Args:
        message: What is waited for, for whoever looks at the operation.
        recheck: Seconds after which to look again.
        hints: What wakes it earlier, such as `members`.
    """

    def __init__(self, message: str, *, recheck: float = 60, hints: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.recheck = min(max(recheck, SHORTEST_PAUSE), LONGEST_PAUSE)
        self.hints = tuple(hints)


class Retry(Outcome):
    """This try came to nothing; the next one counts as another attempt.

    Args:
        message: What stood in the way.
        after: Seconds until the next attempt.
    """

    def __init__(self, message: str, *, after: float = 5) -> None:
        super().__init__(message)
        self.message = message
        self.after = min(max(after, SHORTEST_PAUSE), LONGEST_PAUSE)


class Fail(Outcome):
    """It cannot be done like this.

    Args:
        code: What is so, in a word for programs.
        message: What is so, for people, and what would help.
        recovery: Who can do something about it. `retryable`: time, so it is tried again by itself.
            `reconcilable`: the next repair. `repairable`: a repair that has a name. `operator`: a
            person, so the operation is blocked until one has decided. `terminal`: nobody.
        log: The last lines of what was printed, where that helps.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        recovery: Recovery = "operator",
        log: Sequence[str] = (),
    ) -> None:
        if not CODE.fullmatch(code):
            raise ValueError(f"The code {code!r} of a failure is not a word like `disk_full`.")
        super().__init__(message)
        self.code = code
        self.message = message
        self.recovery: Recovery = recovery
        self.log = tuple(log)


class StepsChanged(Outcome):
    """The steps that were recorded are not those that this release takes. It never guesses."""


class Lost(BaseException):
    """The operation is not ours any more: whatever is at work on it stops at once.

    Not an `Exception`, so that no handler takes it for something that it can deal with.
    """
