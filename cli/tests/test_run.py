"""Work on machines from the command line: sessions, tasks, and `moor run`."""

import json
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from cli.tests.conftest import Moor
from moorage_cli.machine_output import Writer
from moorage_core.embedded import folder, postgres
from sdk.tests import running
from sdk.tests.running import MOOR, Platform
from sdk.tests.scripted_node import ScriptedNode


@pytest.fixture
def project(admin: Moor) -> dict[str, Any]:
    slug = f"r{running.free_port()}"
    admin("orgs", "create", slug, "--name", "Acme", "--admin", running.ADMIN)
    return admin("projects", "create", slug, "alpha", "--name", "Alpha", "-o", "json").json()


@pytest.fixture
def database(platform: Platform) -> Iterator[psycopg.Connection[Any]]:
    found = postgres.find_running(folder.prepare(platform.folder / "data"))
    assert found is not None
    with psycopg.connect(found.super_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def machine(
    platform: Platform, database: psycopg.Connection[Any], project: dict[str, Any]
) -> Iterator[ScriptedNode]:
    with ScriptedNode(platform.url, database, project, "box") as node:
        yield node


def test_run_prints_what_the_command_prints_and_ends_as_it_ends(
    admin: Moor, machine: ScriptedNode
) -> None:
    ran = admin("run", machine.id, "--", "sh", "-c", "echo hello; echo oh >&2; exit 7")

    assert (ran.code, ran.out, ran.err) == (7, "hello\n", "oh\n")


def test_run_leaves_an_ended_session_with_its_reason(
    admin: Moor, machine: ScriptedNode, project: dict[str, Any]
) -> None:
    admin("run", "--reason", "to see whether it is up", machine.id, "--", "true")

    (session,) = admin("node-sessions", "list", project["id"], "-o", "json").json()["items"]
    assert session["status"] == "succeeded"
    assert session["reason"] == "to see whether it is up"


def test_run_on_several_machines_says_which_line_is_whose(
    admin: Moor,
    platform: Platform,
    database: psycopg.Connection[Any],
    project: dict[str, Any],
    machine: ScriptedNode,
) -> None:
    with ScriptedNode(platform.url, database, project, "other") as other:
        ran = admin("run", "--project", project["id"], "box", other.id, "--", "echo", "hello")

    assert ran.code == 0, ran.err
    assert sorted(ran.out.splitlines()) == ["box: hello", "other: hello"]


def test_run_as_json_is_one_document(admin: Moor, machine: ScriptedNode) -> None:
    ran = admin("run", "-o", "json", machine.id, "--", "echo", "hello")

    (item,) = ran.json()["items"]
    assert item["stdout"] == "hello\n"
    assert item["status"] == "succeeded"


@pytest.mark.parametrize("words", [["--", "true"], ["box"], ["box", "--"]])
def test_run_needs_a_machine_and_a_command(admin: Moor, words: list[str]) -> None:
    ran = admin("run", *words)

    assert ran.code == 1
    assert "moor run ALLOCATION... -- COMMAND..." in ran.err


def test_a_session_is_worked_in_with_its_token(
    admin: Moor,
    moor: Moor,
    machine: ScriptedNode,
    project: dict[str, Any],
    home: Path,
    platform: Platform,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wish = home / "wish.json"
    wish.write_text(json.dumps({"argv": ["echo", "from a task"]}))
    token = home / "token"
    opened = admin(
        "node-sessions",
        "create",
        project["id"],
        machine.id,
        "--reason",
        "its disk is nearly full",
        "--secret-file",
        str(token),
        "-o",
        "json",
    ).json()
    assert "token" not in opened

    with monkeypatch.context() as as_holder:
        as_holder.setenv("MOOR_URL", platform.url)
        as_holder.setenv("MOOR_TOKEN", token.read_text().strip())
        secret = moor(
            "operations", "put-secret", opened["id"], "key", "--purpose", "join", "--generate", "32"
        )
        made = moor(
            "tasks",
            "create",
            opened["id"],
            "exec",
            "--allocation",
            machine.id,
            "--key",
            "look/disk",
            "--input",
            str(wish),
            "-o",
            "json",
        ).json()
        ended = moor("tasks", "get", made["id"], "--wait", "-o", "json").json()
        output = moor("tasks", "output", made["id"], "--follow")
    listed = admin("tasks", "list", opened["id"], "-o", "json").json()
    renewed = admin("operations", "renew", opened["id"], "--lease", "2h", "-o", "json").json()
    done = admin("operations", "end", opened["id"], "--message", "All clean.", "-o", "json").json()
    after = admin("operations", "get", opened["id"], "-o", "json").json()
    cancelled = admin("tasks", "cancel", made["id"], "-o", "json")
    all_of = admin("operations", "list", "--project", project["id"], "-o", "json").json()

    assert secret.code == 0, secret.err
    assert ended["status"] == "succeeded"
    assert output.out == "from a task\n"
    assert [task["id"] for task in listed["items"]] == [made["id"]]
    assert renewed["lease_expires_at"] > opened["lease_expires_at"]
    assert done["status"] == after["status"] == "succeeded"
    assert cancelled.problem()["code"] == "task_ended"
    assert [each["id"] for each in all_of["items"]] == [opened["id"]]


def test_a_terminal_reads_what_machines_print_and_does_not_obey(tmp_path: Path) -> None:
    file = tmp_path / "shown"
    with file.open("wb") as to:
        writer = Writer(to, plain=True, label="box")
        writer.write(b"a\tb\x1b[2J\r\nhalf a ")
        writer.write("line ü".encode())
        writer.close()

    assert file.read_bytes().decode() == "box: a\tb\\x1b[2J\nbox: half a line ü\n"


def test_a_pipe_gets_the_bytes_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "shown"
    with file.open("wb") as to:
        writer = Writer(to, plain=False)
        writer.write(b"\x00\xff no end")
        writer.close()

    assert file.read_bytes() == b"\x00\xff no end"


def test_stopping_moor_stops_the_command(
    admin: Moor,
    platform: Platform,
    database: psycopg.Connection[Any],
    project: dict[str, Any],
) -> None:
    silent = ScriptedNode(platform.url, database, project, "silent")
    # Whoever runs the tests in the background ignores Ctrl-C, and so would what they start.
    command = ["env", "--default-signal=INT", *MOOR, "run", silent.id, "--", "sleep", "600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        running.wait_until(lambda: _task_of(database, silent) == "queued")
        run.send_signal(signal.SIGINT)
        code = run.wait(30)

    (session,) = admin("node-sessions", "list", project["id"], "-o", "json").json()["items"]
    assert code == 130
    assert session["status"] == "failed"
    assert _task_of(database, silent) == "cancelled"


def _task_of(database: psycopg.Connection[Any], machine: ScriptedNode) -> str | None:
    found = database.execute("SELECT status FROM tasks WHERE allocation_id = %s", (machine.id,))
    row = found.fetchone()
    return None if row is None else row[0]


PAGE = Path(__file__).resolve().parents[2] / "docs/howto/run-tasks.md"


def test_the_page_names_only_commands_and_options_that_there_are(moor: Moor) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("moor ")]

    assert len(lines) >= 8
    for line in lines:
        ours = shlex.split(line.partition(" -- ")[0].partition(" < ")[0], comments=True)[1:]
        verb = ours[:1] if ours[0] == "run" else ours[:2]
        shown = moor(*verb, "--help")
        options = [word for word in ours if word.startswith("--")]
        assert shown.code == 0, line
        assert [option for option in options if option not in shown.out] == [], line
