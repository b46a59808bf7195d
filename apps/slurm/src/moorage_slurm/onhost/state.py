"""What one controller's host leaves to the next: copies of state and database, sent between hosts.

They may be large, so they go from host to host. Both ends have the cluster's key from the platform
and speak TLS with what is made of it: whoever has not the key can neither read nor answer.

A host that goes in peace hands over everything. For one that dies, a copy is made every minute and
kept by workers; what was done since is sorted out by what workers know of it (`settle`).
"""

import hashlib
import hmac
import json
import os
import re
import shutil
import socket
import ssl
import sys
import tarfile
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from moorage_slurm.onhost import accounting, copies, keys, nodes, setup, versions
from moorage_slurm.onhost.commands import Json, Refused, connect, run

MOVED, PASSING, KEPT = "moved", "passing", "kept"
"""Copies beside those of releases: handed on to this host, on its way, and kept for others."""
CONF = Path("/etc/slurm/slurm.conf")
LOG = Path("/var/log/slurm/slurmd.log")
AT_WORK = ("RUNNING", "SUSPENDED")
WRITTEN_WITHIN = 60
"""Seconds after which whatever the scheduler did is in its files for certain."""
KEEPERS = 2
"""Workers that have each copy."""
KEEP_PORT = 6816
CIPHERS = "ECDHE-PSK-CHACHA20-POLY1305"
DONE = b"got it\n"
FIRST_FD = 3
"""Where systemd puts the socket of a service that it starts for a connection."""


# --- from host to host ---------------------------------------------------------------------------


def send(given: Json) -> Json:
    """Send a copy to the host that waits for it, until that has it."""
    folder = copies.COPIES / given.get("series", MOVED)
    if CONF.exists():
        shutil.copy(CONF, folder / CONF.name)
    try:
        plain = connect(given["address"], given["port"], within=given["seconds"])
    except OSError as err:
        place = f"{given['address']} port {given['port']}"
        raise Refused("successor_silent", f"{place} takes nothing: {err}") from err
    plain.settimeout(given["seconds"])
    try:
        with _client().wrap_socket(plain) as channel:
            with channel.makefile("wb") as out, tarfile.open(fileobj=out, mode="w|") as archive:
                archive.add(folder, arcname=".")
            if channel.recv(len(DONE)) != DONE:
                raise OSError("it did not say that it has everything")
    except OSError as err:
        raise Refused("successor_silent", f"The state did not arrive: {err}.") from err
    return {}


def receive(given: Json) -> Json:
    """Wait for a copy, and keep it. Whoever has not the key is not listened to."""
    until = time.monotonic() + given["seconds"]
    with socket.create_server(("", given["port"])) as server:
        while (left := until - time.monotonic()) > 0:
            server.settimeout(left)
            if _take(server, MOVED):
                return came({})
    raise Refused("nothing_came", "Nobody sent the state of the controller.")


def keep(given: Json) -> Json:
    """Take one copy from whoever knocks at the socket that systemd holds, for another day."""
    with socket.socket(fileno=FIRST_FD) as server:
        server.settimeout(10)
        return {"taken": _take(server, KEPT)}


def _take(server: socket.socket, series: str) -> bool:
    """Listen to one caller; whether it brought a whole copy."""
    try:
        plain, _ = server.accept()
        plain.settimeout(120)
        with _server().wrap_socket(plain, server_side=True) as channel:
            _store(channel, copies.COPIES / series)
            channel.sendall(DONE)
    except (OSError, tarfile.TarError):
        return False
    return True


def _store(channel: ssl.SSLSocket, place: Path) -> None:
    part = place.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    setup.HOME.chmod(0o700)
    with channel.makefile("rb") as content, tarfile.open(fileobj=content, mode="r|") as archive:
        archive.extractall(part, filter="data")
    os.sync()
    shutil.rmtree(place, ignore_errors=True)
    part.rename(place)


