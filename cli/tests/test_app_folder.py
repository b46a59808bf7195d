"""`moor app init` and `moor app validate`, with no platform anywhere."""

from pathlib import Path

from cli.tests.conftest import Moor


def test_a_new_app_validates(moor: Moor, home: Path) -> None:
    made = moor("app", "init", str(home / "greeter"), "-o", "json").json()

    judged = moor("app", "validate", str(home / "greeter"), "-o", "json").json()

    assert {str(home / "greeter" / file) for file in made["files"]} == {
        str(path) for path in (home / "greeter").rglob("*") if path.is_file()
    }
    assert judged["slug"] == "greeter"
    assert judged["faults"] == []
    assert judged["declaration"]["keys"] == {
        "greeter.greeting.read": ["project_admin", "project_member", "viewer"]
    }


def test_slug_and_name_can_be_given(moor: Moor, home: Path) -> None:
    ran = moor("app", "init", str(home / "a"), "--slug", "hello-you", "--name", 'Say: "hi"')

    assert ran.code == 0, ran.err
    judged = moor("app", "validate", str(home / "a"), "-o", "json").json()
    assert judged["slug"] == "hello-you"
    assert 'name: "Say: \\"hi\\""' in (home / "a/manifest.yaml").read_text()


def test_a_folder_that_has_a_manifest_keeps_it(moor: Moor, home: Path) -> None:
    (home / "greeter").mkdir()
    (home / "greeter/manifest.yaml").write_text("mine")

    ran = moor("app", "init", str(home / "greeter"), "-o", "json")

    assert ran.code == 5
    assert ran.problem()["code"] == "taken"
    assert [path.name for path in (home / "greeter").iterdir()] == ["manifest.yaml"]
    assert (home / "greeter/manifest.yaml").read_text() == "mine"


def test_a_name_that_no_app_may_have_is_refused(moor: Moor, home: Path) -> None:
    ran = moor("app", "init", str(home / "iam"))

    assert ran.code == 1
    assert "'iam' is a word of the platform's own" in ran.err
    assert not (home / "iam").exists()


def test_every_fault_is_told_with_its_place(moor: Moor, home: Path) -> None:
    folder = home / "greeter"
    moor("app", "init", str(folder))
    text = (folder / "manifest.yaml").read_text()
    (folder / "manifest.yaml").write_text(
        text.replace('version: "0.1.0"', "version: 1.10").replace("min: 1", "min: 2")
    )
    line = next(n for n, row in enumerate(text.splitlines(), 1) if "min: 1" in row)

    ran = moor("app", "validate", str(folder))

    assert ran.code == 5
    assert ran.err.splitlines() == [
        f"{folder}/manifest.yaml:6:10: version: must be text: write it in quotes, '1.10'",
        f"{folder}/manifest.yaml:{line}:10: components.host.min: is 2, and max is 1",
        f"moor: {folder} has 2 faults.",
    ]


def test_as_json_the_faults_are_in_the_problem(moor: Moor, home: Path) -> None:
    moor("app", "init", str(home / "greeter"))
    (home / "greeter/artifacts/greeting.txt").unlink()

    ran = moor("app", "validate", str(home / "greeter"), "-o", "json")

    assert ran.code == 5
    problem = ran.problem()
    assert (problem["code"], problem["exit_code"]) == ("unsound", 5)
    assert [(e["path"], e["message"]) for e in problem["errors"]] == [
        ("artifacts[0].file", "there is no artifacts/greeting.txt in the folder")
    ]


def test_a_folder_without_a_manifest_says_so(moor: Moor, home: Path) -> None:
    ran = moor("app", "validate", str(home))

    assert ran.code == 5
    assert f"{home}/manifest.yaml:1:1: there is no manifest.yaml in the folder" in ran.err
