"""The pages say what the library does."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from manifest.tests.examples import SMALL, WHOLE, text
from moorage_manifest import folder, read

REPO = Path(__file__).parents[2]
PAGE = (REPO / "docs/howto/write-a-manifest.md").read_text()
SCHEMA = json.loads((REPO / "contract/manifest.schema.json").read_text())


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_manifest_that_the_page_builds_up_is_sound() -> None:
    reading = read("".join(blocks("yaml")))

    assert reading.faults == []
    assert reading.manifest is not None
    assert reading.manifest.slug == "greeter"


def test_the_folder_that_the_page_builds_up_validates(tmp_path: Path) -> None:
    (tmp_path / "artifacts").mkdir()
    (tmp_path / "artifacts/greeter.tar.gz").touch()
    (tmp_path / "runbook.md").write_text("# Greeter\n")
    (tmp_path / "manifest.yaml").write_text("".join(blocks("yaml")))

    assert folder.validate(tmp_path) == []


def test_the_faults_on_the_page_are_those_of_its_manifest() -> None:
    (faulty,), (told,) = blocks("yaml faulty"), blocks("text")

    assert [str(fault) for fault in read(faulty).faults] == told.splitlines()


def test_the_schema_of_the_contract_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("manifest", [SMALL, WHOLE], ids=["small", "whole"])
def test_the_schema_of_the_contract_takes_what_the_library_takes(manifest: Any) -> None:
    assert read(text(manifest)).faults == []
    assert list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(manifest)) == []


@pytest.mark.parametrize(
    "change",
    [
        {"version": 1.1},
        {"version": "1.1"},
        {"slug": "A"},
        {"colour": "red"},
        {"modes": []},
        {"contract": 2},
        {"timeouts": {"member.add": "soon"}},
        {"timeouts": {"member.dance": 5}},
        {"runbook": "../runbook.md"},
        {"components": {"a b": {}}},
        {"tasks": {"kinds": ["wipe"]}},
    ],
)
def test_both_refuse_alike(change: dict[str, Any]) -> None:
    changed = SMALL | change

    assert read(text(changed)).manifest is None
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(changed)
