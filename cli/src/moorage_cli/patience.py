"""How long to wait for what runs: options that several verbs share."""

from enum import StrEnum
from typing import Annotated

import typer

from moorage_cli import durations
from moorage_cli.failures import Refused


class Policy(StrEnum):
    WAIT = "wait"
    DEADLINE = "deadline"
    FORCE = "force"


HowLong = Annotated[
    Policy, typer.Option("--policy", help="Wait for what runs there, for so long, or not at all.")
]
Until = Annotated[
    str | None,
    typer.Option(
        "--deadline", metavar="TIME", help="With --policy deadline: how long, such as 30m."
    ),
]


def seconds(policy: Policy, deadline: str | None) -> int | None:
    """The time that goes with the policy; None where it takes none."""
    if (policy is Policy.DEADLINE) != (deadline is not None):
        raise Refused("--policy deadline and --deadline TIME go together.")
    return None if deadline is None else durations.seconds(deadline)
