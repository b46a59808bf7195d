"""Keyset pages: a list goes on after the last id it showed, however many rows came or went."""

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

from fastapi import Depends, Query
from pydantic import BaseModel

from moorage_core.errors import Fault, Malformed

T = TypeVar("T")

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
WIDE_LIMIT = 1000
_KEY = re.compile(r"[a-z0-9_]{1,400}")


@dataclass(frozen=True)
class PageRequest:
    """Which page is wanted."""

    limit: int = DEFAULT_LIMIT
    after: str = ""
    """The last id of the page before; empty for the first page."""

    @property
    def after_number(self) -> int | None:
        """The last number of the page before, for lists that are ordered by one."""
        if self.after and not (self.after.isdigit() and len(self.after) < 19):
            raise Malformed(
                "The cursor was not made by this list. Start it without `after`.",
                errors=[Fault("query.after", "not a cursor of this list")],
            )
        return int(self.after) if self.after else None

    @property
    def fetch(self) -> int:
        """One row more than is shown tells whether another page exists."""
        return self.limit + 1


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of rows, and the cursor of the next."""

    items: Sequence[T]
    next: str | None


class PageRead(BaseModel, Generic[T]):
    """One page of a list. Ask again with `after` = `next` until `next` is null."""

    items: list[T]
    next: str | None


Cursor = Annotated[
    str | None,
    Query(
        max_length=600,
        description="The `next` of the page before.",
        json_schema_extra={"format": "cursor"},
    ),
]


async def page_request(
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Rows on a page.")] = DEFAULT_LIMIT,
    after: Cursor = None,
) -> PageRequest:
    return PageRequest(limit=limit, after=decode_cursor(after) if after else "")


async def wide_page_request(
    limit: Annotated[
        int, Query(ge=1, le=WIDE_LIMIT, description="Rows on a page.")
    ] = DEFAULT_LIMIT,
    after: Cursor = None,
) -> PageRequest:
    return PageRequest(limit=limit, after=decode_cursor(after) if after else "")


Paging = Annotated[PageRequest, Depends(page_request)]
WidePaging = Annotated[PageRequest, Depends(wide_page_request)]
"""For lists of thousands that somebody wants whole."""


def page(rows: Sequence[T], request: PageRequest, *, key: Callable[[T], str]) -> Page[T]:
    """Cut `request.fetch` rows down to a page."""
    shown = rows[: request.limit]
    more = len(rows) > request.limit
    return Page(items=shown, next=encode_cursor(key(shown[-1])) if more else None)


def encode_cursor(key: str) -> str:
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> str:
    try:
        key = base64.b64decode(
            cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True
        ).decode()
    except (binascii.Error, UnicodeError, ValueError) as err:
        raise _bad_cursor() from err
    if not _KEY.fullmatch(key):
        raise _bad_cursor()
    return key


def _bad_cursor() -> Malformed:
    return Malformed(
        "The cursor was not made by this API. Start the list without `after`.",
        errors=[Fault("query.after", "not a cursor")],
    )
