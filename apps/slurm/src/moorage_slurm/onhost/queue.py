"""The queue: putting work in, looking at it, taking it out. Everything in somebody's name."""

import pwd
import re

from moorage_slurm.onhost.commands import Json, Refused, run

LISTED = ("JobID", "State", "UserName", "Account", "Partition", "NumCPUs", "NodeList")
FORM = "%A|%T|%u|%a|%P|%C|%V|%S|%N|%r|%j"
NAMES = (
    *("job", "state", "user", "account", "partition", "cpus", "submitted", "started", "nodes"),
    *("reason", "name"),
)
TAG = "moorage:"
"""Begins the comment of a job that the platform submitted; the operation's id follows."""


def submit(given: Json) -> Json:
    """Put a script into the queue as its user. Asked again, it finds the job of the first time."""
    login, operation = given["login"], given["operation"]
    person = find_person(login, given.get("uid"))
    job = find_tagged(operation)
    if job is None:
        job = _sbatch(given, login, f"{TAG}{operation}", person.pw_dir)
    return {"job": job, "user": login, "account": given["account"]}


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
    return found


def _sbatch(given: Json, login: str, tag: str, home: str) -> int:
    wish = given["job"]
    words = [
        *("--parsable", f"--comment={tag}", f"--account={given['account']}"),
        *(f"--job-name={wish['name']}", f"--chdir={wish.get('folder') or home}"),
        *(f"--nodes={wish['nodes']}", f"--ntasks={wish['tasks']}"),
        f"--cpus-per-task={wish['cpus_per_task']}",
    ]
    if wish.get("partition"):
        words.append(f"--partition={wish['partition']}")
    if wish.get("memory_mb"):
        words.append(f"--mem={wish['memory_mb']}M")
    if wish.get("gpus"):
        words.append(f"--gres=gpu:{wish['gpus']}")
    if wish.get("minutes"):
        words.append(f"--time={wish['minutes']}")
    script = wish["script"].replace("\r\n", "\n")
    if not script.startswith("#!"):
        script = f"#!/bin/sh\n{script}"
    done = run("runuser", "-u", login, "--", "sbatch", *words, stdin=script, within=60)
    if not done.ok:
        raise Refused("submit_refused", f"Slurm did not take the job: {_reason(done.stderr)}")
    return int(done.stdout.strip().partition(";")[0])


def _reason(text: str) -> str:
    """Slurm's own words, without the name of the program before each."""
    lines = [re.sub(r"^sbatch: (error: )?", "", line) for line in text.splitlines()]
    return " ".join(lines)[-500:]


def find_tagged(operation: str) -> int | None:
    """The job that this operation submitted, in the queue or in accounting."""
    tag = f"{TAG}{operation}"
    queued = run("squeue", "-h", "-a", "-t", "all", "-O", "JobID:20,Comment:80", within=30)
    if not queued.ok:
        raise Refused("scheduler_silent", f"squeue: {queued.words}")
    for line in queued.lines:
        job, _, comment = line.strip().partition(" ")
        if comment.strip() == tag:
            return int(job)
    since = ("-S", "now-1days")
    booked = run("sacct", "-a", "-X", "-n", "-P", *since, "-o", "JobID,Comment", within=30)
    if not booked.ok:
        raise Refused("accounting_refused", f"sacct: {booked.words}")
    for line in booked.lines:
        job, _, comment = line.partition("|")
        if comment.strip() == tag:
            return int(re.match(r"\d+", job)[0])  # pyright: ignore[reportOptionalSubscript]
    return None


def jobs(*words: str) -> list[Json]:
    """What is queued or runs, as rows."""
    done = run("squeue", "-h", "-a", "-o", FORM, *words, within=30)
    if not done.ok:
        if "Invalid job id" in done.stderr:
            return []
        raise Refused("scheduler_silent", f"squeue: {done.words}")
    return [row(line) for line in done.lines]


def row(line: str) -> Json:
    """A line of squeue. The name comes last: it is the user's, and may hold anything."""
    values = line.split("|", len(NAMES) - 1)
    found: Json = dict(zip(NAMES, values, strict=True))
    found["job"], found["cpus"] = int(found["job"]), int(found["cpus"])
    for name in ("submitted", "started"):
        found[name] = None if found[name] in ("N/A", "Unknown", "") else found[name]
    found["reason"] = "" if found["reason"] == "None" else found["reason"]
    return found


def list_jobs(given: Json) -> Json:
    words = [f"--user={given['user']}"] if given.get("user") else []
    return {"jobs": jobs(*words)[: given.get("limit", 100)]}


def inspect(given: Json) -> Json:
    """What scheduler and accounting say of a job."""
    number = str(given["job"])
    names = "JobID,JobName,User,UID,Account,Partition,State,ExitCode,Submit,Start,End,Elapsed,"
    names += "AllocCPUS,AllocTRES,NodeList,Comment"
    done = run("sacct", "-a", "-X", "-n", "-P", "-j", number, "-o", names, within=30)
    if not done.ok:
        raise Refused("accounting_refused", f"sacct: {done.words}")
    if not done.lines:
        raise Refused("job_missing", f"There is no job {number}.")
    booked = dict(zip(names.lower().split(","), done.lines[0].split("|"), strict=False))
    live = jobs(f"--jobs={number}")
    return {"job": booked | ({"now": live[0]} if live else {})}


def change(given: Json) -> Json:
    """Cancel, hold or release a job: one's own, or anybody's."""
    number, verb, login = given["job"], given["verb"], given.get("login")
    found = jobs(f"--jobs={number}", "-t", "all")
    if not found:
        raise Refused("job_missing", f"There is no job {number} in the queue.")
    if login is not None and found[0]["user"] != login:
        raise Refused("job_of_another", f"Job {number} is not yours.")
    words = {
        "cancel": ("scancel",),
        "hold": ("scontrol", "hold"),
        "release": ("scontrol", "release"),
    }
    done = run(*words[verb], str(number), within=30)
    if not done.ok:
        raise Refused("change_refused", f"Slurm did not {verb} job {number}: {done.words}")
    after = jobs(f"--jobs={number}", "-t", "all")
    return {"job": number, "state": after[0]["state"] if after else "GONE"}


def end(given: Json) -> Json:
    """Jobs that are left. They are cancelled where that is the policy; nothing new starts."""
    found = jobs()
    if given["policy"] == "cancel" and found:
        run("scancel", *{f"--user={each['user']}" for each in found}, within=60)
    else:
        waiting = [str(each["job"]) for each in found if each["state"] == "PENDING"]
        if waiting:
            run("scancel", *waiting, within=60)
    return {"jobs": [each["job"] for each in jobs()]}


VERBS = {"end": end, "submit": submit, "list": list_jobs, "inspect": inspect, "change": change}
