"""What a waiting shell is told, and what it cannot be told."""

import subprocess
from pathlib import Path

import pytest

from moorage_agent import ready, units
from moorage_agent.units import Command


def command(*argv: str, user: str | None = None, **environment: str) -> Command:
    return Command("/usr/bin/printf", ["printf", *argv], "/usr", environment, user, 60)


def test_a_shell_becomes_the_command_as_it_was_meant(tmp_path: Path) -> None:
    words = ["$HOME", "`id`", "it's", "", "a\nb", "\\n", "ünï", "-", "*"]
    order = ready.order(command("<%s>", *words), Path("/dev/null"))

    told = subprocess.run(["/bin/sh"], input=order, capture_output=True, check=True)

    assert told.stdout.decode() == "".join(f"<{word}>" for word in words)


def test_a_shell_hands_on_folder_variables_and_input(tmp_path: Path) -> None:
    (tmp_path / "in put").write_text("typed")
    script = ["-c", 'pwd; printf %s "$X"; cat']
    told = Command("/bin/sh", ["sh", *script], "/usr", {"X": "a'b\n$(id)"}, None, 60)

    order = ready.order(told, tmp_path / "in put")
    ended = subprocess.run(["/bin/sh"], input=order, capture_output=True, check=True, env={})

    assert ended.stdout == b"/usr\na'b\n$(id)typed"


@pytest.mark.parametrize("name", ["IFS", "UID", "PWD", "OPTIND", "BASH_ENV", "ENV", "PS4", "_"])
def test_variables_of_the_shells_own_go_the_slow_way(name: str) -> None:
    assert not ready.can_run(command("x", **{name: "1"}))


def test_another_user_and_a_very_long_command_go_the_slow_way() -> None:
    assert ready.can_run(command("x", PATH="/bin", NAME="1"))
    assert not ready.can_run(command("x", user="pat"))
    assert not ready.can_run(command("x" * 40_000))


def test_a_command_ends_after_its_time_also_without_the_agent(tmp_path: Path) -> None:
    late = Command("/bin/sleep", ["sleep", "600"], "/", {}, None, 0.2 - units.SPARE)

    order = ready.order(late, Path("/dev/null"))
    ended = subprocess.run(["/bin/sh"], input=order, timeout=30, check=False)

    assert ended.returncode == 124
