"""JSON Schemas inside a manifest: which are taken.

A schema comes from a stranger, so it is bounded before it is used. It may refer to its own `$defs`
and to nothing else, and not round in a circle; it is counted as it is when every reference is
written out, which is what judging a value by it costs. Words that JSON Schema does not know are
refused too: most are another word, misspelt.
"""

import difflib
import graphlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from moorage_manifest import patterns
from moorage_manifest.faults import MOST, Place

HEAVIEST = 5_000
"""Schemas in a schema, counted with every reference written out."""
DEEPEST = 32
"""Schemas below one another, counted in the same way."""
MOST_PATTERNS = 64
"""Patterns in all schemas of a manifest: compiling one may take a twentieth of a second."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"
REFERENCE = re.compile(r"#/\$defs/([A-Za-z0-9_.-]+)")
ONE = frozenset(
    {"additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"}
)
SEVERAL = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
NAMED = frozenset({"dependentSchemas", "patternProperties", "properties"})
ABOUT = frozenset(
    {
        "$comment",
        "contentEncoding",
        "contentMediaType",
        "default",
        "deprecated",
        "description",
        "examples",
        "format",
        "readOnly",
        "title",
        "writeOnly",
    }
)
"""Words that say something and judge nothing."""
PLAIN = frozenset(
    {
        "$ref",
        "const",
        "dependentRequired",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "pattern",
        "required",
        "type",
        "uniqueItems",
    }
)
KNOWN = sorted(ONE | SEVERAL | NAMED | ABOUT | PLAIN | {"$defs", "$schema"})
REFUSED = {
    "$id": "a schema here has no address of its own",
    "$anchor": "refer to '#/$defs/name'",
    "$dynamicAnchor": "refer to '#/$defs/name'",
    "$dynamicRef": "refer to '#/$defs/name'",
    "$recursiveAnchor": "refer to '#/$defs/name'",
    "$recursiveRef": "refer to '#/$defs/name'",
    "$vocabulary": "the vocabulary is that of JSON Schema 2020-12",
    "contentSchema": "text is not looked into",
    "definitions": "in JSON Schema 2020-12 it is called '$defs'",
    "dependencies": "in JSON Schema 2020-12 it is 'dependentSchemas' or 'dependentRequired'",
    "unevaluatedItems": "use 'items: false'",
    "unevaluatedProperties": "use 'additionalProperties: false'",
}

Schema = Mapping[str, Any]
Wrong = tuple[Place, str]


@dataclass
class Allowance:
    """What the schemas of one manifest may cost together."""

    patterns: int = MOST_PATTERNS


def schema_faults(schema: Schema, allowance: Allowance | None = None) -> list[Wrong]:
    """What is wrong with a schema, each with its place in it."""
    found = unsafe(schema, allowance)
    if found:
        return found
    if schema.get("type") != "object":
        found.append((("type",), "must be 'object': a schema here describes fields"))
    standard: Any = Draft202012Validator(Draft202012Validator.META_SCHEMA)
    return found + [_nonstandard(error) for error in [*standard.iter_errors(schema)][:MOST]]


def unsafe(schema: Schema, allowance: Allowance | None = None) -> list[Wrong]:
    """What keeps a schema from being used at all: words, references, weight, patterns."""
    survey = _Survey(allowance or Allowance())
    survey.part("", (), schema)
    definitions = _mapping(schema.get("$defs"))
    for name, definition in definitions.items():
        survey.part(name, ("$defs", name), definition)
    return survey.wrong or [*survey.judge(definitions)]


def lacking(schema: Schema, names: Iterable[str]) -> list[str]:
    """Which fields a sound schema does not describe, of some given by name or as JSON pointers."""
    described = lru_cache(maxsize=None)(_Fields(schema).below)
    return [name for name in names if not _leads(described, name)]


def _leads(described: Callable[[tuple[str, ...]], Mapping[str, Any]], name: str) -> bool:
    """Whether each step of the way to a field is a field of the one before."""
    parts = name[1:].split("/") if name.startswith("/") else [name]
    way = tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)
    return all(part in described(way[:step]) for step, part in enumerate(way))


@dataclass(frozen=True)
class _Fields:
    """The fields that a schema describes: by itself, by reference, or by all of several."""

    root: Schema

    def below(self, way: tuple[str, ...]) -> dict[str, list[Any]]:
        """The fields below a place, each with the schemas that describe it."""
        here = [self.root] if not way else self.below(way[:-1]).get(way[-1], [])
        found: dict[str, list[Any]] = {}
        for schema in self._joined(here):
            for name, part in _mapping(schema.get("properties")).items():
                found.setdefault(name, []).append(part)
        return found

    def _joined(self, given: list[Any]) -> Iterator[Schema]:
        """The schemas, with those that apply to the same value."""
        ahead = [*given]
        while ahead:
            schema = _mapping(ahead.pop())
            yield schema
            ahead += schema.get("allOf", ())
            match = REFERENCE.fullmatch(str(schema.get("$ref", "")))
            ahead += [_mapping(self.root.get("$defs")).get(match[1])] if match else []


@dataclass
class _Part:
    """The schema itself, or one of its definitions: what it weighs and whom it refers to."""

    weight: int = 0
    depth: int = 0
    refers: list[tuple[Place, str, int]] = field(default_factory=list[tuple[Place, str, int]])
    """Each reference: where it stands, to what, and how deep."""


@dataclass
class _Survey:
    """A walk through every schema in a schema."""

    allowance: Allowance
    parts: dict[str, _Part] = field(default_factory=dict[str, _Part])
    wrong: list[Wrong] = field(default_factory=list[Wrong])
    weight: int = 0

    def part(self, name: str, place: Place, schema: Any) -> None:
        """Walk through one part; `name` is empty for the schema itself."""
        part = self.parts[name] = _Part()
        ahead: list[tuple[Place, Any, int]] = [(place, schema, 1)]
        while ahead:
            here, found, depth = ahead.pop()
            self.weight += 1
            part.weight += 1
            part.depth = max(part.depth, depth)
            if self.weight > HEAVIEST or depth > DEEPEST:
                self.wrong.append((place, _too_heavy()))
                return
            if isinstance(found, Mapping):
                inside = cast(Schema, found)
                self._look(part, here, inside, depth)
                ahead += [(p, s, depth + 1) for p, s in _below(here, inside)]

    def _look(self, part: _Part, here: Place, schema: Schema, depth: int) -> None:
        self.wrong += _words(here, schema)
        if "$ref" in schema:
            match = REFERENCE.fullmatch(str(schema["$ref"]))
            if match is None:
                said = "only '#/$defs/name' can be referred to, in the schema itself"
                self.wrong.append(((*here, "$ref"), said))
            else:
                part.refers.append(((*here, "$ref"), match[1], depth))
        texts = [((*here, "pattern"), schema["pattern"])] if "pattern" in schema else []
        named = _mapping(schema.get("patternProperties"))
        texts += [((*here, "patternProperties", text), text) for text in named]
        for place, text in texts:
            self._pattern(place, text)

    def _pattern(self, place: Place, text: Any) -> None:
        self.allowance.patterns -= 1
        if self.allowance.patterns == -1:
            self.wrong.append((place, f"there are more than {MOST_PATTERNS} patterns"))
        if self.allowance.patterns < 0 or not isinstance(text, str):
            return
        try:
            patterns.Pattern(text)
        except patterns.BadPattern as err:
            self.wrong.append((place, str(err)))

    def judge(self, definitions: Mapping[str, Any]) -> Iterator[Wrong]:
        """Where references lead, and what the schema weighs once they are written out."""
        refers = [(p, to) for part in self.parts.values() for p, to, _ in part.refers]
        lost = [(place, to) for place, to in refers if to not in definitions]
        yield from ((place, f"there is no '{to}' in $defs") for place, to in lost)
        if lost:
            return
        graph = {name: {to for _, to, _ in part.refers} for name, part in self.parts.items()}
        try:
            order = [*graphlib.TopologicalSorter(graph).static_order()]
        except graphlib.CycleError as err:
            yield ("$defs", err.args[1][0]), "refers to itself, by itself or through others"
            return
        for name in order:
            self._write_out(self.parts[name])
        if any(p.weight > HEAVIEST or p.depth > DEEPEST for p in self.parts.values()):
            yield (), _too_heavy()

    def _write_out(self, part: _Part) -> None:
        for _, to, depth in part.refers:
            part.weight += self.parts[to].weight
            part.depth = max(part.depth, depth + self.parts[to].depth)


def _words(here: Place, schema: Schema) -> Iterator[Wrong]:
    """Keywords that are refused, unknown, or stand where they mean nothing."""
    for word in schema:
        place = (*here, word)
        if word in REFUSED:
            yield place, f"'{word}' is not taken: {REFUSED[word]}"
        elif word == "$schema" and (here or schema[word] != DIALECT):
            yield place, f"must stand at the top of the schema and be '{DIALECT}', or be left out"
        elif word == "$defs" and here:
            yield place, "definitions stand at the top of the schema"
        elif word not in KNOWN and not word.startswith("x-"):
            near = difflib.get_close_matches(word, KNOWN, n=1)
            hint = f": did you mean '{near[0]}'?" if near else "; words of your own begin with 'x-'"
            yield place, f"JSON Schema has no '{word}'{hint}"


def _below(here: Place, schema: Schema) -> Iterator[tuple[Place, Any]]:
    """The schemas directly in a schema, but for its definitions."""
    for word, value in schema.items():
        if word in ONE:
            yield (*here, word), value
        elif word in SEVERAL and isinstance(value, list):
            parts = cast(list[Any], value)
            yield from (((*here, word, index), part) for index, part in enumerate(parts))
        elif word in NAMED:
            yield from (((*here, word, name), part) for name, part in _mapping(value).items())


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], value) if isinstance(value, Mapping) else {}


def _too_heavy() -> str:
    return (
        f"the schema is too large: it may hold {HEAVIEST:,} schemas, {DEEPEST} deep, with every "
        "reference written out"
    )


def _nonstandard(error: ValidationError) -> Wrong:
    place: Place = tuple(error.absolute_path)
    return place, f"is not what JSON Schema 2020-12 allows here ({error.validator})"
