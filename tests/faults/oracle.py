"""What a life has come to: everything that anybody can see of it, without what differs each time.

Two lives that were led alike are the same here, whatever went wrong in one of them. Left out are
ids, times, fences, attempts and versions; what remains must be equal to the last word, and what
must have happened once is counted.
"""

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.e2e.callers import pause
from tests.faults.life import Life

Json = dict[str, Any]
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?")
ID = re.compile(r"\b[a-z]{3}_[0-9A-Za-z]{26}\b")
INSTANCE = (
    *("status", "status_reason", "app_version", "runtime_version", "config", "revision"),
    *("operating_mode", "control_plane_scope", "runtime_backend", "topology_mode"),
    *("endpoints", "access"),
)
COMPONENT = ("key", "desired", "current", "ready")
MEMBER = (
    *("name", "component", "status", "status_reason", "app_version", "runtime_version"),
    *("config_hash", "adapter_detail", "managed", "keep_allocation"),
)
REVISION = ("number", "app_version", "config", "kind", "outcome")
OPERATION = (
    *("kind", "status", "direction", "phase", "error", "result", "residue", "recovery"),
    *("no_return", "action", "children", "verbs", "cancel_requested_at"),
)
STEP = ("phase", "number", "name", "status", "result", "no_return")
ENDS = ("succeeded", "failed", "cancelled", "abandoned")
UNSTEADY = (
    *("apps.instance.health_changed", "apps.member.health_changed"),
    "apps.secret.used",
)
"""They come when somebody looks, or asks again for a secret that is there."""

Look = Callable[[], Json]


def world(life: Life, operation: Json, *, nodes: Mapping[str, str], look: Look) -> Json:
    """Everything after an act. `nodes` gives machines the names of their parts in the life."""
    members = life.members()
    names = {member["id"]: member["name"] for member in members}
    calls = life.calls
    children = calls.get(f"/v1/operations?parent={operation['id']}&limit=200")["items"]
    instance = life.read()
    revisions = calls.get(f"{life.path}/revisions?limit=200")["items"]
    found = {
        "instance": _some(instance, INSTANCE),
        "components": [_some(each, COMPONENT) for each in instance["components"]],
        "members": [_member(each, names, nodes) for each in members],
        "revisions": [_some(each, REVISION) for each in revisions],
        "operation": _operation(life, operation, names),
        "children": [_operation(life, each, names) for each in children],
        "hosts": look(),
    }
    found["members"].sort(key=lambda each: each["name"])
    found["revisions"].sort(key=lambda each: each["number"])
    found["children"].sort(key=lambda each: (each["kind"], each["member"]))
    return plain(found)


def _member(member: Json, names: Mapping[str, str], nodes: Mapping[str, str]) -> Json:
    drain = member["drain"]
    return _some(member, MEMBER) | {
        "node": nodes.get(member["node_name"]),
        "replaces": names.get(member["replaces_id"]),
        "removed": member["removed_at"] is not None,
        "drain": drain and {key: drain[key] for key in sorted(drain) if not key.endswith("_id")},
    }


def _operation(life: Life, operation: Json, names: Mapping[str, str]) -> Json:
    steps = life.calls.get(f"/v1/operations/{operation['id']}/steps")["items"]
    return _some(operation, OPERATION) | {
        "member": names.get(operation["member_id"], ""),
        "steps": [_some(step, STEP) for step in steps],
    }


def _some(found: Json, names: Sequence[str]) -> Json:
    return {name: found[name] for name in names}


def plain(found: Any) -> Any:
    """Without times and ids."""
    text = json.dumps(found, sort_keys=True)
    return json.loads(ID.sub("<id>", TIME.sub("<time>", text)))


# Events


def list_events(life: Life, last: Json) -> list[Json]:
    """Everything that was said of the life, in order, once the end of its last operation was.

    An event is there a moment after what it tells, or later where the database was away.
    """
    deadline = time.monotonic() + life.within
    while True:
        found = _list_events(life)
        if any(each["subject"] == last["id"] and _is_end(each) for each in found):
            return found
        assert time.monotonic() < deadline, f"the end of {last['kind']} was never told"
        pause(0.1)


def _is_end(event: Json) -> bool:
    return event["type"].rsplit(".", 1)[1] in ENDS


def _list_events(life: Life) -> list[Json]:
    found: list[Json] = []
    after = ""
    while True:
        page = life.calls.get(f"/v1/events?project={life.project}&type=apps.*&limit=1000{after}")
        found += page["items"]
        if len(page["items"]) < 1000:
            return [each for each in found if each["appinstanceid"] == life.id]
        after = f"&after={page['next']}"


def stories(life: Life, events: Sequence[Json]) -> Json:
    """By what they are of: the events, in order, without those that say again that it goes on.

    Raises AssertionError where they are out of order, or come twice.
    """
    names = {member["id"]: member["name"] for member in life.members()}
    told: dict[str, list[Json]] = {}
    for event in events:
        if event["type"] not in UNSTEADY:
            told.setdefault(event["subject"], []).append(event)
    ids = [event["id"] for event in events]
    assert len(set(ids)) == len(ids), "an event came twice"
    numbers = [int(event["sequence"]) for event in events]
    assert numbers == sorted(set(numbers)), "events are out of order"
    found = [(_name(mine[0], names), _story(mine)) for mine in told.values()]
    return {"events": [[name, story] for name, story in sorted(found)]}


def _name(event: Json, names: Mapping[str, str]) -> str:
    data = event["data"]
    if not event["type"].startswith("apps.operation."):
        noun = event["type"].split(".")[1]
        return f"{noun} {names.get(event['subject'], '')}".strip()
    child = "child " if data["parent_id"] else ""
    return f"{child}{data['kind']} {names.get(data['member_id'], '')}".strip()


def _story(events: Sequence[Json]) -> list[str]:
    versions = [event["subjectversion"] for event in events]
    assert versions == sorted(versions), f"versions go back: {versions}"
    types = [event["type"] for event in events]
    if types[0].startswith("apps.operation."):
        ends = [each["type"] for each in events if _is_end(each)]
        assert len(ends) == 1, f"an operation ends once: {types}"
        if not events[0]["data"]["parent_id"]:
            assert types[0] == "apps.operation.requested", types
        assert types[-1] == ends[0], f"nothing comes after the end: {types}"
    return [each for at, each in enumerate(types) if at == 0 or types[at - 1] != each]


# Differences


def differences(expected: Any, found: Any, at: str = "") -> list[str]:
    """Where two worlds differ, in words."""
    if isinstance(expected, dict) and isinstance(found, dict):
        keys = sorted({*expected, *found})
        return [
            line
            for key in keys
            for line in differences(expected.get(key), found.get(key), f"{at}/{key}")
        ]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = enumerate(zip(expected, found, strict=True))
        return [line for n, (one, other) in pairs for line in differences(one, other, f"{at}/{n}")]
    return [] if expected == found else [f"{at}: expected {expected!r}, found {found!r}"]
