"""Members as callers see them. Pure."""

from typing import Any

from moorage_core.members.models import Member


def member(row: Member) -> dict[str, Any]:
    drained = row.drain_owner is not None
    drain = {"owner": row.drain_owner, "reason": row.drain_reason} if drained else None
    return {**vars(row), "drain": drain}
