"""Drains have owners, each takes back its own; and jobs have time."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from moorage_slurm import cluster
from moorage_slurm.onhost import commands, nodes

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def node(reason: str, *states: str) -> dict[str, Any]:
    return {"node": "w", "states": [*(states or ("IDLE", "DRAIN"))], "reason": reason}


@pytest.mark.parametrize(
    ("reason", "own", "others"),
    [
        ("moorage cordon: heat (ada)", ["moorage cordon: heat (ada)"], []),
        ("moorage drain: heat (ada)", [], ["moorage drain: heat (ada)"]),
        ("disk is dying", [], ["disk is dying"]),
        ("disk ; moorage cordon: heat", ["moorage cordon: heat"], ["disk"]),
        ("", [], ["no reason given"]),
    ],
)
def test_a_reason_says_who_drained_a_node(reason: str, own: list[str], others: list[str]) -> None:
    assert nodes.parts(node(reason), nodes.CORDON) == (own, others)


def test_a_node_that_is_open_is_drained_by_nobody() -> None:
    assert nodes.parts(node("moorage cordon: old", "IDLE"), nodes.CORDON) == ([], [])


@pytest.fixture
def scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Puts scripts in the place of `scontrol` and others; the folder that they run in."""

    def stands_in(script: str, *, srun: str = "exit 1", squeue: str = "") -> Path:
        scripts = {"scontrol": script, "srun": srun, "squeue": squeue}
        for name, script in scripts.items():
            text = f"cd {tmp_path}\n{script}"
            program = tmp_path / name
            program.write_text(f"#!/bin/sh\n{text}\n")
            program.chmod(0o755)
        monkeypatch.setitem(commands.ENVIRONMENT, "PATH", f"{tmp_path}:/usr/bin:/bin")
        return tmp_path

    return stands_in


def test_a_node_that_somebody_else_opened_is_heard_before_it_is_said_to_be_open(
    scheduler: Callable[[str], Path],
) -> None:
    scheduler("""
        echo >>looks
        test $(wc -l <looks) -ge 3 || star='*'
        echo "NodeName=w State=IDLE$star"
    """)

    found = nodes.reopen({"node": "w", "owner": nodes.MEMBER})

    assert found["state"] == "IDLE"


DRAINED = """
    if test $1 = update; then echo "$*" >told; exit; fi
    if grep -qs RESUME told; then echo NodeName=w State=IDLE; exit; fi
    echo "NodeName=w State=IDLE+DRAIN Reason=REASON [root@2026-01-31T12:00:00]"
"""


def test_whoever_resumes_a_node_takes_back_what_slurm_drained_for_a_full_disk(
    scheduler: Callable[[str], Path],
) -> None:
    place = scheduler(DRAINED.replace("REASON", nodes.FULL))

    found = nodes.resume({"node": "w", "is_ready": True})

    assert found["state"] == "IDLE"
    assert (place / "told").read_text() == "update NodeName=w State=RESUME\n"


def test_a_drain_of_another_stays_when_that_of_a_full_disk_goes(
    scheduler: Callable[[str], Path],
) -> None:
    place = scheduler(DRAINED.replace("REASON", f"bad cable ; {nodes.FULL}"))

    with pytest.raises(commands.Refused, match="bad cable"):
        nodes.resume({"node": "w", "is_ready": True})

    assert (place / "told").read_text() == "update NodeName=w State=DRAIN Reason=bad cable\n"


def test_the_drain_of_a_member_stays_though_a_full_disk_took_its_words(
    scheduler: Callable[[str], Path],
) -> None:
    place = scheduler(DRAINED.replace("REASON", nodes.FULL))

    with pytest.raises(commands.Refused, match=nodes.FULL):
        nodes.resume({"node": "w", "is_ready": False})

    assert not (place / "told").exists()


DOWN = """
    if test $1 = update; then echo "$*" >told; exit; fi
    echo "NodeName=w State=DOWN+DYNAMIC_NORM CPUTot=2 Partitions=main REASON"
"""


@pytest.mark.parametrize(
    ("reason", "resumed"),
    [
        ("Reason=Node unexpectedly rebooted [slurm@2026-01-31T12:00:00]", True),
        ("Reason=moorage: its host is gone [root@2026-01-31T12:00:00]", True),
        ("", True),
        ("Reason=bad memory [root@2026-01-31T12:00:00]", False),
        ("Reason=see ticket=4711 [ada@site@2026-01-31T12:00:00]", False),
    ],
)
def test_a_repair_lets_a_node_be_used_again_that_nobody_else_took_down(
    scheduler: Callable[[str], Path], reason: str, resumed: bool
) -> None:
    place = scheduler(DOWN.replace("REASON", reason))

    found = nodes.mend({"node": "w"})

    assert found == {"known": True}
    assert (place / "told").exists() is resumed


