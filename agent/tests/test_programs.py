"""Programs that say much are followed without holding it."""

import os
import resource
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from moorage_agent import programs
from moorage_agent.connections import Connections
from moorage_agent.tasks import Failed

SAYS_MUCH = "import os\nfor _ in range(200): os.write(1, b'x' * 2**20)\nos.write(1, b'the end')"


class Ear:
    """The agent around a kind, which only counts."""

    folder = private = state = Path("/nowhere")

    def __init__(self) -> None:
        self.cancelled = threading.Event()
        self.systemd = Connections()
        self.heard = 0

    def secret(self, name: str) -> bytes:
        raise Failed("secret_missing", name)

    def content(self) -> Iterator[bytes]:
        return iter(())

    def output(self, stream: str, data: bytes) -> None:
        self.heard += len(data)


def test_a_line_without_an_end_is_passed_on_and_not_held() -> None:
    ear = Ear()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    ended = programs.follow([sys.executable, "-c", SAYS_MUCH], ear)

    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert ear.heard == 200 * 2**20 + len("the end")
    assert ended.stdout.endswith("xthe end")
    assert grown < 50 * 1024


@pytest.fixture(params=["told", "looked"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that tells of the end of a program, and one that does not."""
    if request.param == "looked":
        monkeypatch.delattr(os, "pidfd_open")


@pytest.mark.usefixtures("kernel")
def test_a_program_is_seen_to_its_end() -> None:
    ended = programs.follow(["sh", "-c", "echo done; exit 3"], Ear())

    assert (ended.code, ended.stdout) == (3, "done\n")


@pytest.mark.usefixtures("kernel")
def test_a_program_ends_with_the_task_that_started_it() -> None:
    ear = Ear()
    ear.output = lambda stream, data: ear.cancelled.set()  # it has begun

    with pytest.raises(Failed, match="stopped") as refusal:
        programs.follow(["sh", "-c", "echo begun; exec sleep 1000"], ear)

    assert refusal.value.code == "cancelled"
