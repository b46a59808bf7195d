"""Slurm's books: the account of the project, and who may use it."""

import json
import pwd
import re
from collections.abc import Iterable
from pathlib import Path

from moorage_slurm.onhost.commands import Completed, Json, Refused, comes_up, journal, run, until

SETTINGS = Path("/etc/moorage-slurm/accounting.json")
BOOKED_WITHIN = 10.0
"""Seconds in which the books know a cluster whose scheduler answers."""
UNLIMITED = "-1"
THERE = re.compile(r"Nothing new added|already exist|Already existing")
"""What releases of `sacctmgr` say of something that is there already."""
LATER = re.compile(r"not find|doesn't exist|refused")
"""What they say of something that is about to be there."""


def ensure(given: Json) -> Json:
    """Open the account and let everybody in who has an account on this host."""
    account, cluster = given["account"], given["cluster"]
    _add("-i", "add", "cluster", cluster)
    words = ["-i", "add", "account", account, f"Cluster={cluster}", f"Description={given['title']}"]
    _add(*words, "Organization=moorage")
    return sync({})


def sync(given: Json) -> Json:
    """Make the people of the books those of the host: who came is let in, who left is shut out."""
    settings = json.loads(SETTINGS.read_text())
    account, cluster = settings["account"], settings["cluster"]
    wanted = people(settings["first_uid"], settings["last_uid"])
    wanted |= programs(settings.get("programs", ()))
    known = _known(account, cluster)
    came, left = sorted(wanted - known), sorted(known - wanted)
    for login in came:
        _home(login)
    if came:
        _add(
            *("-i", "add", "user", ",".join(came), f"Cluster={cluster}", f"Account={account}"),
            f"DefaultAccount={account}",
        )
    if left:
        run("scancel", f"--user={','.join(left)}", "--quiet")
        _sacctmgr("-i", "delete", "user", *left, f"Cluster={cluster}")
    _limit(wanted, account, cluster, settings["limits"])
    return {"people": sorted(wanted), "came": came, "left": left}


def people(first: int, last: int) -> set[str]:
    return {each.pw_name for each in pwd.getpwall() if first <= each.pw_uid <= last}


def programs(logins: Iterable[str]) -> set[str]:
    """Those of the declared logins of programs that are on this host."""
    return {each.pw_name for each in pwd.getpwall()} & {*logins}


def _home(login: str) -> None:
    """A home where there is none: on shared homes nobody else makes one."""
    if not Path(pwd.getpwnam(login).pw_dir).exists():
        run("mkhomedir_helper", login, "0077")


def _known(account: str, cluster: str) -> set[str]:
    form = ("-n", "-P", "format=user")
    where = (f"Account={account}", f"Cluster={cluster}")
    return {line.strip() for line in _sacctmgr("show", "assoc", *where, *form).splitlines() if line}


def _limit(people: set[str], account: str, cluster: str, limits: Json) -> None:
    """What one person may have at once. What is as it should be is left alone."""
    wanted = [str(limits[name] or UNLIMITED) for name in ("jobs", "submitted")]
    where = (f"Account={account}", f"Cluster={cluster}")
    form = ("-n", "-P", "format=user,maxjobs,maxsubmit")
    other: list[str] = []
    for line in _sacctmgr("show", "assoc", *where, *form).splitlines():
        user, *has = line.split("|")
        if user in people and [each or UNLIMITED for each in has] != wanted:
            other.append(user)
    if other:
        values = (f"MaxJobs={wanted[0]}", f"MaxSubmitJobs={wanted[1]}")
        who = (f"User={','.join(sorted(other))}", *where)
        _sacctmgr("-i", "modify", "user", "where", *who, "set", *values)


def await_scheduler(given: Json) -> Json:
    """Until the scheduler answers, and accounting knows the cluster."""
    if comes_up():
        return {}
    words = "slurmctld does not answer `scontrol ping`."
    raise Refused("scheduler_silent", words, log=journal("slurmctld"))


def _add(*words: str) -> None:
    """Add what may be there already. The cluster is in the books a moment after its scheduler."""

    def is_final(done: Completed) -> bool:
        return _is_there(done) or not LATER.search(done.words)

    done = until(lambda: run("sacctmgr", *words), is_final, within=BOOKED_WITHIN)
    if not _is_there(done):
        raise Refused("accounting_refused", f"sacctmgr {' '.join(words[1:3])}: {done.words}")


def _is_there(done: Completed) -> bool:
    return done.ok or THERE.search(done.words) is not None


def _sacctmgr(*words: str) -> str:
    done = run("sacctmgr", *words)
    if not done.ok and "Nothing" not in done.words:
        raise Refused("accounting_refused", f"sacctmgr {' '.join(words[:3])}: {done.words}")
    return done.stdout


VERBS = {"ensure": ensure, "sync": sync, "await": await_scheduler}
