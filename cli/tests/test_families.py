"""`moor families`, against a real platform."""

from pathlib import Path

import pytest

from cli.tests.conftest import Moor
from sdk.tests import running

CONTRACT = Path(__file__).resolve().parents[2] / "contract/families/scheduler.yaml"


@pytest.fixture
def family(tmp_path: Path) -> Path:
    """A file with a family that the platform does not have."""
    name = f"f{running.free_port()}"
    file = tmp_path / f"{name}.yaml"
    file.write_text(
        f"name: {name}\n"
        "description: |\n"
        "  Apps that keep queues\n"
        "  of jobs.\n"
        "keys:\n"
        f"  - {{key: {name}.job.read, description: See jobs.}}\n"
        f"  - {{key: {name}.instance.read, description: See instances.,"
        " means: apps.instance.read}\n"
    )
    return file


@pytest.fixture
def app(admin: Moor) -> str:
    """An app of the first admin's own org, by its id."""
    org = f"f{running.free_port()}"
    admin("orgs", "create", org, "--name", "Acme", "--admin", running.ADMIN)
    admin("projects", "create", org, "alpha", "--name", "Alpha")
    slug = f"app{running.free_port()}"
    made = admin(
        *("app", "create", f"{org}/alpha", slug, "--name", "App"),
        *("--summary", "An app.", "-o", "json"),
    )
    return made.json()["id"]


def test_a_file_is_applied_and_applying_it_again_does_nothing(admin: Moor, family: Path) -> None:
    first = admin("families", "apply", str(family), "-o", "json").json()
    again = admin("families", "apply", str(family), "-o", "json").json()

    assert first == again
    assert first["version"] == 1
    assert first["description"] == "Apps that keep queues\nof jobs."
    assert family.stem in admin("families", "list").out
    shown = admin("families", "get", family.stem).out
    assert f"{family.stem}.instance.read" in shown
    assert "apps.instance.read" in shown


def test_a_file_with_more_keys_extends_and_one_with_fewer_is_refused(
    admin: Moor, family: Path
) -> None:
    admin("families", "apply", str(family))
    before = family.read_text()
    key = f"  - {{key: {family.stem}.job.cancel, description: End jobs.}}\n"
    family.write_text(before + key)

    extended = admin("families", "apply", str(family), "-o", "json").json()
    family.write_text(before)
    refused = admin("families", "apply", str(family))

    assert extended["version"] == 2
    assert len(extended["keys"]) == 3
    assert refused.code == 5
    assert f"{family.stem}.job.cancel" in refused.err


def test_the_family_of_the_contract_is_there_and_can_be_applied_again(admin: Moor) -> None:
    listed = admin("families", "list").out
    applied = admin("families", "apply", str(CONTRACT), "-o", "json").json()

    assert "scheduler" in listed
    assert applied["name"] == "scheduler"
    assert (applied["version"], len(applied["keys"])) == (1, 10)


def test_faults_in_a_file_are_told_with_their_line(admin: Moor, family: Path) -> None:
    family.write_text(family.read_text() + "  - {key: iam.org.delete, description: All.}\n")

    refused = admin("families", "apply", str(family))
    missing = admin("families", "apply", str(family.parent / "none.yaml"))

    assert refused.code == 5
    assert f"{family}:8:" in refused.err
    assert "keys[2].key" in refused.err
    assert (missing.code, "cannot be read" in missing.err) == (1, True)


def test_an_app_is_admitted_and_withdrawn(admin: Moor, family: Path, app: str) -> None:
    name = family.stem
    admin("families", "apply", str(family))

    some = admin("families", "admit", name, app, "--key", f"{name}.job.read", "-o", "json").json()
    every = admin("families", "admit", name, app, "--all-keys", "-o", "json").json()
    by_slug = admin("families", "admission", name, some["slug"], "-o", "json").json()
    listed = admin("families", "admissions", name).out
    gone = admin("families", "withdraw", name, app, "--yes")

    assert some["keys"] == [f"{name}.job.read"]
    assert every["keys"] == sorted([f"{name}.job.read", f"{name}.instance.read"])
    assert by_slug == every
    assert some["slug"] in listed
    assert gone.out.strip() == f"{some['slug']} is no longer admitted to {name}."
    assert admin("families", "admission", name, app).code == 4
    both = admin("families", "admit", name, app, "--key", "x.y.z", "--all-keys")
    assert both.code == 1
