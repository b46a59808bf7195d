"""Hosts without agent that break off, say too much, or cannot run the agent."""

import asyncio
import resource
import signal
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.tests.credentials import places
from core.tests.credentials.daemon import Daemon
from core.tests.credentials.places import put_wish
from core.tests.tasks.workplaces import Workplace
from moorage_core.credentials.sweeps import RunSshTasks

FLOOD = "head -c 400M /dev/zero"


async def statuses(place: Workplace, tasks: list[dict[str, Any]]) -> list[str]:
    return [(await place.row(task["id"]))["status"] for task in tasks]


def lingering(place: Workplace) -> "asyncio.Task[dict[str, Any]]":
    """At work, and there for what comes next."""
    sweep = RunSshTasks(place.site.platform, linger=timedelta(seconds=60))
    return asyncio.create_task(sweep.activate())


async def test_what_waits_when_a_connection_dies_is_done_over_the_next_one(
    place: Workplace, credential: dict[str, Any], host: Daemon, tmp_path: Path
) -> None:
    (first,) = await place.ask(put_wish(tmp_path / "first"))
    working = lingering(place)
    await places.until(place, first["id"], "succeeded")
    host.signal_connections(signal.SIGSTOP)
    wishes = [put_wish(tmp_path / f"{n}", key=f"step/{n}") for n in range(6)]
    asked = await place.ask(*wishes)
    await places.until(place, asked[0]["id"], "sent")

    host.signal_connections(signal.SIGKILL)
    seen = await working
    between = await statuses(place, asked)
    await places.work(place)

    assert seen == {"connection_lost": 1}
    assert set(between) <= {"queued", "sent"}, "nothing was begun"
    assert await statuses(place, asked) == ["succeeded"] * 6


async def test_what_ran_when_a_connection_died_is_unknown(
    place: Workplace, credential: dict[str, Any], host: Daemon, tmp_path: Path
) -> None:
    host.hold()
    (task,) = await place.ask(put_wish(tmp_path / "file"))
    working = asyncio.create_task(places.work(place))
    await places.until(place, task["id"], "running")

    host.signal_connections(signal.SIGKILL)
    await working
    host.go_on()

    row = await place.row(task["id"])
    assert (row["status"], row["error_code"]) == ("unknown", "connection_lost")


@pytest.mark.parametrize("stream", [1, 2])
@pytest.mark.parametrize("first", ["have", "want", "what"])
async def test_a_host_that_never_stops_talking_is_left(
    place: Workplace,
    credential: dict[str, Any],
    host: Daemon,
    tmp_path: Path,
    first: str,
    stream: int,
) -> None:
    host.replace_python(f"echo {first}; {FLOOD} >&{stream}")
    (task,) = await place.ask(put_wish(tmp_path / "file"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    async with asyncio.timeout(30):
        await places.work(place)

    row = await place.row(task["id"])
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert (row["status"], row["error_code"]) == ("failed", "agent_not_placed")
    assert grown < 60 << 10, f"{grown} KiB"


async def test_complaints_of_a_task_are_not_kept_whole(
    place: Workplace, credential: dict[str, Any], host: Daemon, tmp_path: Path
) -> None:
    host.replace_python(f'[ "$2" = -c ] && exec echo have; {FLOOD} >&2; echo the last word >&2')
    (task,) = await place.ask(put_wish(tmp_path / "file"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    await places.work(place)

    row = await place.row(task["id"])
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert (row["status"], row["error_code"]) == ("unknown", "agent_failed")
    assert row["error_message"].endswith("the last word")
    assert grown < 60 << 10, f"{grown} KiB"


async def test_an_agent_that_ends_without_a_report_is_quoted(
    place: Workplace, credential: dict[str, Any], host: Daemon, tmp_path: Path
) -> None:
    host.replace_python(
        r'[ "$2" = -c ] && exec echo have; printf "Bus\033[31m error\nat once\n" >&2; exit 9'
    )
    (task,) = await place.ask(put_wish(tmp_path / "file"))

    await places.work(place)

    row = await place.row(task["id"])
    assert (row["status"], row["error_code"]) == ("unknown", "agent_failed")
    assert "ended with 9" in row["error_message"]
    assert row["error_message"].endswith("Bus [31m error at once")


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("The agent needs Python 3.9 or newer; this is 3.6.", "needs Python 3.9 or newer"),
        ("This Python lacks ssl. Install all of it.", "This Python lacks ssl"),
        ("ModuleNotFoundError: No module named 'hashlib'", "lacks the module 'hashlib'"),
        ("sh: 1: python3: not found", "has no python3"),
    ],
)
async def test_a_host_without_a_python_that_will_do_is_told_what_it_lacks(
    place: Workplace,
    credential: dict[str, Any],
    host: Daemon,
    tmp_path: Path,
    said: str,
    sentence: str,
) -> None:
    host.replace_python(f'echo have; echo "{said}" >&2; exit 1')
    (task,) = await place.ask(put_wish(tmp_path / "file"))

    await places.work(place)

    row = await place.row(task["id"])
    assert (row["status"], row["error_code"]) == ("failed", "python_missing")
    assert sentence in row["error_message"]


async def test_an_agent_asks_what_it_lacks_before_it_is_given_a_task(
    place: Workplace, credential: dict[str, Any], host: Daemon, tmp_path: Path
) -> None:
    broken = tmp_path / "lib"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text("import sys; sys.version_info = (3, 6, 9)\n")
    host.replace_python(f'shift; PYTHONPATH={broken} exec /usr/bin/python3 "$@"')
    (task,) = await place.ask(put_wish(tmp_path / "file"))

    await places.work(place)

    row = await place.row(task["id"])
    assert (row["status"], row["error_code"]) == ("failed", "python_missing")
    assert "this is 3.6" in row["error_message"]
