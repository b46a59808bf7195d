"""Copies of what cannot be made again: the scheduler's state, and the database of accounting.

A later release of Slurm converts both, and an earlier one reads neither. So a copy is made before a
release is changed, and going back puts it in the place of what there is, which is kept as well. The
daemons that write there do not run meanwhile; whoever calls sees to that.
"""

import json
import os
import re
import shutil
import time
from pathlib import Path

from moorage_slurm.onhost import setup
from moorage_slurm.onhost.commands import Json, Refused, must, run

STATE = Path("/var/lib/slurm/slurmctld")
COPIES = setup.HOME / "copies"
"""Of each series, as it was when the next one came."""
LEFT = setup.HOME / "left"
"""What was given up by going back, by the operation that did it."""
LONGEST = 4 * 3600
UNSURE = 1000
"""Jobs that a scheduler which does not answer may have taken beyond those that are known."""


def room(given: Json) -> Json:
    """What a copy takes, and what there is, in megabytes; and the copy of a series."""
    size = f"select coalesce(sum(data_length), 0) from {_TABLES} where table_schema = '{_BASE}'"
    state = sum(each.stat().st_size for each in STATE.rglob("*") if each.is_file())
    return {
        "needs_mb": (int(setup.sql(size)) + state) >> 20,
        "free_mb": shutil.disk_usage("/var").free >> 20,
        "copy": find(given["series"]),
    }


_BASE, _TABLES = setup.DATABASE, "information_schema.tables"


def find(series: str) -> Json | None:
    """What is known of a copy."""
    try:
        return json.loads((COPIES / series / "copy.json").read_text())
    except FileNotFoundError:
        return None


def keep(given: Json) -> Json:
    """Copy state and database, once for an operation."""
    series, operation = given["series"], given["operation"]
    known = find(series)
    if known is not None and known["operation"] == operation:
        return known
    part, whole = COPIES / f"{series}.part", COPIES / series
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    must("tar", "-C", str(STATE), "-cf", str(part / "state.tar"), ".", within=LONGEST)
    write_dump(part / "database.sql")
    said = {
        "operation": operation,
        "series": series,
        "at": int(time.time()),
        "highest": highest_known(given["cluster"]),
    }
    (part / "copy.json").write_text(json.dumps(said))
    os.sync()
    shutil.rmtree(whole, ignore_errors=True)
    part.rename(whole)
    return said


def restore(given: Json) -> Json:
    """Put a copy in the place of what there is. Broken off, it begins again from the copy."""
    copy, left = COPIES / given["series"], LEFT / given["operation"]
    if not copy.exists():
        raise Refused("copy_missing", f"There is no copy of {given['series']}'s state.")
    done = left / "restored"
    if not done.exists():
        _restore_state(copy / "state.tar", left)
        _restore_database(copy / "database.sql", left)
        done.touch()
        os.sync()
    return {"left": str(left)}


def _restore_state(archive: Path, left: Path) -> None:
    """The folder itself stays: it may be where a file system is mounted."""
    aside, kept = left / "state", left / "state.aside"
    aside.mkdir(parents=True, exist_ok=True)
    for each in STATE.iterdir():
        if not kept.exists():
            shutil.move(each, aside / each.name)
        elif each.is_dir():
            shutil.rmtree(each)
        else:
            each.unlink()
    kept.touch()
    must("tar", "-C", str(STATE), "-xpf", str(archive), within=LONGEST)


def _restore_database(dump: Path, left: Path) -> None:
    later = left / "database.sql"
    if not later.exists():
        write_dump(later.with_suffix(".part"))
        later.with_suffix(".part").rename(later)
    setup.sql(f"drop database if exists {_BASE}", within=600)
    setup.database({})
    setup.sql(f"use {_BASE}\nsource {dump}", within=LONGEST)


def write_dump(file: Path) -> None:
    words = ("--single-transaction", "--routines", f"--result-file={file}")
    must("mariadb-dump", *words, _BASE, within=LONGEST, code="database_refused")
    file.chmod(0o600)


def highest_known(cluster: str) -> int:
    """The highest number of a job that is written down anywhere here."""
    table = f"{_BASE}.{cluster}_job_table"
    known = int(setup.sql(f"select coalesce(max(id_job), 0) from {table}"))
    return max([known, *(int(each.name[4:]) for each in STATE.glob("hash.*/job.*"))])


def highest_ever(cluster: str) -> int:
    """Beyond what is known of jobs: the number that the scheduler would give to the next."""
    known = highest_known(cluster)
    config = run("scontrol", "show", "config", within=20)
    following = re.search(r"(?m)^NEXT_JOB_ID\s*=\s*(\d+)", config.stdout)
    return known + UNSURE if following is None else max(known, int(following[1]) - 1)


VERBS = {"room": room, "keep": keep, "restore": restore}
