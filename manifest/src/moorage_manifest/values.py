"""Values, judged by a schema of a manifest.

The schema is a stranger's and so is the value: judging is counted in steps and given up where it
takes too many. Patterns go to the engine of `patterns`. Nothing is fetched, whatever a reference
says. No value stands in a message, because it may be a secret.
"""

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError
from referencing.jsonschema import EMPTY_REGISTRY

from moorage_manifest import canonical, schemas
from moorage_manifest.document import DEEPEST, MOST_NODES
from moorage_manifest.faults import MOST, Place, ValueFault, dotted
from moorage_manifest.patterns import Pattern

MOST_STEPS = 100_000
COMPILING = 500
"""Steps that a pattern costs; matching it costs one for every ten characters."""
NOTHING = EMPTY_REGISTRY
"""What can be referred to outside of a schema."""


class TooMuchWork(Exception):
    """A value takes too many steps. Reported as a fault, never raised to a caller."""


@dataclass
class _Work:
    """What one judgement may still cost, and the patterns that it has at hand."""

    left: int = MOST_STEPS
    compiled: Callable[[str], Pattern] = field(
        # A compiled pattern may take 10 MiB, so few are kept.
        default_factory=lambda: lru_cache(maxsize=8)(_compiled)
    )

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise TooMuchWork


_work: ContextVar[_Work] = ContextVar("work")


def config_faults(schema: schemas.Schema, value: Any) -> list[ValueFault]:
    """What a schema that `read` took finds wrong with a value."""
    for place, message in schemas.unsafe(schema):
        return [ValueFault("", f"the schema cannot be used: {dotted(place)}: {message}")]
    if _is_huge(value):
        return [
            ValueFault("", f"is too large: {MOST_NODES:,} values, {DEEPEST} deep, can be judged")
        ]
    try:
        with _working():
            # Without `$schema`, which would bring back the engine that the standard one uses.
            own = {word: part for word, part in schema.items() if word != "$schema"}
            errors = [*_Validator(own, registry=NOTHING).iter_errors(value)]
    except TooMuchWork:
        return [ValueFault("", "takes too long to judge by this schema: make either smaller")]
    return [*dict.fromkeys(_fault(error) for error in errors)][:MOST]


@contextmanager
def _working() -> Generator[None]:
    token = _work.set(_Work())
    try:
        yield
    finally:
        _work.reset(token)


def _compiled(text: str) -> Pattern:
    _work.get().spend(COMPILING)
    return Pattern(text)


def _is_huge(value: Any) -> bool:
    """Whether a value is more than a manifest could hold, or holds numbers that JSON has not."""
    ahead, seen = [(value, 1)], 0
    while ahead:
        found, depth = ahead.pop()
        seen += 1
        if seen > MOST_NODES or depth > DEEPEST:
            return True
        if isinstance(found, int) and found.bit_length() > 64:
            return True
        if isinstance(found, float) and not math.isfinite(found):
            return True
        ahead += [(part, depth + 1) for part in _parts(found)]
    return False


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return cast(Mapping[str, Any], value).values()
    return cast(list[Any], value) if isinstance(value, list) else ()


Errors = Iterable[ValidationError] | None
Keyword = Callable[[Any, Any, Any, Any], Errors]