def came(given: Json) -> Json:
    """What is known of a copy; nothing where there is none."""
    series = given.get("series", MOVED)
    known = copies.find(series)
    if known is None:
        return {"copy": None}
    return {"copy": {**known, **chosen((copies.COPIES / series / CONF.name).read_text())}}


def chosen(conf: str) -> Json:
    """What was chosen once, for the life of a cluster, and stands in its file."""
    first = re.search(r"(?m)^FirstJobId=(\d+)", conf)
    return {
        "processes": "cgroup" if "=proctrack/cgroup" in conf else "linuxproc",
        "first_job": int(first[1]) if first else 1,
    }


def drop(given: Json) -> Json:
    """What was handed on is in its place, and needs no copy any more."""
    shutil.rmtree(copies.COPIES / MOVED, ignore_errors=True)
    return {}


# --- every minute --------------------------------------------------------------------------------


def pass_on(given: Json) -> Json:
    """Copy what runs, and have a few workers keep it."""
    cluster = json.loads(accounting.SETTINGS.read_text())["cluster"]
    own = CONF.read_text()
    keepers = [
        each["address"]
        for each in sorted(nodes.list_all(), key=lambda each: each["node"])
        if nodes.is_usable(each) and f"({each['address']})" not in own
    ]
    if not keepers:
        return {"kept": []}
    _pack(copies.COPIES / PASSING, cluster)
    kept: list[str] = []
    for address in keepers:
        where = {"address": address, "port": KEEP_PORT, "seconds": 10, "series": PASSING}
        try:
            send(where)
        except Refused:
            continue
        kept.append(address)
        if len(kept) == KEEPERS:
            break
    return {"kept": kept}


def _pack(folder: Path, cluster: str) -> None:
    """State and database of daemons that run: each file is whole, as Slurm writes them."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    at = int(time.time())
    words = ("--warning=no-file-changed", "--ignore-failed-read", "-cf", str(folder / "state.tar"))
    done = run("tar", "-C", str(copies.STATE), *words, ".", within=copies.LONGEST)
    if done.code not in (0, 1):  # 1: a file was replaced by its next version meanwhile
        raise Refused("copy_failed", f"The state could not be copied: {done.words}")
    copies.write_dump(folder / "database.sql")
    said = {"operation": "", "series": PASSING, "at": at, "highest": copies.highest_ever(cluster)}
    (folder / "copy.json").write_text(json.dumps(said))


# --- after a host has died -----------------------------------------------------------------------


def witnessed(given: Json) -> Json:
    """On a worker whose daemon is stopped: jobs that run here, and jobs that ever began here."""
    lines = LOG.read_text(errors="replace").splitlines() if LOG.exists() else []
    return {"at_work": versions.at_work({})["jobs"], "begun": begun(lines)}


def begun(lines: Iterable[str]) -> list[int]:
    """Jobs of which a worker's log says that they were started."""
    said = (re.search(r"(?:Launching batch job |launch task StepId=)(\d+)", line) for line in lines)
    return sorted({int(found[1]) for found in said if found})


def settle(given: Json) -> Json:
    """Before workers come back to a scheduler that knows only an older copy: nothing runs twice.

    What the copy has as running and no worker runs has ended since, and is cancelled. What it has
    as waiting and a worker has begun was started since, and is held for its owner. What workers run
    and the copy does not know at all is ended by the scheduler when they come back.
    """
    rows = _queue()
    queue = {row.job: row.state for row in rows}
    arrays = [row.job for row in rows if row.is_array and row.state == "PENDING"]
    unknown = _begun_since(set(given["begun"]) - {*queue}, given["at"]) if arrays else set[int]()
    begun = {*given["begun"], *begun_arrays(arrays, unknown)}
    found = sort_out(queue, given["at_work"], begun, complete=given["complete"])
    versions.tell_each("scancel", map(str, found["ended"]))
    versions.tell_each("scontrol", map(str, found["held"]), "uhold")
    _check_settled(found)
    return found


