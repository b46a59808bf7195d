"""From words to configuration and placement."""

from pathlib import Path

import pytest

from moorage_cli import intent
from moorage_cli.failures import Refused
from moorage_cli.intent import Placement


def test_a_component_goes_on_named_allocations_or_on_new_ones() -> None:
    found = intent.placements(["leader=alc_a", "replica=3:host:lab"])

    assert found == {
        "leader": Placement(allocations=["alc_a"]),
        "replica": Placement(count=3, sku="host", region="lab"),
    }


def test_allocations_of_one_component_add_up() -> None:
    found = intent.placements(["replica=a,b", "replica=c"])

    assert found["replica"].allocations == ["a", "b", "c"]


@pytest.mark.parametrize("words", [["leader"], ["=a"], ["leader="], ["leader=3:host"]])
def test_a_component_that_goes_nowhere_is_refused(words: list[str]) -> None:
    with pytest.raises(Refused, match="COUNT:SKU:REGION"):
        intent.placements(words)


@pytest.mark.parametrize("words", [["r=a", "r=2:s:x"], ["r=2:s:x", "r=a"], ["r=1:s:x", "r=2:s:x"]])
def test_new_machines_of_a_component_are_asked_for_once(words: list[str]) -> None:
    with pytest.raises(Refused, match="placed twice"):
        intent.placements(words)


def test_a_value_can_be_the_text_of_a_file(tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    script.write_text("#!/bin/sh\nhostname\n")

    assert intent.overlaid({}, [f"script=@{script}"]) == {"script": "#!/bin/sh\nhostname\n"}


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="nothing cannot be read"):
        intent.overlaid({}, [f"script=@{tmp_path}/nothing"])


def test_values_read_as_json_or_as_text() -> None:
    words = ["port=7000", "name=blue", 'tags=["a"]', "on=true", 'digits="12"', "empty="]

    config = intent.overlaid({}, words)

    assert config == {
        "port": 7000,
        "name": "blue",
        "tags": ["a"],
        "on": True,
        "digits": "12",
        "empty": "",
    }


def test_a_dot_goes_one_level_down_and_leaves_the_base_alone() -> None:
    base = {"log": {"level": "info", "keep": 3}}

    config = intent.overlaid(base, ["log.level=debug", "store.path=/srv"])

    assert config == {"log": {"level": "debug", "keep": 3}, "store": {"path": "/srv"}}
    assert base == {"log": {"level": "info", "keep": 3}}


@pytest.mark.parametrize(
    ("word", "said"),
    [("port", "KEY=VALUE"), ("a..b=1", "KEY=VALUE"), ("port.x=1", "not an object")],
)
def test_a_word_that_sets_nothing_is_refused(word: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        intent.overlaid({"port": 7000}, [word])


@pytest.mark.parametrize("text", ["port: 7000\nname: blue\n", '{"port": 7000, "name": "blue"}'])
def test_a_file_is_yaml_or_json(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config"
    file.write_text(text)

    assert intent.configuration(file, ["port=1"]) == {"port": 1, "name": "blue"}


@pytest.mark.parametrize(
    ("text", "said"),
    [("a: [", "not YAML"), ("", "empty"), ("- a\n", "needs keys"), ("a: 1\na: 2\n", "line 2")],
)
def test_a_file_that_is_no_configuration_says_where(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text)

    with pytest.raises(Refused, match=said):
        intent.read(file)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="cannot be read"):
        intent.read(tmp_path / "absent.yaml")
