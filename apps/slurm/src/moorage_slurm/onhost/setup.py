"""Bringing up what a role needs, and remembering what the host was before."""

import grp
import json
import os
import pwd
import shutil
from pathlib import Path

from moorage_slurm.onhost import traces
from moorage_slurm.onhost.commands import Json, Refused, connect, journal, must, run

HOME = Path("/var/lib/moorage-slurm")
BEFORE = HOME / "before.json"
KEPT = HOME / "kept.tar"
ROLES = HOME / "roles"
STAY = HOME / "stay"
"""By which allocation the host is ours. One that was dead when we left is given back without us,
and comes again under another: what we noted then is of another life, and misleads."""
DATABASE = "moorage_slurm"
DATABASE_PORT = 6819
OTHER_RIGHTS = f"""
    select count(*) from information_schema.schema_privileges
    where grantee = '''slurm''@''localhost''' and table_schema <> '{DATABASE}'
"""


def begin(given: Json) -> Json:
    """Remember the host as it is, once, and that a role is on it now."""
    if STAY.exists() and STAY.read_text() != given["stay"]:
        _forget()
    ROLES.mkdir(parents=True, exist_ok=True)
    HOME.chmod(0o700)
    _note(STAY, given["stay"])
    if not BEFORE.exists():
        _note(BEFORE, json.dumps(_remember()))
    (ROLES / given["role"]).touch()
    return {"roles": roles()}


def before() -> Json:
    """What was remembered; nothing where nobody began."""
    return json.loads(BEFORE.read_text()) if BEFORE.exists() else {}


def _remember() -> Json:
    """What is on the host. Files of others at places of ours are kept aside, and come back."""
    now = picture()
    theirs = [*traces.of_anybody(), *traces.of_packages(now)]
    files = [each for each in theirs if each.startswith("/") and not each.startswith("/run/")]
    if files := [path.lstrip("/") for path in files if path not in traces.DATABASE]:
        must("tar", "-C", "/", "-cf", str(KEPT), *files, within=300)
    return now | {"theirs": theirs, "enabled": _enabled() if theirs else []}


def _enabled() -> list[str]:
    units = [*(unit for each in traces.UNITS.values() for unit in each), *traces.SHARED_UNITS]
    said = run("systemctl", "list-unit-files", "--no-legend", "--state=enabled", *units).lines
    return [line.split()[0] for line in said]


def put_back() -> None:
    """Files of others that were kept aside are where they were."""
    if KEPT.exists():
        must("tar", "-C", "/", "-xpf", str(KEPT), within=300)


def _forget() -> None:
    """Drop all of an earlier stay but whose it was: whoever is killed here does it again."""
    for path in HOME.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path != STAY:
            path.unlink()


def _note(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    part = path.with_suffix(".part")
    part.write_text(text)
    os.replace(part, path)


def roles() -> list[str]:
    return sorted(path.name for path in ROLES.glob("*")) if ROLES.exists() else []


def picture() -> Json:
    """What of the host installing packages changes."""
    form = "${Package}:${Architecture} ${Version} ${db:Status-Abbrev}\n"
    lines = [line.split() for line in must("dpkg-query", "-W", f"-f={form}").splitlines()]
    return {
        "packages": {each[0]: each[1] for each in lines if len(each) == 3 and each[2] != "un"},
        "users": sorted(each.pw_name for each in pwd.getpwall()),
        "groups": sorted(each.gr_name for each in grp.getgrall()),
    }


def database(given: Json) -> Json:
    """The database of accounting; whoever is `slurm` on this host is let in."""
    for folder in ("/var/lib/slurm/slurmctld", "/var/log/slurm"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        os.chown(folder, pwd.getpwnam("slurm").pw_uid, grp.getgrnam("slurm").gr_gid)
    sql(
        f"create database if not exists {DATABASE};"
        " create user if not exists slurm@localhost identified via unix_socket;"
        f" grant all on {DATABASE}.* to slurm@localhost"
    )
    return {}


def sql(words: str, *, within: float = 60) -> str:
    """What the server of databases answers."""
    return must("mariadb", "-N", "-B", "-e", words, within=within, code="database_refused").strip()


def drop_database() -> None:
    """Take ours out of a server of databases that is not ours, and stays. Whoever is `slurm` there
    for the sake of another database stays too."""
    run("systemctl", "start", "mariadb.service")
    sql(f"drop database if exists {DATABASE}")
    right = f"all on {DATABASE}.*"  # may be taken back already, by one that was killed then
    if int(sql(OTHER_RIGHTS)):
        sql(f"grant {right} to slurm@localhost; revoke {right} from slurm@localhost")
    else:
        sql("drop user if exists slurm@localhost")


def await_port(given: Json) -> Json:
    """Until somebody answers at a port of this host."""
    unit, port = given["unit"], given["port"]
    try:
        connect(given["address"], port, within=given.get("seconds", 60)).close()
    except OSError as err:
        words = f"{unit} does not answer at port {port}."
        raise Refused("daemon_silent", words, log=journal(unit)) from err
    return {}


def mark(given: Json) -> Json:
    """Write a word into a folder, or say which word stands there."""
    file = Path(given["folder"]) / f".moorage-{given['name']}"
    if given.get("word"):
        file.write_text(given["word"])
        file.chmod(0o644)
    try:
        return {"word": file.read_text()}
    except OSError as err:
        return {"word": None, "why": str(err.strerror)}


def unmark(given: Json) -> Json:
    (Path(given["folder"]) / f".moorage-{given['name']}").unlink(missing_ok=True)
    return {}


VERBS = {
    "begin": begin,
    "database": database,
    "await": await_port,
    "mark": mark,
    "unmark": unmark,
}
