"""The queue: putting work in, looking at it, taking it out. Everything in somebody's name."""

import base64
import json
import pwd
import re
import secrets
import zlib
from collections.abc import Iterable, Sequence

from moorage_slurm.onhost.commands import Completed, Json, Refused, run

FORM = "%A|%i|%T|%u|%a|%P|%C|%V|%S|%N|%r|%j"
NAMES = (
    *("job", "array", "state", "user", "account", "partition", "cpus", "submitted", "started"),
    *("nodes", "reason", "name"),
)
BOOKED = (
    *("JobID", "User", "UID", "Account", "Partition", "State", "ExitCode", "Submit", "Start"),
    *("End", "Elapsed", "AllocCPUS", "AllocTRES", "NodeList", "Comment", "JobName"),
)
WORDS = {
    "exitcode": "exit_code",
    "submit": "submitted",
    "start": "started",
    "end": "ended",
    "alloccpus": "cpus",
    "alloctres": "resources",
    "nodelist": "nodes",
    "jobname": "name",
}
"""What the queue calls what accounting calls otherwise."""
WHOLE_ARRAYS = {"SLURM_BITSTR_LEN": "0"}
"""All tasks of an array are named, however many words that takes."""
SHOWN = 60
"""Letters of what an array still has to do."""
MOST_ROWS = 10_000
"""As many as a view keeps."""
FIRST_ORDINARY = 1000
TAG = "moorage:"
"""Begins the comment of a job that the platform submitted; the operation's id follows."""
SILENCE = re.compile(
    r"contact slurm controller|timed out|no answer|temporarily|connection refused", re.I
)
"""What programs say when the scheduler did not answer, which is not a no."""


# --- putting work in -----------------------------------------------------------------------------


def submit(given: Json) -> Json:
    """Put a script into the queue as its user. Asked again, it finds the job of the first time."""
    person = find_person(given["login"], given.get("uid"))
    job = find_tagged(given["operation"], person.pw_name)
    if job is None:
        job = _sbatch(given["job"], f"{TAG}{given['operation']}", person)
    return {"job": job, "user": person.pw_name, "account": _account(job) or given["account"]}


def find_person(login: str, uid: int | None) -> pwd.struct_passwd:
    """Who they are on this host. Nobody's job runs as somebody else."""
    try:
        found = pwd.getpwnam(login)
    except KeyError:
        raise Refused("user_missing", f"{login} is not on the cluster.") from None
    if uid is not None and found.pw_uid != uid:
        raise Refused(
            "user_differs",
            f"{login} has the number {found.pw_uid} here, and {uid} on the platform.",
        )
    if found.pw_uid < FIRST_ORDINARY or login == "slurm":
        raise Refused("user_forbidden", f"{login} is an account of the system: no jobs run as it.")
    return found


def options(wish: Json) -> list[str]:
    """What was asked for, as sbatch takes it. What was not is left to the script's own lines."""
    names = {
        "name": "--job-name={}",
        "account": "--account={}",
        "partition": "--partition={}",
        "folder": "--chdir={}",
        "nodes": "--nodes={}",
        "tasks": "--ntasks={}",
        "cpus_per_task": "--cpus-per-task={}",
        "memory_mb": "--mem={}M",
        "gpus": "--gres=gpu:{}",
        "minutes": "--time={}",
        "array": "--array={}",
    }
    return [form.format(wish[name]) for name, form in names.items() if wish.get(name)]


def _sbatch(wish: Json, tag: str, person: pwd.struct_passwd) -> int:
    script = wish["script"].replace("\r\n", "\n")
    if not script.startswith("#!"):
        script = f"#!/bin/sh\n{script}"
    # Limits are those of the worker's daemon: those of this program are nobody's wish.
    words = ("--parsable", f"--comment={tag}", "--propagate=NONE", *options(wish))
    done = run("sbatch", *words, stdin=script, within=60, person=person)
    if done.ok:
        return int(done.stdout.strip().partition(";")[0])
    code = "scheduler_silent" if SILENCE.search(done.stderr) else "submit_refused"
    raise Refused(code, f"Slurm did not take the job: {_reason(done)}")


def _reason(done: Completed) -> str:
    """Slurm's own words, without the name of the program before each."""
    lines = [re.sub(r"^\w+: (error: )?", "", line) for line in done.stderr.splitlines()]
    return " ".join(lines)[-500:]


