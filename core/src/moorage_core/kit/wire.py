"""Base shapes of what comes in and what goes out, and the fields that many share."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints

NO_CONTROL = r"^[^\x00-\x1f\x7f]+$"


def _no_padding(text: str) -> str:
    if text != text.strip():
        raise ValueError("must not begin or end with blanks")
    return text


Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=100, pattern=NO_CONTROL),
    AfterValidator(_no_padding),
]
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

Reason = Annotated[
    str,
    StringConstraints(min_length=8, max_length=500, pattern=NO_CONTROL),
    AfterValidator(_no_padding),
]
"""Why somebody did what only emergencies justify."""

PermissionKey = Annotated[
    str, StringConstraints(max_length=120, pattern=r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*){2,}$")
]

Moment = datetime
"""A moment in UTC; on the wire `2026-01-31T12:00:00.123456Z`."""


class Input(BaseModel):
    """A request body: nothing unknown, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Output(BaseModel):
    """An answer, read off a row."""

    model_config = ConfigDict(from_attributes=True)
