"""What is told of instances: to whoever reads them, and to controllers. Pure."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from moorage_core.instances.models import OperatorSeen, Revision

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]+)\}")
STALE = "Nothing was heard of it for too long."
"""Why nobody knows how an instance fares."""


def absence(operator: OperatorSeen | None) -> dict[str, Any] | None:
    """The condition that nobody listens for the instance, and who could change that."""
    if operator is not None and operator.listening:
        return None
    if operator is None:
        return _absent("Its app operator is gone.", "those who run the platform")
    whose = "the app's publisher" if operator.serves == "publisher" else "the project itself"
    seen = operator.last_seen_at
    since = "was never heard of" if seen is None else f"was last heard of at {_moment(seen)}"
    return _absent(
        f"No controller listens: app operator {operator.name} {since}.",
        f"{whose}, who runs app operator {operator.name}",
    )


def _absent(sentence: str, who: str) -> dict[str, Any]:
    return {
        "type": "controller_absent",
        "status": True,
        "reason": sentence,
        "who_acts": who,
    }


def _moment(at: datetime) -> str:
    return at.isoformat(timespec="seconds")


def artifacts(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a version needs, as its manifest names it."""
    names = ("name", "digest", "size")
    return [{name: each[name] for name in names} for each in manifest["artifacts"] or ()]


def change(new: Revision, now: Mapping[str, Any]) -> dict[str, Any]:
    """What an operation makes of an instance; what it is now is what was before."""
    return {
        "app_version": new.app_version,
        "version_id": new.version_id,
        "config": new.config,
        "revision": new.number,
        "previous": {name: now[name] for name in ("app_version", "config")},
    }


def access(template: str | None, endpoints: Mapping[str, Any]) -> str | None:
    """How people reach the instance, in the app's words; None while an endpoint is missing."""
    if template is None:
        return None
    missing: list[str] = []

    def put(found: re.Match[str]) -> str:
        name: str | None = found[1]
        if name is None:
            return found[0][0]
        if name not in endpoints:
            missing.append(name)
        return str(endpoints.get(name))

    text = _PLACEHOLDER.sub(put, template)
    return None if missing else text
