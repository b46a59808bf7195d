"""Wire shapes of actions."""

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from moorage_core.kit.ids import MemberId
from moorage_core.kit.wire import SHOWN, Input, Output

INPUT_BYTES = 64 << 10

ActionName = Annotated[str, StringConstraints(max_length=120, pattern=r"^[A-Za-z0-9_.-]+$")]
"""As the manifest declares it."""


def _small(given: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(given)) > INPUT_BYTES:
        raise PydanticCustomError(
            "input_size", "an input is {most} bytes at most", {"most": INPUT_BYTES}
        )
    return given


class ActionRun(Input):
    input: Annotated[dict[str, Any], AfterValidator(_small)] = Field(default_factory=dict[str, Any])
    """As the action's schema says."""
    member: MemberId | None = None
    """The member that it acts on, for actions of a component."""
    reason: Annotated[str, StringConstraints(max_length=500, pattern=SHOWN)] | None = None


class ActionRead(Output):
    name: str
    title: str
    description: str | None
    input: dict[str, Any] | None
    """JSON Schema of what it takes; null: nothing."""
    output: dict[str, Any] | None
    permission: str
    """What its caller holds."""
    allowed: bool
    """Whether you do."""
    lock: Literal["none", "member", "instance"]
    component: str | None
    """Of the member that it acts on; null: it acts on the instance."""


class ActionList(Output):
    items: list[ActionRead]
