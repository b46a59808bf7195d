"""Rows of views."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class View:
    instance_id: str
    name: str
    generation: int
    row_count: int
    total: int
    """How many rows the app says there are. Not all of them may have been kept."""
    truncated: bool
    observed_at: datetime
    version: int


@dataclass(frozen=True)
class Row:
    key: str
    data: dict[str, Any]


@dataclass(frozen=True)
class NewRow:
    """A row as the controller sends it."""

    key: str
    data: dict[str, Any]
    project: str | None
    """Whose it is. None: for those who run the instance."""
