"""What commands show: a table or a record for people, one JSON document for programs."""

import json
import sys
from collections.abc import AsyncIterable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from rich import table as rich_table
from rich.console import Console
from rich.text import Text

from moorage import Model
from moorage_cli.choices import Format
from moorage_cli.terminal import plain, plain_json

WIDE = 10_000


@dataclass(frozen=True)
class Rows:
    """Objects of one kind; `columns` are shown to people, programs get everything."""

    items: AsyncIterable[Model] | Iterable[Model]
    columns: Sequence[str]
    limit: int | None = None


@dataclass(frozen=True)
class Record:
    """One object. What is `hidden` is not shown in any format; `details` is for people."""

    item: Model
    hidden: Sequence[str] = ()
    details: Rows | None = None


@dataclass(frozen=True)
class Done:
    """Nothing to show but that it is done."""

    text: str
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Table:
    """Rows whose columns are known only once they are read; programs get the document."""

    rows: Sequence[Mapping[str, Any]]
    columns: Sequence[str]
    document: Mapping[str, Any]
    note: str
    """A line below them."""


Shown = Rows | Record | Done | Table | None


async def show(result: Shown, format: Format) -> None:
    """Print what a command came to."""
    if isinstance(result, Rows):
        items = await _gathered(result)
        if format is Format.JSON:
            write_json({"items": [item.model_dump(mode="json") for item in items]})
        else:
            _write_table([item.model_dump() for item in items], result.columns)
    elif isinstance(result, Record):
        hidden = set(result.hidden)
        if format is Format.JSON:
            write_json(result.item.model_dump(mode="json", exclude=hidden))
        else:
            _write_record(result.item.model_dump(exclude=hidden))
            if result.details is not None:
                await show(result.details, format)
    elif isinstance(result, Table):
        if format is Format.JSON:
            write_json(dict(result.document))
        else:
            _write_table(result.rows, result.columns)
            write(result.note)
    elif isinstance(result, Done):
        if format is Format.JSON:
            write_json(dict(result.fields))
        else:
            write(result.text)


def write(text: str) -> None:
    """Lines for people."""
    print("\n".join(map(plain, text.split("\n"))), flush=True)


def write_json(document: Any, *, indent: int | None = 2) -> None:
    print(as_json(document, indent=indent), flush=True)


def as_json(document: Any, *, indent: int | None = 2) -> str:
    return plain_json(json.dumps(document, indent=indent, ensure_ascii=False, default=str))


def cell(value: Any) -> str:
    """A value as people read it."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%SZ}"
    if isinstance(value, list | tuple):
        return ", ".join(cell(part) for part in cast(list[Any], value)) or "-"
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def outline(value: Mapping[str, Any], *, margin: str = "  ") -> list[str]:
    """An object as lines: a name and a value each, what is inside further in, rows as a table."""
    found: list[str] = []
    for name, inner in value.items():
        if isinstance(inner, dict) and inner:
            below = cast(dict[str, Any], inner)
            found += [f"{margin}{name}:", *outline(below, margin=f"{margin}  ")]
        elif rows := _rows(inner):
            found += [f"{margin}{name}:", *(f"{margin}  {line}" for line in _aligned(rows))]
        else:
            found.append(f"{margin}{name}: {cell(inner)}")
    return found


def _rows(value: Any) -> list[dict[str, Any]]:
    """What can be shown as a table: objects, all with the same names."""
    items = cast(list[Any], value) if isinstance(value, list) else []
    rows = [cast(dict[str, Any], each) for each in items if isinstance(each, dict)]
    alike = len(rows) == len(items) and len({frozenset(row) for row in rows}) == 1
    return rows if alike else []


def _aligned(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    names = [*rows[0]]
    lines = [[name.upper().replace("_", " ") for name in names]]
    lines += [[cell(row[name]) for name in names] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]


async def _gathered(rows: Rows) -> list[Model]:
    found: list[Model] = []
    if not isinstance(rows.items, AsyncIterable):
        return [*rows.items][: rows.limit]
    async for item in rows.items:
        if rows.limit is not None and len(found) >= rows.limit:
            break
        found.append(item)
    return found


def _write_table(items: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> None:
    table = rich_table.Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(Text(plain(column.upper().replace("_", " "))), overflow="fold")
    for item in items:
        table.add_row(*(Text(plain(cell(item.get(column)))) for column in columns))
    _print(table)


def _write_record(item: Mapping[str, Any]) -> None:
    table = rich_table.Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in _flat(item):
        lines = cell(value).split("\n")  # a text of several lines is read as one, in its column
        table.add_row(Text(plain(name.replace("_", " "))), Text("\n".join(map(plain, lines))))
    _print(table)


def _flat(item: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The fields of an object and of the objects in it, one below the other."""
    for name, value in item.items():
        if isinstance(value, dict) and value:
            yield from _flat(cast(dict[str, Any], value), f"{prefix}{name} ")
        elif not _is_table(value):
            yield f"{prefix}{name}", value


def _is_table(value: Any) -> bool:
    """Objects inside an object have a table of their own."""
    parts = cast(list[Any], value) if isinstance(value, list) else []
    return any(isinstance(part, dict) for part in parts)


def _print(table: rich_table.Table) -> None:
    if sys.stdout.isatty():
        Console(highlight=False).print(table)
        return
    # In a pipe or a file nothing is cut or folded, and no line ends in blanks.
    console = Console(highlight=False, width=WIDE)
    with console.capture() as captured:
        console.print(table)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()), flush=True)
