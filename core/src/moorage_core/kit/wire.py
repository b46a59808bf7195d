"""Base shapes of what comes in and what goes out, and the fields that many share."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic_core import PydanticCustomError

from moorage_core.errors import Fault, Malformed

_CONTROL = r"\x00-\x1f\x7f-\x9f"
NO_CONTROL = rf"^[^{_CONTROL}]+$"
SHOWN = rf"^[^\s{_CONTROL}]([^{_CONTROL}]*[^\s{_CONTROL}])?$"
"""Text for people: no control characters, which terminals obey, and no blanks at the ends."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=SHOWN)]
"""What people read. Any language, no control characters, no blanks at the ends."""

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,38}[a-z0-9]$")]
"""What people type."""

Email = Annotated[
    str,
    StringConstraints(
        max_length=200,
        pattern=r"^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$",
    ),
]

Reason = Annotated[str, StringConstraints(min_length=8, max_length=500, pattern=SHOWN)]
"""Why somebody did what only emergencies justify."""

PermissionKey = Annotated[
    str, StringConstraints(max_length=120, pattern=r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*){1,}$")
]


def _whole(value: object) -> object:
    """JSON Schema does not tell 3.0 from 3. Text and booleans stay what they are, and refused."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE = BeforeValidator(_whole)
"""For integers: a whole number, however it is spelled. Stands last, or its limits get lost."""

Seconds = Annotated[int, Field(ge=1, le=30 * 86_400), WHOLE]
"""How long something may take that nobody can hurry."""


def check_deadline(policy: str, deadline: int | None) -> None:
    """For bodies that say what becomes of what runs: only one of the ways takes a time."""
    if (policy == "deadline") != (deadline is not None):
        sentence = "deadline goes with the policy deadline, and with no other"
        raise PydanticCustomError("deadline", sentence)


Moment = datetime
"""A moment in UTC; on the wire `2026-01-31T12:00:00.123456Z`."""


def utc(moment: datetime | None, name: str) -> datetime | None:
    """The moment as the database takes it: its time zones end earlier than those of ISO 8601."""
    try:
        return moment and moment.astimezone(UTC)
    except OverflowError as err:
        fault = Fault(name, "outside the years 1 to 9999 in UTC")
        raise Malformed("The moment is out of range.", errors=[fault]) from err


class Input(BaseModel):
    """A request body: nothing unknown, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Output(BaseModel):
    """An answer, read off a row."""

    model_config = ConfigDict(from_attributes=True)
