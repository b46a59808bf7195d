"""Which processes are seen, whatever they do to hide."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.tests.waiting import wait_until
from moorage_agent import processes

HEADLESS = """
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(600,)).start()
ctypes.CDLL(None).syscall({exit}, 0)
"""
EXIT = {"x86_64": 60, "aarch64": 93}


@pytest.fixture
def headless() -> Iterator[int]:
    """A process whose first thread has ended, while another runs on."""
    script = HEADLESS.format(exit=EXIT[os.uname().machine])
    process = subprocess.Popen([sys.executable, "-c", script])
    status = Path(f"/proc/{process.pid}/status")
    wait_until(lambda: "State:\tZ" in status.read_text())
    yield process.pid
    process.kill()
    process.wait()


def test_a_process_without_its_first_thread_is_seen_and_killed(headless: int) -> None:
    def find() -> dict[str, list[processes.Process]]:
        return {"it": [one for one in processes.everything() if one.pid == headless]}

    ended = processes.end(find, within=5)

    assert (ended.counts, ended.remaining) == ({"it": 1}, [])
    assert "Threads:\t1" in Path(f"/proc/{headless}/status").read_text()


def test_one_that_has_ended_and_was_not_waited_for_is_not_seen() -> None:
    process = subprocess.Popen(["true"])
    wait_until(lambda: "State:\tZ" in Path(f"/proc/{process.pid}/status").read_text())

    seen = [one.pid for one in processes.everything()]
    process.wait()

    assert process.pid not in seen


def test_a_process_of_which_only_the_status_can_be_read_is_seen(tmp_path: Path) -> None:
    (tmp_path / "77").mkdir()
    said = "Name:\tx\nState:\tS (sleeping)\nPPid:\t1\nUid:\t200001\t200001\t200001\t200001\n"
    (tmp_path / "77/status").write_text(said)

    (found,) = processes.everything(tmp_path)

    assert (found.pid, found.group, found.title) == (77, "", "")
    assert found.owners == {200001}