def _counted(keyword: Keyword) -> Keyword:
    def count(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
        _work.get().spend(1)
        yield from keyword(validator, wanted, value, schema) or ()

    return count


def _is_in(text: str, value: str) -> bool:
    work = _work.get()
    work.spend(1 + len(value) // 10)
    return work.compiled(text).is_in(value)


def _pattern(validator: Any, wanted: str, value: Any, schema: Any) -> Errors:
    if isinstance(value, str) and not _is_in(wanted, value):
        yield ValidationError("does not match")


def _pattern_properties(validator: Any, wanted: Any, value: Any, schema: Any) -> Errors:
    for text, part in wanted.items() if isinstance(value, dict) else ():
        for name, inside in cast(dict[str, Any], value).items():
            if _is_in(text, name):
                yield from validator.descend(inside, part, path=name, schema_path=text)


def _additional(validator: Any, wanted: Any, value: Any, schema: Any) -> Errors:
    if not isinstance(value, dict):
        return
    fields = cast(dict[str, Any], value)
    texts = list(schema.get("patternProperties", {}))
    known = schema.get("properties", {})
    more = [n for n in fields if n not in known and not any(_is_in(text, n) for text in texts)]
    for name in more:
        if wanted is False:
            yield ValidationError("is unknown", path=[name])
        else:
            yield from validator.descend(fields[name], wanted, path=name)


def _unique(validator: Any, wanted: Any, value: Any, schema: Any) -> Errors:
    if wanted is not True or not isinstance(value, list):
        return
    texts = [canonical.text(_same(item)) for item in cast(list[Any], value)]
    if len(set(texts)) < len(texts):
        yield ValidationError("has something twice")


def _same(value: Any) -> Any:
    """A value in which 1.0 is 1, as JSON Schema compares."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_same(part) for part in cast(list[Any], value)]
    if isinstance(value, dict):
        return {name: _same(part) for name, part in cast(dict[str, Any], value).items()}
    return value


_OWN: dict[str, Keyword] = {
    "additionalProperties": _additional,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "uniqueItems": _unique,
}
_STANDARD = cast(dict[str, Keyword], Draft202012Validator.VALIDATORS)
_Validator: Any = cast(Any, validators).extend(
    Draft202012Validator,
    {word: _counted(keyword) for word, keyword in (_STANDARD | _OWN).items()},
)


def _fault(error: ValidationError) -> ValueFault:
    place: Place = tuple(error.absolute_path)
    say = _SAYINGS.get(str(error.validator))
    wanted: Any = error.validator_value
    if error.validator == "required":
        missing = next(name for name in wanted if f"{name!r} is a required" in error.message)
        return ValueFault(dotted((*place, missing)), "is missing")
    said = say(wanted) if say else f"does not fit '{error.validator}' of the schema"
    return ValueFault(dotted(place), said)


def _types(wanted: Any) -> str:
    words = [wanted] if isinstance(wanted, str) else cast(list[str], wanted)
    return f"must be {' or '.join(words)}"


_SAYINGS: dict[str, Callable[[Any], str]] = {
    "type": _types,
    "additionalProperties": lambda wanted: "is no field of the schema",
    "enum": lambda wanted: f"must be one of {canonical.text(wanted)[:200]}",
    "const": lambda wanted: f"must be {canonical.text(wanted)[:200]}",
    "minimum": lambda wanted: f"must be at least {wanted}",
    "maximum": lambda wanted: f"must be at most {wanted}",
    "exclusiveMinimum": lambda wanted: f"must be more than {wanted}",
    "exclusiveMaximum": lambda wanted: f"must be less than {wanted}",
    "multipleOf": lambda wanted: f"must be a multiple of {wanted}",
    "minLength": lambda wanted: f"must have at least {wanted} characters",
    "maxLength": lambda wanted: f"must have at most {wanted} characters",
    "minItems": lambda wanted: f"must have at least {wanted} entries",
    "maxItems": lambda wanted: f"must have at most {wanted} entries",
    "minProperties": lambda wanted: f"must have at least {wanted} fields",
    "maxProperties": lambda wanted: f"must have at most {wanted} fields",
    "pattern": lambda wanted: f"must match {wanted}",
    "uniqueItems": lambda wanted: "must have each entry once",
    "anyOf": lambda wanted: "fits none of the forms that the schema allows",
    "oneOf": lambda wanted: "must fit exactly one of the forms that the schema allows",
    "not": lambda wanted: "has a form that the schema excludes",
    "dependentRequired": lambda wanted: "lacks a field that another one needs",
    "contains": lambda wanted: "lacks an entry that the schema wants",
}
