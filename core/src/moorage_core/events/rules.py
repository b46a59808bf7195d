"""What an event must carry, and what a reader gets to see. Pure."""

from moorage_core.context import EventRecord
from moorage_core.errors import ApiError
from moorage_core.events.registry import TYPES

OF_AN_INSTANCE = ("apps.instance.", "apps.member.")
"""What only an app's instance has. Operations and tasks may be about machines alone."""


class IncompleteEvent(Exception):
    """A bug of ours: an event without what its readers rely on."""


def check(record: EventRecord) -> None:
    """Refuse an event of an unknown type or shape, or an app's without its five ids."""
    known = TYPES.get(record.type)
    if known is None:
        raise IncompleteEvent(f"{record.type} is not in events/registry.py")
    known.data.model_validate(record.data)
    if record.type.startswith(OF_AN_INSTANCE):
        five = (record.project, record.app_slug, record.app_instance_id, record.org)
        if not all(five):
            raise IncompleteEvent(f"{record.type} needs project, app and instance")
    elif record.type.startswith("apps.") and not record.project:
        raise IncompleteEvent(f"{record.type} needs its project")


LATEST = -1
"""In place of a cursor: from now on."""


class CursorExpired(ApiError):
    """This cursor does not fit the events that are kept."""

    status = 410
    code = "cursor_expired"


def start_back(after: int | None, *, last: int) -> int:
    """Where reading backwards begins: everything before it is wanted."""
    if after is None or after == LATEST:
        return last + 1
    if after > last + 1:
        raise _ahead(after, last)
    return after


def start(after: int | None, *, last: int, floor: int) -> int:
    """Where reading begins. Without a cursor: at the oldest event still kept."""
    if after is None:
        return floor
    if after == LATEST:
        return last
    if after > last:
        raise _ahead(after, last)
    if after < floor:
        raise CursorExpired(
            f"The cursor {after} is older than what is kept (from {floor}). Read the present state"
            " of what you follow, then go on with after=latest."
        )
    return after


def _ahead(after: int, last: int) -> CursorExpired:
    return CursorExpired(
        f"The cursor {after} lies ahead of the log, which ends at {last}: the platform was "
        "restored from a backup. Read the present state of what you follow, then go on with "
        "after=latest."
    )
