"""Who used how much, counted from accounting as jobs end.

Each look asks for what ended since the one before and adds it to what was counted: the work of a
look grows with what happened since, not with the age of the cluster. What was counted is kept
beside the scheduler's own state, so that it moves, and goes back, with it. Without it everything
is counted again from the books.
"""

import calendar
import json
import os
import time
from pathlib import Path

from moorage_slurm.onhost.commands import Json, run

STATE = Path("/var/lib/slurm/slurmctld/moorage-usage.json")
ENDED = "BF,CA,CD,DL,F,NF,OOM,PR,RQ,RV,TO"
NAMES = ("DBIndex", "User", "Account", "End", "CPUTimeRAW", "ElapsedRaw", "AllocTRES")
OVERLAP = 300
"""Seconds: what ended is in the books a little later, and so is looked for twice."""
OWN = "root"
"""The account of the platform's own first jobs: nobody pays for them."""
EARLIEST = 946684800
"""The beginning of 2000: sacct finds nothing since 1970."""
KEPT_HOURS = 31 * 24
"""A controller that was away for as long as this reports what it missed."""


def count(now: float) -> Json:
    """What was used so far, after a look into the books where they answer."""
    state = _read()
    rows = _ended_since(state["until"] - OVERLAP if state["until"] else 0)
    if rows is not None:
        state = add(state, rows, now=now, heard_all=_books_are_whole())
        _write(state)
    this_hour = hour(now)
    return {
        "users": [[*who.split("|"), *used] for who, used in sorted(state["users"].items())],
        "hours": [[at, *used] for at, used in sorted(state["hours"].items()) if at < this_hour],
    }


def add(state: Json, rows: list[Json], *, now: float, heard_all: bool) -> Json:
    """What was counted, with rows that were not. Pure.

    A row counts for the hour in which it is seen first: one that comes late is in an hour that
    nobody has reported yet. Only where everything is counted anew it counts for its own hour, so
    that hours which were reported already are the same ones.
    """
    users, hours = dict(state["users"]), dict(state["hours"])
    seen: dict[str, int] = dict(state["seen"])
    for row in rows:
        if row["key"] in seen:
            continue
        seen[row["key"]] = row["end"]
        _count(users, f"{row['user']}|{row['account']}", [1, row["cpu"], row["gpu"]])
        if row["account"] != OWN:
            at = hour(now if state["until"] else row["end"])
            _count(hours, at, [row["cpu"], row["gpu"]])
    until = int(now) if heard_all or not state["until"] else state["until"]
    oldest = hour(now - KEPT_HOURS * 3600)
    return {
        "until": until,
        "seen": {key: end for key, end in seen.items() if end >= until - 2 * OVERLAP},
        "users": users,
        "hours": {at: used for at, used in hours.items() if at >= oldest},
    }


def _count(counted: dict[str, list[int]], name: str, used: list[int]) -> None:
    before = counted.get(name, [0] * len(used))
    counted[name] = [was + more for was, more in zip(before, used, strict=True)]


def hour(at: float) -> str:
    """Such as `2026-11-16T09`."""
    return time.strftime("%Y-%m-%dT%H", time.gmtime(at))


def row(line: str) -> Json | None:
    """A line of sacct; None where the job has no end yet."""
    key, user, account, end, cpu, elapsed, tres = line.split("|")
    if not end[:1].isdigit():
        return None
    return {
        "key": f"{key} {end}",
        "user": user,
        "account": account,
        "end": int(_seconds(end)),
        "cpu": int(cpu or 0),
        "gpu": int(elapsed or 0) * gpus(tres),
    }


def gpus(tres: str) -> int:
    """How many GPUs `billing=1,cpu=4,gres/gpu=2,gres/gpu:h200=2,node=1` has."""
    said = dict(each.split("=", 1) for each in tres.split(",") if "=" in each)
    return int(said.get("gres/gpu", 0))


def _seconds(text: str) -> float:
    return calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%S"))


def _ended_since(since: float) -> list[Json] | None:
    """Every run that ended; None where accounting does not answer."""
    begin = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(max(since, EARLIEST)))
    form = ("-a", "-X", "-D", "-n", "-P", "-o", ",".join(NAMES))
    done = run("sacct", *form, "-S", begin, "-E", "now", f"--state={ENDED}", within=20)
    if not done.ok:
        return None
    found = [row(line) for line in done.lines]
    return [each for each in found if each is not None]


def _books_are_whole() -> bool:
    """Whether the scheduler has told accounting everything that it knows."""
    said = run("sdiag", within=10).stdout
    queued = [line.split(":")[1] for line in said.splitlines() if "DBD Agent queue" in line]
    return bool(queued) and queued[0].strip() == "0"


def _read() -> Json:
    try:
        return json.loads(STATE.read_text())
    except (OSError, ValueError):
        return {"until": 0, "seen": {}, "users": {}, "hours": {}}


def _write(state: Json) -> None:
    """All of it or nothing."""
    new = STATE.with_suffix(".new")
    new.write_text(json.dumps(state))
    os.replace(new, STATE)
