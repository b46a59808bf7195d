"""The base of everything that stops `moor up` and its relatives with a message for a person."""


class OperatorError(Exception):
    """Something on this machine must change first. The message says what."""

    exit_code: int = 2
    """What the command line ends with: 1 a bad argument, 2 the machine, 5 a conflict."""