def find_tagged(operation: str, login: str) -> int | None:
    """The job that this operation submitted for them, in the queue or in accounting."""
    tag = f"{TAG}{operation}"
    words = ("-h", "-a", "-t", "all", f"--user={login}", "-O", "ArrayJobID:20,Comment:80")
    queued = run("squeue", *words, within=30)
    if not queued.ok and "Invalid user" not in queued.stderr:
        raise Refused("scheduler_silent", f"squeue: {queued.words}")
    for line in queued.lines:
        job, _, comment = line.strip().partition(" ")
        if comment.strip() == tag:
            return int(job)
    words = (f"--user={login}", "-S", "now-7days")
    for row in _booked(*words, names=("JobID", "Comment")):
        if row["comment"].strip() == tag:
            return int(row["jobid"].partition("_")[0])
    return None


def _account(job: int) -> str | None:
    """Which account pays, as the scheduler has it: the script may have named one."""
    found = jobs(f"--jobs={job}", "-t", "all")
    return found[0]["account"] if found else None


# --- looking at it -------------------------------------------------------------------------------


def jobs(*words: str) -> list[Json]:
    """What is queued or runs, as rows: what runs first, then what is to run next."""
    # People name their jobs: only a line that begins with what nobody knows is one of squeue's.
    mark = secrets.token_hex(8)
    form = ("-h", "-a", "--sort=-t,-p,i", "-o", f"{mark}|{FORM}")
    done = run("squeue", *form, *words, within=30, env=WHOLE_ARRAYS)
    if not done.ok:
        if "Invalid job id" in done.stderr:
            return []
        raise Refused("scheduler_silent", f"squeue: {done.words}")
    return [row(line[len(mark) + 1 :]) for line in done.lines if line.startswith(f"{mark}|")]


def row(line: str) -> Json:
    """A line of squeue. The name comes last: it is the user's, and may hold anything."""
    found: Json = dict(zip(NAMES, line.split("|", len(NAMES) - 1), strict=True))
    found["job"], found["cpus"] = int(found["job"]), int(found["cpus"])
    array = found["array"] if "_" in found["array"] else ""
    found["tasks"] = count_tasks(array)
    found["array"] = array if len(array) <= SHOWN else f"{array[:SHOWN]}…"
    for name in ("submitted", "started"):
        found[name] = f"{found[name]}Z" if found[name][:1].isdigit() else None
    if found["state"] == "PENDING":
        # When the scheduler thinks that it will be: nobody should rely on it.
        found["started"] = None
    found["reason"] = "" if found["reason"] == "None" else found["reason"]
    return found


def count_tasks(array: str) -> int:
    """How many tasks a row stands for: `7_[0-4,8-20:4%2]` for nine, everything else for one."""
    total = 0
    for part in array.partition("[")[2].rstrip("]").partition("%")[0].split(","):
        span, _, step = part.partition(":")
        first, _, last = span.partition("-")
        if first.isdigit():
            total += (int(last or first) - int(first)) // int(step or 1) + 1
    return total or 1


def snapshot() -> Json:
    """The queue for its readers: rows, as many as can be kept, and how many there are."""
    found = jobs()
    return {
        "jobs": pack(found[:MOST_ROWS]),
        "queued": len(found),
        "counts": count(found),
    }


def count(found: Iterable[Json]) -> dict[str, dict[str, int]]:
    """Jobs of each partition that run and that wait. Every task of an array is one."""
    counts: dict[str, dict[str, int]] = {}
    for job in found:
        for partition in job["partition"].split(","):
            states = counts.setdefault(partition, {})
            states[job["state"]] = states.get(job["state"], 0) + job["tasks"]
    return counts


def pack(found: list[Json]) -> str:
    """Rows in little room: what a probe may say has an end."""
    said = json.dumps([[*each.values()] for each in found], separators=(",", ":"))
    names = [*found[0]] if found else []
    text = f"{json.dumps(names)}\n{said}"
    return base64.b64encode(zlib.compress(text.encode())).decode()


def list_jobs(given: Json) -> Json:
    """The queue now, of all or of one."""
    found = jobs(*([f"--user={given['user']}"] if given.get("user") else []))
    return {"jobs": found[: given.get("limit", 100)], "total": len(found)}


def inspect(given: Json) -> Json:
    """What is known of a job, in the queue's words. Of what both say, the scheduler's counts:
    accounting hears of a job a moment later, and keeps it for longer."""
    number = name_of(given)
    live = jobs(f"--jobs={number}", "-t", "all")
    booked = _booked("-j", number, names=BOOKED)
    if not live and not booked:
        raise Refused("job_missing", f"There is no job {number}.")
    found = itself(live, given["job"]) if live else {}
    return {"job": {**(in_queue_words(booked[0]) if booked else {}), **found}}


