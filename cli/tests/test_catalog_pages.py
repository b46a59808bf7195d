"""The command lines on the pages about families and sources, run as they stand there."""

import re
import shlex
from pathlib import Path

import pytest

from cli.tests.conftest import Moor
from sdk.tests import running

PAGES = Path(__file__).resolve().parents[2] / "docs/howto"


def lines(page: str) -> list[str]:
    """What the page says to type."""
    text = (PAGES / page).read_text()
    typed = [
        line.removeprefix("$ ")
        for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL)
        for line in block.splitlines()
        if line.startswith("$ ")
    ]
    assert all(line.startswith("moor ") for line in typed)
    return typed


def play(process: Moor, typed: list[str], renamed: dict[str, str], stdin: str) -> None:
    """Each line as a process of its own, with names that no other test has."""
    names = re.compile(rf"\b({'|'.join(renamed)})\b")
    for line in typed:
        command, _, source = names.sub(lambda name: renamed[name[0]], line).partition(" < ")
        ran = process(*shlex.split(command)[1:], stdin=stdin if source else "")
        assert ran.code == 0, f"{line}: {ran.err}"
        assert stdin.strip() not in ran.out + ran.err


@pytest.fixture
def org(admin: Moor) -> str:
    slug = f"d{running.free_port()}"
    admin("orgs", "create", slug, "--name", "Acme", "--admin", running.ADMIN)
    return slug


def test_a_family_is_shared_as_the_page_says(
    admin: Moor, process: Moor, org: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = "share-keys-through-a-family.md"
    family, app = f"q{running.free_port()}", f"g{running.free_port()}"
    admin("projects", "create", org, "alpha", "--name", "Alpha")
    admin("app", "create", f"{org}/alpha", app, "--name", "Greeter", "--summary", "It greets.")
    first, *_ = re.findall(r"```yaml\n(.*?)```", (PAGES / page).read_text(), re.DOTALL)
    (tmp_path / f"{family}.yaml").write_text(first.replace("queueing", family))
    monkeypatch.chdir(tmp_path)

    play(process, lines(page), {"queueing": family, "greeter": app}, stdin="none")

    assert len(admin("families", "get", family, "-o", "json").json()["keys"]) == 3
    assert admin("families", "admissions", family, "-o", "json").json()["items"] == []


def test_a_registry_is_used_as_the_page_says(admin: Moor, process: Moor, org: str) -> None:
    renamed = {"acme": org, "mirror": f"m{running.free_port()}"}

    play(process, lines("use-a-private-registry.md"), renamed, stdin="engine-room\n")

    left = admin("sources", "list", "--org", org, "-o", "json").json()["items"]
    assert f"{org}/registry" not in [source["policy_name"] for source in left]
