"""Configurations of instances: filled with what the schema gives, judged, compared. Pure."""

import copy
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import moorage_manifest
from moorage_core.errors import Fault
from moorage_core.instances import rules
from moorage_core.instances.models import Effect
from moorage_manifest import Manifest

NOTHING: dict[str, Any] = {"type": "object", "additionalProperties": False}
_REFERENCE = re.compile(r"#/\$defs/([^/]+)")
_DEPTH = 32

Json = Mapping[str, Any]


def settled(manifest: Manifest, given: Json) -> dict[str, Any]:
    """The configuration as the app will read it: defaults filled in, and judged by its schema."""
    schema = _schema(manifest)
    filled = _filled(schema, schema, given, _DEPTH)
    faults = moorage_manifest.config_faults(schema, filled)
    if faults:
        listed = [Fault(f"body.config.{each.path}".rstrip("."), each.message) for each in faults]
        first = listed[0]
        raise rules.InvalidConfig(
            f"{first.location.removeprefix('body.')} {first.message}.", errors=listed
        )
    return filled


def effects(manifest: Manifest, before: Json, after: Json) -> dict[str, Effect]:
    """By changed field: what that does to the running instance. What is not listed restarts."""
    declared = {} if manifest.config is None else manifest.config.effects
    return {pointer: _effect(declared, pointer) for pointer in _changed(before, after, "")}


def strongest(found: Mapping[str, Effect]) -> Effect:
    """What all changes together come to."""
    ordered: tuple[Effect, ...] = ("restart", "reconfigure", "none")
    return next(each for each in ordered if each == "none" or each in found.values())


def _schema(manifest: Manifest) -> dict[str, Any]:
    # An app that declares nothing takes nothing.
    return NOTHING if manifest.config is None else manifest.config.json_schema


def _filled(root: Json, schema: Json, given: Json, depth: int) -> dict[str, Any]:
    """The fields that were given, and those that the schema has a default for."""
    filled = dict(given)
    if depth == 0:
        return filled
    for part in _joined(root, schema, depth):
        for name, described in _object(part.get("properties")).items():
            below = _object(described)
            if name not in filled:
                found = [
                    part["default"] for part in _joined(root, below, depth) if "default" in part
                ]
                if not found:
                    continue
                filled[name] = copy.deepcopy(found[0])
            if isinstance(filled[name], dict):
                filled[name] = _filled(root, below, _object(filled[name]), depth - 1)
    return filled


def _joined(root: Json, schema: Json, depth: int) -> Iterator[Json]:
    """A schema, and those that apply to the same value: by reference, or by all of several."""
    yield schema
    if depth == 0:
        return
    match = _REFERENCE.fullmatch(str(schema.get("$ref", "")))
    named = _object(root.get("$defs")).get(match[1]) if match else None
    for each in [*schema.get("allOf", ()), named]:
        if isinstance(each, Mapping):
            yield from _joined(root, _object(cast(object, each)), depth - 1)


def _object(value: object) -> Json:
    return cast(Json, value) if isinstance(value, Mapping) else {}


def _changed(before: Any, after: Any, at: str) -> Iterator[str]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        old, new = cast(Json, before), cast(Json, after)
        for name in sorted({*old, *new}):
            place = f"{at}/{name.replace('~', '~0').replace('/', '~1')}"
            if name in old and name in new:
                yield from _changed(old[name], new[name], place)
            else:
                yield place
    elif before != after or isinstance(before, bool) != isinstance(after, bool):
        yield at


def _effect(declared: Mapping[str, Effect], pointer: str) -> Effect:
    """The nearest that is declared: the field itself, or one that it lies in."""
    while pointer:
        name = pointer[1:]
        if pointer in declared:
            return declared[pointer]
        if "/" not in name and _plain(name) in declared:
            return declared[_plain(name)]
        pointer = pointer.rpartition("/")[0]
    return "restart"


def _plain(name: str) -> str:
    return name.replace("~1", "/").replace("~0", "~")
