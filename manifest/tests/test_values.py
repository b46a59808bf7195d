"""Values, judged by schemas of strangers."""

import socket
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moorage_manifest import config_faults, patterns


def said(schema: dict[str, Any], value: Any) -> list[str]:
    return [str(fault) for fault in config_faults(schema, value)]


def test_a_value_that_fits_has_no_fault() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/a"}},
        "$defs": {"a": {"minimum": 1}},
    }

    assert said(schema, {"a": 1}) == []
    assert said(schema, {"a": 0}) == ["a: must be at least 1"]


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"type": ["string", "null"]}, 1, "must be string or null"),
        ({"required": ["a", "b"]}, {"a": 1}, "b: is missing"),
        ({"additionalProperties": False}, {"a b": 1}, '["a b"]: is no field of the schema'),
        ({"enum": ["a", 1]}, 2, 'must be one of ["a",1]'),
        ({"const": {"a": 1}}, 2, 'must be {"a":1}'),
        ({"items": {"maxLength": 2}}, ["a", "abc"], "[1]: must have at most 2 characters"),
        ({"patternProperties": {"^a": {"type": "integer"}}}, {"ab": "x"}, "ab: must be integer"),
        ({"uniqueItems": True}, [1, {"a": 1}, {"a": 1.0}], "must have each entry once"),
        (
            {"anyOf": [{"type": "string"}, False]},
            1,
            "fits none of the forms that the schema allows",
        ),
        ({"propertyNames": {"maxLength": 1}}, {"ab": 1}, "must have at most 1 characters"),
        ({"contains": {"const": 1}}, [2], "lacks an entry that the schema wants"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "lacks a field that another one needs"),
    ],
)
def test_a_fault_says_what_would_help(schema: dict[str, Any], value: Any, message: str) -> None:
    assert said(schema, value) == [message]


def test_a_message_never_holds_the_value() -> None:
    schema = {
        "properties": {"token": {"type": "integer", "maxLength": 3, "pattern": "^x", "enum": [1]}},
        "not": {"required": ["token"]},
    }

    faults = said(schema, {"token": "hunter2-secret"})

    assert len(faults) == 5
    assert "hunter2" not in " ".join(faults)


class Forbidden:
    """Stands where `re` was, and fails whoever uses it."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"re.{name} was used on a stranger's pattern")


def test_patterns_are_matched_by_the_engine_that_cannot_explode(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("jsonschema._keywords.re", Forbidden())
    monkeypatch.setattr("jsonschema._utils.re", Forbidden())
    schema = {
        "properties": {"a": {"pattern": "(a+)+$"}},
        "patternProperties": {"^(b*)*$": {"type": "integer"}},
        "additionalProperties": False,
    }

    faults = said(schema, {"a": "a" * 50_000 + "!", "bb": "x", "c": 1})

    assert faults == ["a: must match (a+)+$", "bb: must be integer", "c: is no field of the schema"]


def test_the_engine_is_the_one_without_look_around() -> None:
    with pytest.raises(patterns.BadPattern, match="look-around"):
        patterns.Pattern("(?=a)")


def test_a_pattern_is_found_anywhere_and_an_anchored_one_is_not() -> None:
    assert patterns.Pattern("b").is_in("abc")
    assert not patterns.Pattern("^b$").is_in("abc")
    assert not patterns.Pattern("^b$").is_in("b\n")


@pytest.mark.parametrize("place", ["http://example.org/a.json", "file:///etc/passwd", "#/nothing"])
def test_nothing_is_fetched(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)

    assert "the schema cannot be used" in said({"$ref": place}, {})[0]


def test_a_schema_that_names_its_dialect_is_judged_by_the_same_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("jsonschema._keywords.re", Forbidden())
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {"a": {"not": {"pattern": "^x"}}},
    }

    assert said(schema, {"a": "xy"}) == ["a: has a form that the schema excludes"]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"items": {"anyOf": [{"const": n} for n in range(3000)]}}, list(range(5000, 15_000))),
        (
            {"patternProperties": {f"a{n}": {} for n in range(50)}},
            {f"a{n}": n for n in range(15_000)},
        ),
        ({"items": {"pattern": "b"}}, ["a" * 10_000] * 2000),
    ],
)
def test_too_much_work_is_given_up(schema: dict[str, Any], value: Any) -> None:
    assert said(schema, value) == ["takes too long to judge by this schema: make either smaller"]


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [nested(100_000), [0] * 100_000, 10**400, float("nan"), float("inf"), {"a": [-(10**30)]}],
    ids=["deep", "long", "huge", "nan", "infinite", "hidden"],
)
def test_a_value_that_no_manifest_could_hold_is_refused(value: Any) -> None:
    assert "is too large" in said({"multipleOf": 0.1}, value)[0]


leaves = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from([1.0, 0.5, "a", "ab"])
)
documents = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=12,
)
simple = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["object", "array", "string", "integer", "null"]),
        "pattern": st.sampled_from(["^a", "b$", "a"]),
        "uniqueItems": st.booleans(),
        "minimum": st.integers(-1, 1),
        "required": st.just(["a"]),
        "enum": st.lists(leaves, min_size=1, max_size=3),
    },
)
composed = st.recursive(
    simple,
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            "patternProperties": st.dictionaries(st.sampled_from(["a", "^b"]), inner, max_size=2),
            "additionalProperties": st.one_of(st.booleans(), inner),
            "items": inner,
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
        },
    ),
    max_leaves=6,
)


@given(composed, documents)
def test_the_verdict_is_that_of_the_standard(schema: dict[str, Any], value: Any) -> None:
    fits = jsonschema.Draft202012Validator(schema).is_valid(value)

    assert (config_faults(schema, value) == []) is fits
