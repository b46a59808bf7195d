"""Apps whose folder a build writes before they are judged."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from conformance.tests.test_run import NODE_ECHO
from moorage_cli import main as moor
from moorage_conformance import building, plan
from moorage_conformance.commands import CANNOT_RUN
from moorage_conformance.findings import CannotRun
from moorage_lab.simulated import Host
from tests.e2e.callers import Caller

COPY = "import shutil, sys; shutil.copytree(sys.argv[1], sys.argv[2]); print('copied')"
COPIES = (sys.executable, "-c", COPY, str(NODE_ECHO), "{folder}")
KIT = ("conformance", "run", "--app")
FAILS = (sys.executable, "-c", "print('no flour'); raise SystemExit(3)")


def app_of(folder: Path, build: Sequence[str], **more: object) -> Path:
    """An app that has nothing but what builds it."""
    (folder / plan.FILE).write_text(yaml.safe_dump({"build": [*build], **more}))
    return folder


async def test_what_is_judged_is_what_the_build_wrote(tmp_path: Path) -> None:
    told: list[str] = []

    async with building.opened(app_of(tmp_path, COPIES), told.append) as found:
        assert found.manifest.slug == "node-echo"
        assert (found.path / "controller.mjs").is_file()

    assert not found.path.exists()
    (line,) = told
    assert line.startswith("The app's folder is built: ")
    assert str(found.path) in line


async def test_an_app_that_is_there_whole_is_not_built() -> None:
    told: list[str] = []

    async with building.opened(NODE_ECHO, told.append) as found:
        assert found.path == NODE_ECHO

    assert not told


async def test_a_build_runs_in_the_app_s_folder(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.symlink_to(NODE_ECHO)
    app = app_of(tmp_path, (sys.executable, "-c", COPY, "source", "{folder}"))

    async with building.opened(app, lambda _: None) as found:
        assert found.manifest.slug == "node-echo"


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (FAILS, "ended with 3, so there is nothing to judge"),
        (FAILS, "It wrote last: no flour"),
        ((sys.executable, "-c", ""), "wrote cannot be judged: "),
        (("no-such-baker", "{folder}"), "cannot be started in "),
    ],
)
async def test_a_build_that_writes_no_app_says_what_would_help(
    tmp_path: Path, build: Sequence[str], said: str
) -> None:
    app = app_of(tmp_path, build)

    with pytest.raises(CannotRun) as refused:
        async with building.opened(app, lambda _: None):
            pass

    assert said in str(refused.value)
    assert build[0] in str(refused.value)


async def test_an_app_that_is_built_says_nothing_else_there(tmp_path: Path) -> None:
    app = app_of(tmp_path, COPIES, grow="host")

    with pytest.raises(CannotRun, match="grow: Extra inputs are not permitted"):
        async with building.opened(app, lambda _: None):
            pass


def test_a_version_is_named_in_the_words_that_write_it() -> None:
    words = building.filled(
        ["cut", "{version}", "--to={folder}", "{}"], {"version": "1.2.3", "folder": "/a b"}
    )

    assert words == ["cut", "1.2.3", "--to=/a b", "{}"]


@pytest.fixture
def signed_in(admin: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOR_URL", admin.url)
    monkeypatch.setenv("MOOR_TOKEN", admin.token)


@pytest.mark.slow
@pytest.mark.usefixtures("signed_in")
def test_the_command_needs_a_folder_and_nothing_else(
    tmp_path: Path, machines: list[Host], capsys: pytest.CaptureFixture[str]
) -> None:
    app = app_of(tmp_path, COPIES)

    ended = moor.run([*KIT, str(app), "--only", "SO-5", "--output", "json"])

    said = capsys.readouterr()
    assert ended == 0, said.err
    assert json.loads(said.out)["app"] == "node-echo"
    assert said.err.startswith("The app's folder is built: ")
    assert [host.files for host in machines] == [{}] * len(machines)


@pytest.mark.slow
@pytest.mark.usefixtures("signed_in")
def test_the_command_ends_with_two_where_nothing_was_built(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = moor.run([*KIT, str(app_of(tmp_path, FAILS))])

    assert ended == CANNOT_RUN
    assert "moor: `" in capsys.readouterr().err
