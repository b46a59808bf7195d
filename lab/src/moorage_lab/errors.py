"""What a lab can be unable to do. The exit code says who acts next, as everywhere in `moor`."""

from collections.abc import Sequence


class LabError(Exception):
    """Something that the caller can act on."""

    exit_code = 2


class BadRequest(LabError):
    """The request cannot be met as it was put."""

    exit_code = 1


class CommandFailed(LabError):
    """A program of the machine refused."""

    def __init__(self, command: Sequence[str], *, code: int, said: str) -> None:
        super().__init__(f"`{' '.join(command)}` ended with {code}: {said.strip()}")
        self.code = code
        self.said = said


class NotBooted(LabError):
    """A host has not become ready in time, or its boot ended."""


class Unreachable(LabError):
    """A host does not answer over ssh."""


class NotRoot(LabError):
    """Only root can make mounts, links and containers."""

    exit_code = 3


class NotFound(LabError):
    """There is no such lab or host."""

    exit_code = 4


class MachineLacks(LabError):
    """The machine lacks something that the lab is made of."""

    exit_code = 5


class NotRunning(LabError):
    """The host is off, and this needs it on."""

    exit_code = 5
