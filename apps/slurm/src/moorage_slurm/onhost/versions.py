"""What changes of Slurm's release ask of a host: packages, and jobs when it is an earlier one."""

import csv
import json
import re
import time
from collections.abc import Iterable
from pathlib import Path

from moorage_slurm.onhost import copies, homes, nodes, queue, setup
from moorage_slurm.onhost.commands import Json, Refused, is_up, ping, run

BROUGHT = setup.HOME / "brought.json"
ACTIVE = "running,completing,suspended,configuring,stopped,signaling,stage_out"
AT_ONCE = 200
"""Jobs that one command is told of."""
NAMED = 200
"""Jobs that an answer names. The whole list stays on the host."""
REASON = "moorage version: "
"""How the reason of a drain begins that is made for a worker of another release."""


# --- packages ------------------------------------------------------------------------------------


def brought(given: Json) -> Json:
    """Remember what our bundles brought, so that it is known later what nobody needs, and take
    away files among it that nobody wants.

    The package has workers start with the host; the platform starts those that are members then.
    """
    known = set(json.loads(BROUGHT.read_text()) if BROUGHT.exists() else [])
    setup.HOME.mkdir(parents=True, exist_ok=True)
    part = BROUGHT.with_suffix(".part")
    part.write_text(json.dumps(sorted(known | set(given["packages"]))))
    part.rename(BROUGHT)
    run("systemctl", "disable", "--quiet", "--no-reload", "slurmd.service")
    for path in given.get("less", ()):
        Path(path).unlink(missing_ok=True)
    return {}


def tidy(given: Json) -> Json:
    """Take away what another bundle brought, this one lacks and the host never had."""
    before = {each.partition(":")[0] for each in json.loads(setup.BEFORE.read_text())["packages"]}
    ours = set(json.loads(BROUGHT.read_text()) if BROUGHT.exists() else [])
    present = _present()
    surplus = (ours - before - set(given["packages"])) & present - homes.needs(present)
    if surplus:
        # What something else needs by now stays; dpkg says no for that one, and not for the others.
        run("dpkg", "--purge", *sorted(surplus), within=300)
    return {"stay": sorted(surplus & _present())}


def _present() -> set[str]:
    return {name.partition(":")[0] for name in setup.picture()["packages"]}


# --- jobs ----------------------------------------------------------------------------------------


def active(given: Json) -> Json:
    """Jobs that are at work, or None where no scheduler says so."""
    done = run("squeue", "-h", "-a", f"--states={ACTIVE}", "-o", "%A", within=60)
    return {"jobs": sorted({int(line) for line in done.lines}) if done.ok else None}


def at_work(given: Json) -> Json:
    """Jobs that have a process on this host, whoever knows of them."""
    found: set[int] = set()
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            said = re.match(rb"slurmstepd: \[(\d+)\.", each.read_bytes())
        except OSError:
            continue
        if said:
            found.add(int(said[1]))
    return {"jobs": sorted(found)}


def end(given: Json) -> Json:
    """Cancel jobs that are at work, if there is a scheduler to do it."""
    up = is_up(ping(within=20))
    if up:
        tell_each("scancel", map(str, given["jobs"]))
    return {"up": up}


def take_stock(given: Json) -> Json:
    """Write down what going back gives up: what is queued, which nodes are drained, what ended."""
    left = copies.LEFT / given["operation"]
    left.mkdir(parents=True, exist_ok=True)
    up = is_up(ping(within=20))
    copy = copies.find(given["series"]) or {"at": 0, "highest": 0}
    pending = [job for job, state in _queue() if state == "PENDING"] if up else []
    for job in pending:
        if queue_number(job) > copy["highest"]:
            _script(job, left / "scripts")
    stock: Json = {
        "up": up,
        "pending": pending,
        "nodes": {each["node"]: _drain(each) for each in nodes.list_all()} if up else {},
        "highest": copies.highest_ever(given["cluster"]),
    }
    (left / "stock.json").write_text(json.dumps(stock))
    rows = _export(left / "jobs.csv", since=copy["at"])
    return {"highest": stock["highest"], "jobs": rows, "folder": str(left)}


def queue_number(job: str) -> int:
    """`12_3` is a task of job 12."""
    found = re.match(r"\d+", job)
    return int(found[0]) if found else 0


