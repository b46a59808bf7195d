"""From text to a manifest, or to every fault of it."""

from pathlib import Path
from typing import Any

import pytest

from manifest.tests import golden_files
from manifest.tests.examples import DIGEST, SMALL, WHOLE, judge, only, said, text
from moorage_manifest import Manifest, read

GOLDEN = Path(__file__).parent / "golden"


def test_a_small_manifest_is_read() -> None:
    reading = read(text(SMALL))

    assert reading.faults == []
    assert reading.manifest is not None
    assert reading.manifest.namespace == "echo"
    assert reading.manifest.runtime_backend == "echo"


def test_a_manifest_that_says_everything_is_read() -> None:
    reading = read(text(WHOLE))

    assert reading.faults == []
    assert reading.manifest is not None
    assert set(WHOLE) == set(Manifest.model_fields)
    assert reading.manifest.timeouts == {"instance.deploy": 1800, "member.add": 90}


def test_a_manifest_survives_json() -> None:
    manifest = read(text(WHOLE)).manifest
    assert manifest is not None

    again = Manifest.model_validate(manifest.model_dump(mode="json"))

    assert again == manifest
    assert again.digest == manifest.digest


def test_the_digest_is_of_what_it_says_and_not_of_how() -> None:
    one = read(text(SMALL)).manifest
    other = read("# A comment\n" + text(dict(reversed(SMALL.items())))).manifest
    changed = read(text(SMALL | {"summary": "Something else."})).manifest

    assert one is not None
    assert other is not None
    assert changed is not None
    assert one.digest == other.digest
    assert one.digest != changed.digest


def test_every_fault_is_told_at_once_in_order_and_with_its_place() -> None:
    reading = read((GOLDEN / "many-faults.yaml").read_bytes(), file="many-faults.yaml")

    assert reading.manifest is None
    golden_files.check("many-faults.txt", "\n".join(map(str, reading.faults)) + "\n")


def test_at_most_a_hundred_faults_are_told() -> None:
    reading = judge(families=["nowhere"] * 500)

    assert len(reading.faults) == 100
    assert "more faults" in reading.faults[-1].message


@pytest.mark.parametrize("document", ["[]", "text", "1", "null"])
def test_a_document_that_has_no_fields_is_refused(document: str) -> None:
    assert "must be fields" in only(read(document).faults).message


def test_a_version_that_is_a_number_is_told_to_stand_in_quotes() -> None:
    reading = read("version: 1.10")

    assert said(reading)["version"] == "must be text: write it in quotes, '1.10'"


@pytest.mark.parametrize(
    "version",
    [
        "1",
        "1.2",
        "1.2.3.4",
        "v1.2.3",
        "01.2.3",
        "1.2.3-",
        "1.2.3-01",
        "latest",
        "",
        "1.2.3 ",
        "9" * 99,
    ],
)
def test_a_version_that_is_no_semantic_version_is_refused(version: str) -> None:
    assert list(said(judge(version=version))) == ["version"]


@pytest.mark.parametrize("version", ["0.0.0", "1.2.3-rc.1", "1.2.3-0a.-+build.01", "1.2.3+0"])
def test_a_semantic_version_is_taken(version: str) -> None:
    assert judge(version=version).faults == []


@pytest.mark.parametrize(
    ("section", "path"),
    [
        ({"colour": "red"}, "colour"),
        ({"[key]": "red"}, '["[key]"]'),
        ({"": "red"}, '[""]'),
        ({"tasks": {"kinds": [], "run_as": [], "colour": 1}}, "tasks.colour"),
        ({"rollback": {"supported": True, "losses": []}}, "rollback.losses"),
        ({"components": {"head": {"minimum": 1}}}, "components.head.minimum"),
    ],
)
def test_an_unknown_field_is_refused_anywhere(section: dict[str, Any], path: str) -> None:
    assert "there is no such field here" in said(judge(**section))[path]


