"""The service runs with a Python that root alone can change."""

import os
import sys
from pathlib import Path

import pytest

from moorage_agent import interpreters


def python_in(folder: Path) -> Path:
    folder.mkdir(mode=0o755)
    (folder / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (folder / "python3").chmod(0o755)
    return folder / "python3"


def test_a_python_below_a_folder_of_everybody_s_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    python = python_in(tmp_path / "open/bin")

    with pytest.raises(interpreters.Unsafe, match="Others than root can change"):
        interpreters.choose(tmp_path / "agent.pyz", [str(python)])


def test_a_link_of_somebody_else_s_is_refused(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("giving files away needs root")
    (tmp_path / "python3").symlink_to("/usr/bin/env")
    os.lchown(tmp_path / "python3", 65534, 65534)

    assert str(tmp_path / "python3") in interpreters.weakness(str(tmp_path / "python3"))


def test_a_python_of_the_host_s_own_is_chosen_where_it_serves(
    tmp_path: Path, archive_file: Path
) -> None:
    if interpreters.weakness(interpreters.HOSTS_OWN):
        pytest.skip("this machine's own Python is not root's")

    chosen = interpreters.choose(archive_file, ["/nowhere/python3", interpreters.HOSTS_OWN])

    assert chosen == interpreters.HOSTS_OWN


def test_a_python_that_does_not_run_the_agent_is_not_chosen(archive_file: Path) -> None:
    with pytest.raises(interpreters.Unsafe, match="/bin/false does not run the agent"):
        interpreters.choose(archive_file, ["/bin/false"])