def _script(job: str, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    run("scontrol", "write", "batch_script", job, str(folder / f"{job}.sh"), within=30)


def _drain(node: Json) -> str | None:
    return node["reason"] if "DRAIN" in node["states"] else None


def _export(file: Path, *, since: int) -> int | None:
    """Accounting since the copy, as a table; None where accounting does not answer."""
    began = f"now-{int(time.time()) - since + 1}seconds"
    names = ",".join(queue.BOOKED)
    words = ("-a", "-D", "-n", "-P", "-S", began, "-o", names)
    done = run("sacct", *words, within=1800)
    if not done.ok:
        return None
    with file.open("w", newline="") as out:
        table = csv.writer(out)
        table.writerow(queue.BOOKED)
        last = len(queue.BOOKED) - 1
        table.writerows(line.split("|", last) for line in done.lines)
    return sum("." not in line.partition("|")[0] for line in done.lines)


def settle(given: Json) -> Json:
    """After a copy was put back: nothing of it runs a second time.

    What ended since is cancelled, what still waited is held for its owner to release, what was
    submitted since is named. Where the later scheduler could not be asked, nobody knows which is
    which: then everything is held, and what ran when the copy was made is cancelled.
    """
    left = copies.LEFT / given["operation"]
    stock = json.loads((left / "stock.json").read_text())
    plan = left / "settled.json"
    if not plan.exists():
        part = plan.with_suffix(".part")
        known = set(stock["pending"]) if stock["up"] else None
        part.write_text(json.dumps(sort_out(_queue(), known)))
        part.rename(plan)
    wanted = json.loads(plan.read_text())
    there = dict(_queue())
    tell_each("scancel", (job for job in wanted["cancelled"] if job in there))
    again = (job for job in wanted["requeued"] if there.get(job, "PENDING") != "PENDING")
    tell_each("scontrol", again, "requeuehold")
    waiting = (job for job in wanted["held"] if there.get(job) == "PENDING")
    tell_each("scontrol", waiting, "uhold")
    _check_settled()
    held = [*wanted["held"], *wanted["requeued"]]
    lists = {"cancelled": wanted["cancelled"], "held": held, "lost": wanted["lost"]}
    named = {name: jobs[:NAMED] for name, jobs in lists.items()}
    return {**named, "counts": {name: len(jobs) for name, jobs in lists.items()}}


def sort_out(restored: list[tuple[str, str]], waiting: set[str] | None) -> dict[str, list[str]]:
    """What becomes of each job of a queue that was put back. Pure."""
    found: dict[str, list[str]] = {"cancelled": [], "held": [], "requeued": [], "lost": []}
    for job, state in restored:
        if waiting is None:
            found["held" if state == "PENDING" else "cancelled"].append(job)
        elif job not in waiting:
            found["cancelled"].append(job)
        else:
            found["held" if state == "PENDING" else "requeued"].append(job)
    known = {job for job, _ in restored}
    found["lost"] = sorted((waiting or set()) - known, key=queue_number)
    return found


def _queue() -> list[tuple[str, str]]:
    """Every job and task of an array that has not ended, with its state."""
    done = run("squeue", "-h", "-a", "-r", "-o", "%i|%T", within=120)
    if not done.ok:
        raise Refused("scheduler_silent", f"squeue: {done.words}")
    pairs = (line.split("|") for line in done.lines)
    return [(job, state) for job, state in pairs if state != "COMPLETING"]


def _check_settled() -> None:
    done = run("squeue", "-h", "-a", "-r", "-o", "%i|%T|%r", within=120)
    for line in done.lines:
        job, state, reason = line.split("|")
        if state == "PENDING" and not reason.startswith("JobHeld"):
            raise Refused("jobs_unsettled", f"Job {job} waits and is not held: {reason}.")
        if state not in ("PENDING", "COMPLETING"):
            raise Refused("jobs_unsettled", f"Job {job} is {state}.")


def settle_nodes(given: Json) -> Json:
    """Nodes as they were before the copy was put back: those of members, drained as they were."""
    stock = json.loads((copies.LEFT / given["operation"] / "stock.json").read_text())
    for node in nodes.list_all():
        name = node["node"]
        if name not in given["members"]:
            nodes.forget_lost({"node": name})
            continue
        was, now = stock["nodes"].get(name), _drain(node)
        if was is not None and now is None:
            nodes.close({"node": name, "owner": "", "reason": was})
        elif name in stock["nodes"] and was is None and now is not None:
            nodes.reopen({"node": name, "owner": ""})
    return {}


def tell_each(program: str, jobs: Iterable[str], verb: str | None = None) -> None:
    """Tell a program of jobs, many at a time. One that ended meanwhile is no harm."""
    told = list(jobs)
    for at in range(0, len(told), AT_ONCE):
        some = told[at : at + AT_ONCE]
        run(program, *([verb, ",".join(some)] if verb else some), within=120)


VERBS = {
    "brought": brought,
    "tidy": tidy,
    "active": active,
    "at_work": at_work,
    "end": end,
    "stock": take_stock,
    "settle": settle,
    "settle_nodes": settle_nodes,
}
