"""YAML that is refused where it appears, and what plain words mean."""

import math
from typing import Any

import pytest

from manifest.tests.examples import only
from moorage_manifest import document


def refused(text: str | bytes) -> tuple[int, int, str]:
    read = document.parse(text, file="m.yaml")
    fault = only(read.faults)
    return fault.line, fault.column, fault.message


def data(text: str) -> Any:
    read = document.parse(text, file="m.yaml")
    assert read.faults == []
    return read.data


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "line", "column", "part"),
    [
        (bomb(40), 1, 5, "'&a0' is an anchor"),
        ("a: *b", 1, 4, "'*b' stands for something elsewhere"),
        ("&a [*a]", 1, 1, "'&a' is an anchor"),
        ("a: !!python/object/apply:os.system [ls]", 1, 4, "is a tag"),
        ("a: !x 1", 1, 4, "is a tag"),
        ("a:\n  <<: {b: 1}", 2, 3, "'<<' merges"),
        ("a: 1\n---\nb: 2", 2, 1, "a second document begins here"),
        ("%YAML 1.1\n---\na: 1", 1, 1, "directives"),
        ("%TAG ! tag:x,2000:\n---\na: 1", 1, 1, "directives"),
        ("? [a, b]\n: c", 1, 3, "a key must be text"),
        ("", 1, 1, "the file is empty"),
        ("# nothing\n", 1, 1, "the file is empty"),
        ("a: [1, 2", 2, 1, "this is not YAML"),
        ("a:\n\t- b", 2, 1, "this is not YAML"),
        ("a: b: c", 1, 5, "this is not YAML"),
    ],
)
def test_what_json_could_not_say_is_refused_at_its_place(
    text: str, line: int, column: int, part: str
) -> None:
    found = refused(text)

    assert found[:2] == (line, column)
    assert part in found[2]


@pytest.mark.parametrize("text", ["[" * 100_000, "a: " + "{b: " * 50_000, "- " * 100_000])
def test_deep_nesting_is_left_at_the_limit(text: str) -> None:
    assert "nested deeper than 24 levels" in refused(text)[2]


def test_as_deep_as_the_limit_is_read() -> None:
    read = document.parse("[" * 24 + "]" * 24, file="m.yaml")

    assert read.faults == []


def test_many_values_are_refused() -> None:
    assert "more than 20,000 values" in refused("[" + "1," * 30_000 + "1]")[2]


@pytest.mark.parametrize("text", ["x" * 300_000, b"x" * 300_000, "é" * 200_000])
def test_a_large_file_is_refused(text: str | bytes) -> None:
    assert refused(text) == (1, 1, "the file is larger than 256 KiB")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: b\x00c", "U+0000"),
        ("a: b\x1b[2Jc", "U+001B"),
        ("a: b\x7fc", "U+007F"),
        ("a: b\x85c", "U+0085"),
        ("a: b\u2028c", "U+2028"),
        ("a: b\u202ec", "U+202E"),
        ("a: b\ufeffc", "U+FEFF"),
        ("a: b\ud800c", "U+D800"),
    ],
)
def test_characters_that_nobody_sees_are_refused(text: str, code: str) -> None:
    line, column, message = refused(text)

    assert (line, column) == (1, 5)
    assert f"the character {code} cannot be seen" in message


@pytest.mark.parametrize("text", ['a: "b\\0c"', 'a: "b\\e[2Jc"', 'a: "b\\u202ec"', '"a\\0": b'])
def test_written_as_an_escape_they_are_refused_too(text: str) -> None:
    assert "cannot be seen" in refused(text)[2]


def test_a_byte_order_mark_at_the_start_is_passed_over() -> None:
    assert document.parse(b"\xef\xbb\xbfa: 1", file="m.yaml").data == {"a": 1}
    assert data("\ufeffa: 1") == {"a": 1}


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [
        (b"a: 1\nb: \xff", 2, 4),
        ("a: é".encode("latin-1"), 1, 4),
        ("a: 1".encode("utf-16"), 1, 1),
        (b"\xed\xa0\x80", 1, 1),
    ],
)
def test_what_is_not_utf_8_is_refused_at_its_place(content: bytes, line: int, column: int) -> None:
    assert refused(content) == (line, column, "this is not UTF-8 text: save the file as UTF-8")


def test_a_second_key_is_refused_and_the_first_one_named() -> None:
    read = document.parse("a: 1\nb: 2\na: {c: [3]}", file="m.yaml")

    assert [str(fault) for fault in read.faults] == [
        "m.yaml:3:1: a: stands here a second time; first in line 1"
    ]
    assert read.data == {"a": 1, "b": 2}


@pytest.mark.parametrize("key", ["1", "1.5", "true", "~", "0x10"])
def test_a_key_that_would_not_be_text_is_refused(key: str) -> None:
    assert "write it in quotes" in refused(f"{key}: a")[2]
    assert data(f"'{key}': a") == {key: "a"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("No", "No"),
        ("on", "on"),
        ("true", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("012", 12),
        ("0o17", 15),
        ("0x1F", 31),
        ("-7", -7),
        ("1.10", 1.1),
        ("1e3", 1000.0),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("2026-01-01", "2026-01-01"),
        ("1.2.3", "1.2.3"),
        ("=", "="),
    ],
)
def test_a_plain_word_means_what_yaml_1_2_says(text: str, value: object) -> None:
    found = data(f"a: {text}")["a"]

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", ["'1.10'", '"1.10"', "|-\n  1.10", ">-\n  1.10"])
def test_in_quotes_a_number_is_text(text: str) -> None:
    assert data(f"a: {text}") == {"a": "1.10"}


@pytest.mark.parametrize(
    "number",
    ["9" * 10_000, "1" + "0" * 16, "1e999", "-1e999", ".inf", "-.INF", ".nan", "0x" + "f" * 30],
)
def test_a_number_that_no_reader_keeps_is_refused(number: str) -> None:
    read = document.parse(f"a: {number}", file="m.yaml")

    assert "this number is too large, or none" in only(read.faults).message
    assert math.isfinite(read.data["a"])


def test_a_value_knows_its_place() -> None:
    read = document.parse("é: ü\nb:\n  - c: [1,\n       'two']\n", file="m.yaml")

    assert read.where(("é",)) == document.Position(1, 4)
    assert read.where(("b", 0, "c"), key=True) == document.Position(3, 5)
    assert read.where(("b", 0, "c", 1)) == document.Position(4, 8)
    assert read.where(("b", 0, "d")) == document.Position(3, 5)
