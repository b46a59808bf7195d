"""Arguments and results as JSON, and functions by their names."""

import os

import pytest

from moorage import Fail, Member, Secret
from moorage.controller import references
from sdk.tests.controller import sample


async def top() -> None: ...


def test_a_function_is_found_by_its_name() -> None:
    assert references.function_of(references.name_of(sample.stop)) is sample.stop


def test_an_undo_stands_at_the_top_of_its_module() -> None:
    async def inside() -> None: ...

    with pytest.raises(ValueError, match="cannot be found by its name"):
        references.name_of(inside)


@pytest.mark.parametrize(
    "name", ["os:system", "no.such.module:f", f"{__name__}:missing", "subprocess:run", ""]
)
def test_a_journal_names_no_function_but_those_of_controllers(name: str) -> None:
    assert os.system is not None

    with pytest.raises(Fail, match="has no function"):
        references.function_of(name)


def test_a_member_is_known_by_its_id() -> None:
    member = Member(id="mem_1", name="a", component="worker", status="ready")

    assert references.written([member]) == [{"$member": "mem_1"}]


def test_what_is_no_json_is_refused_with_its_type() -> None:
    with pytest.raises(TypeError, match="A set cannot be kept"):
        references.written({1, 2})


def test_a_result_is_what_every_later_run_finds() -> None:
    assert references.result({"a": (1, 2), "b": Secret("key")}) == {
        "a": [1, 2],
        "b": {"$secret": "key"},
    }


def test_a_result_has_a_largest_size() -> None:
    with pytest.raises(ValueError, match="65536 are kept at most"):
        references.result("x" * 70_000)


def test_references_come_back_as_what_they_stand_for() -> None:
    written = references.written(["a", {"b": [Secret("key")]}, Secret("other")])

    read = references.read(written, lambda kind, named: (kind, named))

    assert read == ["a", {"b": [("$secret", "key")]}, ("$secret", "other")]