def test_a_misspelt_field_is_told_what_it_may_be() -> None:
    assert said(judge(permisions=[]))["permisions"].endswith("did you mean 'permissions'?")
    assert said(judge(tasks={"kinds": [], "runas": []}))["tasks.runas"].endswith("'run_as'?")


PATHS = [
    "/etc/passwd",
    "../secret",
    "a/../../secret",
    "a/..",
    "..",
    ".",
    "./a",
    "a//b",
    "a/",
    "a\\..\\b",
    "C:/windows",
    "~root/../x",
    "a\nb",
    "",
]


@pytest.mark.parametrize("path", [path for path in PATHS if path != "a\nb"])
def test_a_path_out_of_the_folder_is_refused(path: str) -> None:
    artifact = {"name": "a", "digest": DIGEST, "size": 1, "media_type": "a/b", "file": path}

    assert "artifacts[0].file" in said(judge(artifacts=[artifact]))
    assert "runbook" in said(judge(runbook=f"{path}/runbook.md" if path == "a/.." else path))


@pytest.mark.parametrize("path", ["a", "a/b.c", ".hidden/x", "..a/b..", "a b", "é/ü", "a/...b"])
def test_a_path_inside_the_folder_is_taken(path: str) -> None:
    artifact = {"name": "a", "digest": DIGEST, "size": 1, "media_type": "a/b", "file": path}

    assert judge(artifacts=[artifact]).faults == []


@pytest.mark.parametrize(
    "name", ["a/b", "../a", "..", ".", "", "a b", "a\\b", "/a", "a" * 200, "é"]
)
def test_an_artifact_has_a_plain_name(name: str) -> None:
    artifact = {"name": name, "digest": DIGEST, "size": 1, "media_type": "a/b"}

    assert list(said(judge(artifacts=[artifact]))) == ["artifacts[0].name"]


@pytest.mark.parametrize(
    "slug", ["Echo", "echo_app", "1echo", "-echo", "echo-", "a--b", "a/b", "", "a" * 41]
)
def test_a_slug_that_is_none_is_refused(slug: str) -> None:
    assert "slug" in said(judge(slug=slug))


@pytest.mark.parametrize(
    "time", [0, -5, True, 1.5, "soon", "5d", "1h30m", "-5m", "999999h", 604_801, None, []]
)
def test_a_time_that_is_none_is_refused(time: object) -> None:
    assert list(said(judge(timeouts={"member.add": time}))) == ['timeouts["member.add"]']


@pytest.mark.parametrize(
    ("time", "seconds"), [(1, 1), ("90s", 90), ("2h", 7200), ("168h", 604_800)]
)
def test_a_time_is_seconds(time: object, seconds: int) -> None:
    manifest = judge(timeouts={"member.add": time}).manifest

    assert manifest is not None
    assert manifest.timeouts == {"member.add": seconds}


@pytest.mark.parametrize("kind", ["member.explode", "deploy", "node.session", "*"])
def test_an_operation_kind_that_is_none_is_refused(kind: str) -> None:
    assert (
        "must be instance.deploy"
        in said(judge(timeouts={kind: 5}))[
            f'timeouts["{kind}"]' if not kind.isalpha() else f"timeouts.{kind}"
        ]
    )


@pytest.mark.parametrize("role", ["tenant_admin", "platform_admin", "service_account", "*", ""])
def test_a_grant_names_project_roles_only(role: str) -> None:
    own = [{"key": "echo.a.b", "description": "x", "grants": [role]}]

    assert (
        "must be project_admin, project_member or viewer"
        in said(judge(permissions=own))["permissions[0].grants[0]"]
    )
    assert said(judge(family_grants={"scheduler.queue.read": [role]}))


@pytest.mark.rule("VS-1")
def test_a_contract_that_nobody_knows_is_refused_in_words() -> None:
    refusal = "is another contract than the platform speaks, which is contract 1"

    assert said(judge(contract=2))["contract"] == refusal
