"""One task over a pipe, in this process: silence, turns, and what killed processes left."""

import base64
import contextlib
import fcntl
import hashlib
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from moorage_agent import locks, single
from moorage_agent.places import Places
from moorage_agent.tasks import Stop

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="tasks need root")
WITHIN = 20
CONTENT = b"hello\n"


class Conversation:
    """A task that runs, and both ends of its pipes."""

    def __init__(self, places: Places, *, silence: float) -> None:
        self._in, self.mouth = _pipe()
        self.ear, self._out = _pipe()
        self.code = -1
        self._done = threading.Thread(target=self._run, args=[places, silence], daemon=True)
        self._done.start()

    def _run(self, places: Places, silence: float) -> None:
        self.code = single.run(self._in, self._out, places, silence=silence)

    def say(self, line: dict[str, Any]) -> None:
        self.mouth.write(json.dumps(line).encode() + b"\n")
        self.mouth.flush()

    def hear(self) -> dict[str, Any]:
        return json.loads(self.ear.readline())

    def wait(self) -> int:
        self._done.join(WITHIN)
        return self.code

    def close(self) -> None:
        self.mouth.close()
        self._done.join(WITHIN)
        for thread in threading.enumerate():
            if "listen" in thread.name:
                thread.join(WITHIN)
        for end in (self._in, self._out, self.ear):
            end.close()


def _pipe() -> tuple[BinaryIO, BinaryIO]:
    read, write = os.pipe()
    return open(read, "rb"), open(write, "wb")


@pytest.fixture
def places(tmp_path: Path) -> Places:
    root = tmp_path / "root"
    (root / "etc").mkdir(parents=True)
    return Places(root)


@pytest.fixture
def talk(places: Places) -> Iterator[Conversation]:
    """One in which a second without a word is silence."""
    with contextlib.closing(Conversation(places, silence=1)) as talk:
        yield talk


@pytest.fixture
def patient(places: Places) -> Iterator[Conversation]:
    """One in which silence is not what ends it."""
    with contextlib.closing(Conversation(places, silence=WITHIN)) as talk:
        yield talk


def put(path: Path, **more: Any) -> dict[str, Any]:
    """A task that waits for its content."""
    digest = hashlib.sha256(CONTENT).hexdigest()
    given = {"path": str(path), "digest": digest, "size": len(CONTENT)}
    basis = {"id": "tsk_1", "kind": "put", "timeout": 60, "output_limit": 1000, "input": given}
    return basis | more


def test_a_task_ends_when_nothing_is_heard_any_more(talk: Conversation, tmp_path: Path) -> None:
    talk.say(put(tmp_path / "file"))

    assert talk.wait() == 0
    assert not (tmp_path / "file").exists()


def test_a_task_that_nobody_hears_ends_too(talk: Conversation, tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(1 << 20))
    given = {"path": str(tmp_path / "large"), "limit": 1 << 20}
    talk.say(put(tmp_path, kind="get", input=given, output_limit=1 << 20))

    assert talk.wait() == 0, "it does not wait for ever to write what nobody reads"


def test_a_task_goes_on_while_a_word_is_heard(talk: Conversation, tmp_path: Path) -> None:
    talk.say(put(tmp_path / "file"))
    pause = threading.Event()
    for _ in range(8):
        talk.say({"alive": True})
        pause.wait(0.25)

    talk.say({"content": base64.b64encode(CONTENT).decode()})
    talk.say({"content": None})

    assert talk.hear()["report"]["state"] == "succeeded"
    assert (tmp_path / "file").read_bytes() == CONTENT


def test_a_task_that_never_comes_is_not_waited_for(talk: Conversation) -> None:
    assert talk.wait() == 2


def test_what_a_killed_process_left_goes_with_the_next_task(
    talk: Conversation, places: Places, tmp_path: Path
) -> None:
    left = [places.state / "single" / "tsk_dead", places.run / "tsk_dead"]
    kept = [places.state / "single" / "tsk_lives", places.run / "tsk_lives"]
    agents = [places.tasks / "tsk_agent", places.run / "tsk_agent"]
    for folder in (*left, *kept, *agents):
        folder.mkdir(parents=True)
    lives = os.open(kept[0], os.O_RDONLY)
    fcntl.flock(lives, fcntl.LOCK_EX)

    talk.say(put(tmp_path / "file"))
    talk.wait()
    os.close(lives)

    assert not any(folder.exists() for folder in left)
    assert all(folder.exists() for folder in (*kept, *agents)), "of those that live, nothing goes"
    assert [path.name for path in (places.state / "single").iterdir()] == ["tsk_lives"]


@pytest.mark.parametrize(
    ("running", "next_one", "waits"),
    [
        ("wipe", "put", True),
        ("put", "wipe", True),
        ("access-sync", "access-sync", True),
        ("packages", "packages", True),
        ("packages", "access-sync", False),
        ("exec", "access-sync", False),
        ("exec", "exec", False),
    ],
)
def test_a_kind_waits_for_those_it_may_not_run_beside(
    tmp_path: Path, running: str, next_one: str, waits: bool
) -> None:
    entered, stop = threading.Event(), Stop()

    def follow() -> None:
        with locks.turn(tmp_path, next_one, stop):
            entered.set()

    follower = threading.Thread(target=follow)
    with locks.turn(tmp_path, running, stop):
        follower.start()
        assert entered.wait(0.5 if waits else WITHIN) is not waits
    follower.join(WITHIN)
    assert entered.is_set()


def test_a_wipe_ends_what_runs(patient: Conversation, places: Places, tmp_path: Path) -> None:
    patient.say(put(tmp_path / "file"))

    def wipe() -> None:
        with locks.turn(places.state, "wipe", Stop()):
            pass

    wiper = threading.Thread(target=wipe)
    until((places.run / "tsk_1").exists)
    wiper.start()

    report = patient.hear()["report"]
    wiper.join(WITHIN)
    assert (report["state"], report["error"]["code"]) == ("cancelled", "wiped")
    assert not wiper.is_alive()


def test_a_task_that_waits_for_its_turn_can_be_cancelled(
    patient: Conversation, places: Places, tmp_path: Path
) -> None:
    with locks.turn(places.state, "access-sync", Stop()):
        patient.say(put(tmp_path, kind="access-sync", input={}))
        patient.say({"cancel": True})

        assert patient.hear()["report"]["state"] == "cancelled"


def until(is_so: Any) -> None:
    pause = threading.Event()
    for _ in range(WITHIN * 20):
        if is_so():
            return
        pause.wait(0.05)
    raise AssertionError("it did not come to that")