def test_nobody_waits_for_a_node_that_somebody_took_down_and_no_job_is_tried_there(
    scheduler: Callable[[str], Path],
) -> None:
    scheduler(DOWN.replace("REASON", "Reason=bad memory [root@2026-01-31T12:00:00]"))

    assert nodes.await_registered({"node": "w", "seconds": 0})["registered"]
    assert nodes.canary({"node": "w"}) == {"ran": False}


def test_a_repair_leaves_what_slurm_drained_for_a_full_disk(
    scheduler: Callable[[str], Path],
) -> None:
    place = scheduler(DRAINED.replace("REASON", nodes.FULL))

    nodes.mend({"node": "w"})

    assert not (place / "told").exists()


# Trying a job


def free(name: str, states: str = "IDLE", used: int = 0, partitions: str = "fast,main") -> str:
    """A node as scontrol has it."""
    return f"NodeName={name} State={states} CPUTot=2 CPUAlloc={used} Partitions={partitions}"


def shows(*lines: str) -> str:
    """A scheduler that knows these nodes, or the one that it is asked for."""
    said = "\n".join(lines)
    return f"cat <<'END' | grep -- \"NodeName=$4\"\n{said}\nEND"


def test_a_job_is_tried_on_the_worker_that_has_the_least_to_do(
    scheduler: Callable[..., Path],
) -> None:
    lines = (free("a", used=1), free("b"), free("c", "IDLE+DRAIN"), free("other"))
    place = scheduler(shows(*lines), srun='echo "$*" >ran')

    found = nodes.try_one({"nodes": ["a", "b", "c"]})

    ran = (place / "ran").read_text()
    assert found == {"node": "b"}
    assert ran.startswith("--partition=fast --nodelist b ")
    assert "--immediate" in ran


@pytest.mark.parametrize(
    "line",
    [
        free("a", "ALLOCATED", 2),
        free("a", "IDLE+DRAIN"),
        free("a", partitions="(null)"),
    ],
)
def test_no_job_is_tried_where_none_could_start(scheduler: Callable[..., Path], line: str) -> None:
    place = scheduler(shows(line), srun="touch ran")

    found = nodes.try_one({"nodes": ["a"]})

    assert found == {"node": None}
    assert not (place / "ran").exists()


@pytest.mark.parametrize(
    ("queue", "waits"),
    [("Resources", True), ("Priority", True), ("JobHeldUser", False), ("", False)],
)
def test_a_job_that_others_came_before_has_not_failed(
    scheduler: Callable[..., Path], queue: str, waits: bool
) -> None:
    waiting = f"case $* in *pending*) echo {queue};; esac"
    scheduler(shows(free("a")), srun="echo revoked >&2; exit 1", squeue=waiting)

    if waits:
        assert nodes.try_one({"nodes": ["a"]}) == {"node": None}
    else:
        with pytest.raises(commands.Refused, match="A job on a did not end well: revoked"):
            nodes.try_one({"nodes": ["a"]})


@pytest.mark.parametrize(
    ("given", "overdue"),
    [
        ({}, False),
        ({"policy": "wait"}, False),
        ({"policy": "force"}, True),
        ({"policy": "deadline", "deadline_seconds": 60}, True),
        ({"policy": "deadline", "deadline_seconds": 61}, False),
    ],
)
def test_jobs_have_the_time_that_the_request_leaves_them(
    given: dict[str, Any], overdue: bool
) -> None:
    since = NOON - timedelta(seconds=60)

    assert cluster.is_overdue(given, since=since, now=NOON) is overdue


def test_a_change_does_not_fail_for_a_job_that_could_not_start_and_a_join_does(
    scheduler: Callable[..., Path],
) -> None:
    late = "echo srun: error: Unable to allocate resources: Requested nodes are busy >&2; exit 1"
    scheduler(shows(free("a")), srun=late)

    assert nodes.try_one({"nodes": ["a"]}) == {"node": None}
    with pytest.raises(commands.Refused, match="nodes are busy"):
        nodes.canary({"node": "a"})
