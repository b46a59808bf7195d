"""Which JSON Schemas a manifest may hold."""

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifest.tests.examples import judge, said
from moorage_manifest import schemas


def wrong(**words: Any) -> list[tuple[str, str]]:
    """What is wrong with an object schema that has these words too."""
    found = schemas.schema_faults({"type": "object", **words})
    return [("/".join(map(str, place)), message) for place, message in found]


def refers(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def test_a_schema_of_every_word_is_taken() -> None:
    assert (
        wrong(
            **{"$schema": schemas.DIALECT, "$defs": {"a": {"type": "string"}}, "x-ui": {"any": 1}},
            properties={"a": refers("a"), "$id": {"type": "string"}, "b": True},
            patternProperties={"^x": {"pattern": "[0-9]+"}},
            additionalProperties=False,
            required=["a"],
            allOf=[{"if": {"const": 1}, "then": {"enum": [1]}, "else": {"not": {}}}],
            dependentSchemas={"a": {"minProperties": 1}},
        )
        == []
    )


@pytest.mark.parametrize(
    "target",
    [
        "https://example.org/schema.json",
        "http://169.254.169.254/latest",
        "file:///etc/passwd",
        "other.json#/$defs/a",
        "#",
        "#/properties/a",
        "#/$defs/a/properties/b",
        "#anchor",
        "//example.org",
        "",
        7,
    ],
)
def test_a_reference_out_of_the_schema_is_refused(target: Any) -> None:
    found = wrong(properties={"a": {"$ref": target}}, **{"$defs": {"a": True}})

    assert (
        "properties/a/$ref",
        "only '#/$defs/name' can be referred to, in the schema itself",
    ) in (found)


def test_a_reference_to_nothing_is_refused() -> None:
    assert wrong(items=refers("nothing")) == [("items/$ref", "there is no 'nothing' in $defs")]


@pytest.mark.parametrize(
    "definitions",
    [
        {"a": refers("a")},
        {"a": {"items": refers("b")}, "b": {"properties": {"x": refers("a")}}},
        {"a": {"allOf": [refers("b")]}, "b": refers("c"), "c": {"not": refers("a")}},
    ],
)
def test_references_that_go_round_are_refused(definitions: dict[str, Any]) -> None:
    ((place, message),) = wrong(**{"$defs": definitions})

    assert place.startswith("$defs/")
    assert "refers to itself" in message


def test_references_that_multiply_are_refused() -> None:
    definitions: dict[str, Any] = {
        f"d{n}": {"properties": {x: refers(f"d{n + 1}") for x in "abcdefghij"}} for n in range(20)
    }

    found = wrong(**{"$defs": definitions | {"d20": {"type": "string"}}}, items=refers("d0"))

    assert "the schema is too large" in found[0][1]


def test_a_long_chain_of_references_is_refused() -> None:
    chain: dict[str, Any] = {f"d{n}": refers(f"d{n + 1}") for n in range(1000)}

    found = wrong(**{"$defs": chain | {"d1000": True}})

    assert "the schema is too large" in found[0][1]


def test_a_huge_schema_is_refused() -> None:
    found = wrong(properties={f"p{n}": {"type": "string"} for n in range(6000)})

    assert "the schema is too large" in found[0][1]


@pytest.mark.parametrize("word", sorted(schemas.REFUSED))
def test_words_that_reach_further_are_refused(word: str) -> None:
    ((place, message),) = wrong(properties={"a": {word: "x"}})

    assert place == f"properties/a/{word}"
    assert "is not taken" in message


def test_a_schema_of_another_dialect_is_refused_anywhere() -> None:
    other = "http://json-schema.org/draft-07/schema#"

    assert wrong(**{"$schema": other})
    assert wrong(properties={"a": {"$schema": schemas.DIALECT}})


def test_a_misspelt_word_is_told_what_it_may_be() -> None:
    assert wrong(requried=["a"]) == [
        ("requried", "JSON Schema has no 'requried': did you mean 'required'?")
    ]


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ({"properties": {"a": {"type": "strnig"}}}, "properties/a/type"),
        ({"required": "a"}, "required"),
        ({"properties": {"a": {"minLength": -1}}}, "properties/a/minLength"),
        ({"properties": []}, "properties"),
        ({"properties": {"a": 7}}, "properties/a"),
        ({"properties": {"a": {"enum": 3}}}, "properties/a/enum"),
        ({"type": "string"}, "type"),
        ({"type": ...}, "type"),
    ],
)
def test_what_the_standard_does_not_allow_is_refused(words: dict[str, Any], place: str) -> None:
    schema = {"type": "object", **words}
    schema = {word: value for word, value in schema.items() if value is not ...}

    assert place in ["/".join(map(str, found)) for found, _ in schemas.schema_faults(schema)]


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        ("(?=a)b", "look-around"),
        (r"(a)\1", "backreferences"),
        ("[", "not understood"),
        ("((a{100}){100}){100}", "too large"),
        (r"(\w{200}){9}", "too large"),
        ("a" * 501, "longer than 500"),
        ("(" * 400 + ")" * 400, "longer than 500"),
    ],
)
def test_a_pattern_that_the_engine_does_not_take_is_refused(pattern: str, part: str) -> None:
    ((place, message),) = wrong(properties={"a": {"pattern": pattern}})
    ((other, _),) = wrong(patternProperties={pattern: {}})

    assert place == "properties/a/pattern"
    assert other == f"patternProperties/{pattern}"
    assert part in message


def test_many_patterns_are_refused() -> None:
    found = wrong(properties={f"p{n}": {"pattern": "a"} for n in range(80)})

    assert [message for _, message in found] == ["there are more than 64 patterns"]


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("a", True),
        ("/a", True),
        ("b", True),
        ("/b/c", True),
        ("/b/c/d", False),
        ("e", True),
        ("x/y", True),
        ("/x~1y", True),
        ("no", False),
        ("/", False),
    ],
)
def test_a_field_is_found_by_name_and_by_pointer(name: str, there: bool) -> None:
    schema = {
        "properties": {"a": {}, "b": refers("b"), "x/y": True},
        "allOf": [{"properties": {"e": {"type": "string"}}}],
        "$defs": {"b": {"properties": {"c": {}}}},
    }

    assert (schemas.lacking(schema, [name]) == []) is there


words = st.sampled_from([*schemas.KNOWN, "x-ui", "$id", "colour", "a"])
values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["#/$defs/a", "a", "object"])
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=4)),
    max_leaves=20,
)


@given(st.dictionaries(words, values, max_size=6))
def test_any_schema_is_judged_and_one_that_is_taken_is_valid(schema: dict[str, Any]) -> None:
    if schemas.schema_faults(schema) == []:
        jsonschema.Draft202012Validator.check_schema(schema)


def test_the_patterns_of_a_manifest_are_counted_together() -> None:
    schema = {"type": "object", "properties": {f"p{n}": {"pattern": "a"} for n in range(20)}}
    actions = [
        {"name": f"echo.a{n}", "title": "x", "permission": "echo.greeting.say", "input": schema}
        for n in range(5)
    ]

    assert list(said(judge(actions=actions)).values()) == ["there are more than 64 patterns"]