def itself(live: Sequence[Json], job: int) -> Json:
    """The row that stands for a job. Tasks of an array that have begun have numbers of their own,
    and may come before it. Pure."""
    return next((each for each in live if each["job"] == job), live[0])


def in_queue_words(booked: Json) -> Json:
    """A row of accounting as the queue would have it, with what only accounting knows. Pure."""
    found = {WORDS.get(name, name): value for name, value in booked.items()}
    number = found.pop("jobid")
    found["job"], found["cpus"] = int(number.partition("_")[0]), int(found["cpus"] or 0)
    found["array"] = number if "_" in number else ""
    for name in ("submitted", "started", "ended"):
        found[name] = f"{found[name]}Z" if found[name][:1].isdigit() else None
    return found


def _booked(*words: str, names: tuple[str, ...]) -> list[Json]:
    """Rows of accounting, by the names of the columns in small letters."""
    between = f"|{secrets.token_hex(8)}|"
    form = ("-a", "-X", "-n", "-P", f"--delimiter={between}", "-o", ",".join(names))
    done = run("sacct", *form, *words, within=30)
    if not done.ok:
        raise Refused("accounting_refused", f"sacct: {done.words}")
    keys = [name.lower() for name in names]
    rows = [line.split(between) for line in done.lines]
    return [dict(zip(keys, each, strict=True)) for each in rows if len(each) == len(keys)]


def name_of(given: Json) -> str:
    """A job, or one task of an array, as commands take it."""
    task = given.get("task")
    return f"{given['job']}" if task is None else f"{given['job']}_{task}"


# --- taking it out -------------------------------------------------------------------------------


def change(given: Json) -> Json:
    """Cancel, hold or release a job: one's own as oneself, or anybody's as root."""
    number, verb, login = name_of(given), given["verb"], given.get("login")
    person = None if login is None else find_person(login, given.get("uid"))
    found = jobs(f"--jobs={number}", "-t", "all")
    if not found:
        raise Refused("job_missing", f"There is no job {number} in the queue.")
    if login is not None and found[0]["user"] != login:
        raise Refused("job_of_another", f"Job {number} is not yours.")
    if verb != "cancel" and not any(each["state"] == "PENDING" for each in found):
        state = found[0]["state"]
        raise Refused("job_not_waiting", f"Job {number} is {state}: to {verb} it is too late.")
    words = {
        "cancel": ("scancel",),
        "hold": ("scontrol", "hold"),
        "release": ("scontrol", "release"),
    }
    done = run(*words[verb], number, within=30, person=person)
    if not done.ok:
        code = "scheduler_silent" if SILENCE.search(done.stderr) else "change_refused"
        raise Refused(code, f"Slurm did not {verb} job {number}: {_reason(done)}")
    return {"job": given["job"], **_now(jobs(f"--jobs={number}", "-t", "all"))}


def _now(found: list[Json]) -> Json:
    """How a job is, all tasks of an array taken together. One that is not there has ended."""
    states, reasons = ({each[name] for each in found} - {""} for name in ("state", "reason"))
    return {"state": "+".join(sorted(states)) or "ENDED", "reason": ", ".join(sorted(reasons))}


def end(given: Json) -> Json:
    """Cancel jobs: all, or those that have not begun where the others are awaited; what is left."""
    only = () if given["policy"] == "cancel" else ("--state=PENDING",)
    said = [
        run("scancel", f"--user={user}", *only, within=60)
        for user in sorted({each["user"] for each in jobs() if is_to_go(each, given["policy"])})
    ]
    left, failed = jobs(), [done for done in said if not done.ok]
    if failed and any(is_to_go(each, given["policy"]) for each in left):
        code = "scheduler_silent" if SILENCE.search(failed[0].stderr) else "cancel_refused"
        raise Refused(code, f"Slurm did not cancel all jobs: {_reason(failed[0])}")
    return {"jobs": [each["job"] for each in left]}


def is_to_go(job: Json, policy: str) -> bool:
    """Whether a job does not come to its own end by a policy. Pure."""
    return policy == "cancel" or job["state"] == "PENDING"


VERBS = {"end": end, "submit": submit, "list": list_jobs, "inspect": inspect, "change": change}
