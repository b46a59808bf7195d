"""Wire shapes of views."""

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from moorage_core.kit.ids import InstanceId
from moorage_core.kit.wire import NO_CONTROL, WHOLE, Input, Moment, Output

ROW_BYTES = 16 << 10
UPSERTS = 5000

RowKey = Annotated[str, StringConstraints(min_length=1, max_length=180, pattern=NO_CONTROL)]
Number = Annotated[int, Field(ge=0, le=(1 << 53) - 1), WHOLE]
ViewName = Annotated[str, StringConstraints(max_length=120, pattern=r"^[A-Za-z0-9_.-]+$")]
"""As the manifest declares it."""


def _small(row: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(row)) > ROW_BYTES:
        raise PydanticCustomError("row_size", "a row is {most} bytes at most", {"most": ROW_BYTES})
    return row


ViewRow = Annotated[dict[str, Any], AfterValidator(_small)]
"""By column. `$project` says whose it is: left out, the instance's own project; null, nobody's, for
the instance's admins alone."""


class ViewPut(Input):
    fence: Number
    generation: Number
    """Counts up with each look at the world; the time in milliseconds will do."""
    upserts: Annotated[list[ViewRow], Field(max_length=UPSERTS)] = Field(
        default_factory=list[dict[str, Any]]
    )
    """Rows that are new or differ."""
    deletes: Annotated[list[RowKey], Field(max_length=UPSERTS)] = Field(default_factory=list[str])
    """Keys of rows that are gone."""
    complete: bool = False
    """This was the last of the generation: rows of earlier ones go."""
    total: Number | None = None
    """How many rows there are, where not all of them are sent."""


class ColumnRead(Output):
    name: str
    title: str
    type: Literal["text", "integer", "number", "boolean", "time", "duration", "bytes"]


class ViewRead(Output):
    instance_id: InstanceId
    name: str
    title: str
    columns: list[ColumnRead]
    key: str
    """The column that tells rows apart."""
    permission: str
    """What its readers hold."""
    readable: bool
    """Whether you do."""
    observed_at: Moment | None
    """Null: the controller has published nothing yet."""
    generation: int
    row_count: int
    total: int
    truncated: bool
    """There are more rows than are kept."""


class ViewList(Output):
    items: list[ViewRead]


class ViewRowRead(Output):
    key: str
    data: dict[str, Any]


class ViewPage(Output):
    view: ViewRead
    items: list[ViewRowRead]
    next: str | None


class ViewState(Output):
    """What was made of what you sent."""

    generation: int
    row_count: int
    total: int
    truncated: bool
