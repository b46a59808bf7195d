"""Slurm's books: the account of the project, and who may use it."""

import json
import pwd
import re
from pathlib import Path

from moorage_slurm.onhost import look
from moorage_slurm.onhost.commands import Completed, Json, Refused, comes_up, journal, run, until

PASSWD = Path("/etc/passwd")
SETTINGS = Path("/etc/moorage-slurm/accounting.json")
BOOKED_WITHIN = 10.0
"""Seconds in which the books know a cluster whose scheduler answers."""
UNLIMITED = "-1"
THERE = re.compile(r"Nothing new added|already exist|Already existing")
"""What releases of `sacctmgr` say of something that is there already."""
LATER = re.compile(r"not find|doesn't exist|refused")
"""What they say of something that is about to be there."""


def ensure(given: Json) -> Json:
    """Open the account and let everybody in."""
    account, cluster = given["account"], given["cluster"]
    _add("-i", "add", "cluster", cluster)
    words = ["-i", "add", "account", account, f"Cluster={cluster}", f"Description={given['title']}"]
    _add(*words, "Organization=moorage")
    return sync({})


def sync(given: Json) -> Json:
    """Have those in the books who are named and on this host, and newcomers; nobody else."""
    settings = read_settings()
    account, cluster = settings["account"], settings["cluster"]
    named = {*settings["people"], *settings["programs"]} - {*absent(settings)}
    wanted = named | newcomers(PASSWD.read_text(), *settings["newcomers"])
    books = read(settings)
    if not books.ok:
        raise Refused("accounting_refused", f"sacctmgr show assoc: {books.words}")
    known = people(books)
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


def read_settings() -> Json:
    return json.loads(SETTINGS.read_text())


def absent(settings: Json) -> list[str]:
    """Those who should be in the books and have no account on this host."""
    people: dict[str, int] = settings["people"]
    absent = {login for login, uid in people.items() if look.number(login) != uid}
    return sorted(absent | {each for each in settings["programs"] if look.number(each) is None})


def newcomers(accounts: str, first: int, last: int) -> set[str]:
    """Whoever the platform has put on this host, by their numbers. Pure.

    Accounts of the host's own file alone: numbers of a site's directory are the site's.
    """
    found: set[str] = set()
    for line in accounts.splitlines():
        login, *fields = line.split(":")
        if len(fields) > 1 and fields[1].isdecimal() and first <= int(fields[1]) <= last:
            found.add(login)
    return found


def read(settings: Json, *, within: float = 60) -> Completed:
    """Ask the books who is in them."""
    where = (f"Account={settings['account']}", f"Cluster={settings['cluster']}")
    return run("sacctmgr", "-n", "-P", "show", "assoc", *where, "format=user", within=within)


def people(books: Completed) -> set[str]:
    return {line.strip() for line in books.lines}


def _home(login: str) -> None:
    """A home where there is none: on shared homes nobody else makes one."""
    if not Path(pwd.getpwnam(login).pw_dir).exists():
        run("mkhomedir_helper", login, "0077")


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
