"""Takes everything of a tenant off the host, and says what is left.

It undoes what tasks are known to have changed, removes what programs have kept beside it since the
holder came, and clears what people can leave behind. What a tenant did as root by other ways it
cannot know: that shows in the residue, held against the baseline, or only a new image helps. It
never touches the agent itself.
"""

import os
import shutil
from pathlib import Path
from typing import Optional

from moorage_agent import (
    accounts,
    baseline,
    commands,
    evidence,
    folders,
    people,
    processes,
    ready,
    residue,
    snapshot,
    temporary,
    undo,
    units,
)
from moorage_agent.kinds import access_sync, packages
from moorage_agent.places import Places
from moorage_agent.processes import Process
from moorage_agent.snapshot import Picture
from moorage_agent.tasks import Outcome, Task, Work

_END_WITHIN = 5.0
_CLOCKWORK = ("/var/spool/cron/",)


def run(task: Task, work: Work) -> Outcome:
    """Wipe the host. It ends well also where something is left: the residue is the answer."""
    before = baseline.find(work.state)
    removed: dict[str, list[str]] = {}
    removed["people"], troubles = _people(task, work)
    removed["tasks"] = _tasks()
    removed["transient_units"] = _transient_units(before)
    removed["processes"] = _processes(before)
    removed.update(undo.everything(undo.Host(work.state)))
    removed["processes"] = sorted({*removed["processes"], *_processes(before)})
    removed["folders"] = sorted({*removed.get("folders", []), *_folders(before)})
    removed["cron"] = _clockwork(before)
    removed["homes"] = _homes(work)
    removed["temporary"] = temporary.clear(spared=(before or {}).get("temporary", {}))
    shutil.rmtree(work.state / packages.KNOWN, ignore_errors=True)
    removed = {what: names for what, names in removed.items() if names}
    left = residue.find(work.state, wiped=True)
    if troubles:
        left["troubles"] = troubles
    return Outcome(changed=bool(removed), result={"removed": removed, "residue": left})


def _people(task: Task, work: Work) -> tuple[list[str], list[str]]:
    told = access_sync.Told()
    access_sync.sync(work.state, [], [], told)
    evidence.note_ended(told.ended, correlation_id=task.correlation_id)
    return sorted(told.removed), [failure.message for failure in told.failures]


def _tasks() -> list[str]:
    """End the commands of tasks that still run. Units that wait for one are the agent's own."""
    waiting = _waiting(Places().run)
    listing = commands.run(
        ["systemctl", "list-units", "--all", "--plain", "--no-legend", "moorage-task-*"]
    )
    found = [line.split()[0] for line in listing.stdout.splitlines() if line.strip()]
    return _stop([name for name in found if name not in waiting])


def _waiting(run: Path) -> set[str]:
    """The units that are ready for a command, those that are just being made included."""
    made = (run / ready.FOLDER).glob("*")
    names = [*(place.name for place in made)]
    names += [place.name.partition("-")[2] for place in run.glob(f"{ready.FOLDER}-*")]
    return {units.name(f"{ready.FOLDER}-{name}") for name in names}


def _stop(names: list[str]) -> list[str]:
    if names:
        commands.run(["systemctl", "kill", "--signal=KILL", "--", *names])
        commands.run(["systemctl", "stop", "--", *names], timeout=60)
        commands.run(["systemctl", "reset-failed", "--", *names])
    return names


def _transient_units(before: Optional[Picture]) -> list[str]:
    """End what was started as a unit without a file, with all of its processes."""
    known = (before or {}).get("transient_units", {})
    return _stop([name for name in snapshot.transient_units(Path("/")) if name not in known])


def _processes(before: Optional[Picture]) -> list[str]:
    """Kill what people run, but for sessions of the host's own people."""
    names: set[str] = set()

    def find() -> dict[str, list[Process]]:
        among = processes.everything()
        spared = processes.line_above(os.getpid(), among)
        found = [one for one in residue.of_people(before, among) if one.pid not in spared]
        names.update(residue.told(one) for one in found)
        return {"people": found}

    ended = processes.end(find, within=_END_WITHIN)
    if ended.services:  # systemd would remember them as failed
        commands.run(["systemctl", "reset-failed", "--", *ended.services])
    return sorted(names)


def _folders(before: Optional[Picture]) -> list[str]:
    """Remove what programs have kept for themselves. Without a picture nobody knows whose it is."""
    known = (before or {}).get("folders")
    return [] if known is None else folders.clear(known)


def _clockwork(before: Optional[Picture]) -> list[str]:
    """Remove crontabs and `at` jobs that the host did not have."""
    known = (before or {}).get("cron", {})
    removed: list[str] = []
    for name in snapshot.cron(Path("/")):
        if name not in known and name.startswith(_CLOCKWORK):
            Path(name).unlink(missing_ok=True)
            removed.append(name)
    return removed


def _homes(work: Work) -> list[str]:
    """Remove the homes that we made, and let the record forget them."""
    record = people.load(work.state)
    host = accounts.Host()
    removed = [accounts.remove_home(host, login, uid) for login, uid in record.homes.items()]
    kept = {login: uid for login, uid in record.homes.items() if accounts.has_home(login)}
    if kept != record.homes:
        people.save(work.state, people.Record(record.people, kept))
    return sorted(home for home in removed if home)
