"""What can be published as a view, and who reads which of its rows. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from moorage_core.errors import ApiError, Conflict, Fault, NotFound
from moorage_core.views.models import NewRow, View

MOST_ROWS = 10_000
"""Kept of one view. The freshest stay."""
LONGEST_KEY = 180
PROJECT = "$project"
"""The field of a row that says whose it is. No column is called so."""


class ViewUnknown(NotFound):
    """The instance's version declares no such view."""

    code = "view_unknown"


class GenerationPassed(Conflict):
    """A later generation of the view was published already."""

    code = "generation_passed"


class RowForeign(ApiError):
    """A row belongs to a project that has nothing to do with the instance."""

    status = 422
    code = "row_foreign"


class RowInvalid(ApiError):
    """A row is not what the view's columns say."""

    status = 422
    code = "row_invalid"


def find(manifest: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The declaration of a view."""
    for view in manifest["views"]:
        if view["name"] == name:
            return view
    raise ViewUnknown(f"This version of the app declares no view {name}.")


def rows(
    given: Sequence[Mapping[str, Any]], declared: Mapping[str, Any], *, project: str
) -> list[NewRow]:
    """What a controller sent, if it fits the view's columns and belongs to the instance."""
    columns = {column["name"] for column in declared["columns"]}
    return [_row(each, declared["key"], columns, project, at) for at, each in enumerate(given)]


def _row(given: Mapping[str, Any], key: str, columns: set[str], project: str, at: int) -> NewRow:
    where = f"body.upserts.{at}"
    data = {name: value for name, value in given.items() if name != PROJECT}
    if unknown := sorted(data.keys() - columns):
        raise RowInvalid(
            f"A row has a field {unknown[0]!r}, which is no column of the view.",
            errors=[Fault(where, "has a field that is no column of the view")],
        )
    name = data.get(key)
    if not isinstance(name, str | int) or not 0 < len(str(name)) <= LONGEST_KEY:
        raise RowInvalid(
            f"A row has no usable {key!r}, which tells rows apart.",
            errors=[Fault(f"{where}.{key}", f"text or a number, {LONGEST_KEY} characters at most")],
        )
    whose = given.get(PROJECT, project)
    if whose not in (None, project):
        raise RowForeign(
            f"Row {name} belongs to a project that does not use the instance.",
            errors=[Fault(f"{where}.{PROJECT}", "not the instance's project")],
        )
    return NewRow(str(name), data, whose)


def check_generation(view: View | None, generation: int) -> None:
    if view is not None and generation < view.generation:
        raise GenerationPassed(
            f"View {view.name} is at generation {view.generation}; you sent {generation}. Count on"
            " from there."
        )


def is_truncated(
    before: View | None, generation: int, *, kept: int, dropped: int, total: int
) -> bool:
    """Whether there is more than is kept. Of one generation that stays true once it is."""
    earlier = before is not None and before.generation == generation and before.truncated
    return earlier or dropped > 0 or total > kept