@dataclass(frozen=True)
class Queued:
    """A job in the queue; of an array those tasks that have not begun are one."""

    job: int
    state: str
    reason: str
    is_array: bool


def _queue() -> list[Queued]:
    done = run("squeue", "-h", "-a", "-t", "all", "-o", "%A|%T|%K|%r", within=60)
    if not done.ok:
        raise Refused("scheduler_silent", f"squeue: {done.words}")
    rows = (line.split("|", 3) for line in done.lines)
    return [Queued(int(job), state, why, task != "N/A") for job, state, task, why in rows]


def _begun_since(jobs: Collection[int], at: int) -> set[int]:
    """Those of them that the books do not have as ended, well before a copy was made."""
    if not jobs:
        return set()
    table = f"{setup.DATABASE}.{json.loads(accounting.SETTINGS.read_text())['cluster']}_job_table"
    listed = ", ".join(map(str, sorted(jobs)))
    ended = f"time_end > 0 and time_end < {at - WRITTEN_WITHIN}"
    known = setup.sql(f"select id_job from {table} where id_job in ({listed}) and {ended}")
    return {*jobs} - {*map(int, known.split())}


def begun_arrays(arrays: Iterable[int], unknown: Collection[int]) -> list[int]:
    """Arrays of which a task may have begun since. Pure.

    A task gets a number of its own when it begins, above that of its array, and nobody but the
    scheduler that died knew whose it was.
    """
    latest = max(unknown, default=0)
    return [array for array in arrays if array < latest]


def sort_out(
    queue: dict[int, str], at_work: Collection[int], begun: Collection[int], *, complete: bool
) -> dict[str, list[int]]:
    """What becomes of jobs, from an older queue and what workers know. Pure.

    Where not every worker could be asked, nobody knows what the others began: then everything that
    waits is held, and what may still run there is left alone.
    """
    running = [job for job, state in queue.items() if state in AT_WORK]
    waiting = [job for job, state in queue.items() if state == "PENDING"]
    return {
        "ended": sorted(job for job in running if complete and job not in at_work),
        "held": sorted(job for job in waiting if not complete or job in begun),
        "lost": sorted(job for job in at_work if queue.get(job) not in AT_WORK),
    }


def _check_settled(found: Mapping[str, Collection[int]]) -> None:
    """No worker comes back before all of it is so."""
    for row in _queue():
        if row.job in found["ended"] and row.state in AT_WORK:
            raise Refused("jobs_unsettled", f"Job {row.job} has ended, and is still {row.state}.")
        is_held = row.state != "PENDING" or row.reason.startswith("JobHeld")
        if row.job in found["held"] and not is_held:
            raise Refused("jobs_unsettled", f"Job {row.job} waits and is not held: {row.reason}.")


# --- who may listen ------------------------------------------------------------------------------


def _secret() -> bytes:
    """Made of the cluster's key: given with the task, or as it lies on the host."""
    given = os.environ.get("MOORAGE_SECRETS")
    key = (Path(given) / keys.SECRET).read_text() if given else keys.current()
    return hmac.digest(key.encode(), b"moorage-slurm: state", hashlib.sha256)


def _context(side: int) -> ssl.SSLContext:
    context = ssl.SSLContext(side)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # both sides prove the key, and have no certificates
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(CIPHERS)
    return context


def _client() -> ssl.SSLContext:
    context, secret = _context(ssl.PROTOCOL_TLS_CLIENT), _secret()
    if sys.version_info >= (3, 13):
        context.set_psk_client_callback(lambda hint: (None, secret))
    return context


def _server() -> ssl.SSLContext:
    context, secret = _context(ssl.PROTOCOL_TLS_SERVER), _secret()
    if sys.version_info >= (3, 13):
        context.set_psk_server_callback(lambda identity: secret)
    return context


VERBS = {
    "send": send,
    "receive": receive,
    "keep": keep,
    "came": came,
    "drop": drop,
    "pass": pass_on,
    "witnessed": witnessed,
    "settle": settle,
}
