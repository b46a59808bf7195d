"""Who may be on this host: made so, and whoever may not is gone before the task ends.

The order is what makes it safe. First every way in closes, then what is open ends, then accounts
go; new accounts come next, and the ways in to them open last. A part that fails does not keep the
rest from being done: the task names it at its end.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Optional

from moorage_agent import accounts, evidence, inputs, paths, people, processes, sshd
from moorage_agent.accounts import Host
from moorage_agent.people import Person, Record
from moorage_agent.sshd import Rules, Server
from moorage_agent.tasks import Failed, Outcome, Task, Work

END_WITHIN = 3.0
"""How long open sessions may take to be gone. Killing takes tenths of a second."""
REMAIN = "sessions_remain"
"""Somebody who may not be here still is: nothing that stands in the way weighs more."""


@dataclass
class Told:
    """What was done so far, and what stood in the way."""

    changed: bool = False
    present: list[str] = field(default_factory=list[str])
    removed: list[str] = field(default_factory=list[str])
    ended: dict[str, int] = field(default_factory=dict[str, int])
    clashes: dict[str, str] = field(default_factory=dict[str, str])
    failures: list[Failed] = field(default_factory=list[Failed])

    def note(self, changed: bool) -> None:
        self.changed = self.changed or changed

    def trying(self, act: Callable[[], bool]) -> bool:
        """Do a part of the work; whether it went well. What stood in the way is kept."""
        try:
            self.note(act())
        except Failed as failure:
            self.failures.append(failure)
            return False
        except OSError as error:
            self.failures.append(paths.refusal(error, error.filename or "a file"))
            return False
        return True

    def failure(self, result: dict[str, Any]) -> Optional[Failed]:
        """What the task fails with: what was not done comes before whom the host cannot have.

        A clash alone says that all the rest was done, so a failure is never hidden behind one.
        """
        clashes = "; ".join(self.clashes.values())
        if self.failures:
            worst = min(self.failures, key=lambda failure: failure.code != REMAIN)
            message = f"{worst.message} {clashes}" if clashes else worst.message
            return Failed(worst.code, message, result=result)
        if clashes:
            return Failed("login_clash", f"{clashes} The rest was done.", result=result)
        return None

    def result(self, record: Record) -> dict[str, Any]:
        kept = [login for login in record.homes if login not in record.people]
        return {
            "changed": self.changed,
            "present": sorted(self.present),
            "removed": sorted(self.removed),
            "ended": self.ended,
            "clashes": self.clashes,
            "homes": sorted(f"/home/{login}" for login in kept),
        }


def run(task: Task, work: Work) -> Outcome:
    """Make the host's people those of the input."""
    wanted = people.parse(task.input)
    keys = [sshd.parse_authority(line) for line in inputs.list_texts(task.input, "authorities")]
    told = Told()
    record = sync(work.state, wanted, keys, told)
    evidence.note_ended(told.ended, correlation_id=task.correlation_id)
    failure = told.failure(told.result(record))
    if failure is not None:
        raise failure
    return Outcome(changed=told.changed, result=told.result(record))


def sync(
    state: Path,
    wanted: list[Person],
    keys: list[str],
    told: Told,
    *,
    host: Optional[Host] = None,
    server: Optional[Server] = None,
) -> Record:
    """Make the host's people those wanted; what is on record then."""
    host, server = host or Host(), server or Server()
    record = people.load(state)
    now = {person.login: person for person in wanted}
    leaving = {
        login: person
        for login, person in record.people.items()
        if people.is_withdrawn(person, now.get(login))
    }

    _close(server, host, leaving, now, told)
    # Settled before the server is told: a stranger's account must not get rules of ours.
    told.clashes = _clashes(record, wanted, accounts.ranges(host))
    admitted = [person for person in wanted if person.login not in told.clashes]
    configured = told.trying(partial(_configure, server, admitted, keys))
    _end(leaving, now, host, told)
    record = _remove(state, record, leaving, now, host, told)
    for person in admitted:
        record = _admit(state, record, person, host, told)
    if configured:
        _open(server, admitted, told)
    return record


def _close(
    server: Server,
    host: Host,
    leaving: Mapping[str, Person],
    now: Mapping[str, Person],
    told: Told,
) -> None:
    """Take away the principals and the rights that are no more, before anything that takes time."""
    for login, person in leaving.items():
        kept = now[login].principals if login in now else ()
        still = set(person.principals) & set(kept)
        if not told.trying(partial(sshd.set_principals, server, login, still)):
            told.trying(partial(sshd.set_principals, server, login, ()))
        if login not in now or not now[login].sudo:
            told.trying(partial(accounts.set_sudo, host, login, allowed=False))
    for login in sshd.list_principals(server):  # of a record that was lost
        if login not in now:
            told.trying(partial(sshd.set_principals, server, login, ()))


def _configure(server: Server, admitted: list[Person], keys: list[str]) -> bool:
    if not admitted and not keys:
        return sshd.remove(server)
    ours = [person for person in admitted if not person.external]
    rules = Rules(
        strict=tuple(person.login for person in ours if not person.forwarding),
        forwarding=tuple(person.login for person in ours if person.forwarding),
    )
    trusted = sshd.set_authorities(server, keys)
    try:
        return sshd.apply(server, rules) or trusted
    except Failed as failure:
        if failure.code == "sshd_missing" and not any(one.principals for one in admitted):
            return trusted  # nobody is to come in, and nobody can
        raise


def _end(leaving: Mapping[str, Person], now: Mapping[str, Person], host: Host, told: Told) -> None:
    staying = {login for login, person in leaving.items() if _keeps_account(person, now)}
    uids: dict[str, int] = {}
    for login, person in leaving.items():
        uid = accounts.find_uid(login) if person.uid is None else person.uid
        if uid is not None:
            uids[login] = uid
    ended = processes.end_people(uids, within=END_WITHIN, staying=staying)
    told.ended = ended.counts
    told.note(bool(ended.counts))
    if ended.services:
        host.run(["systemctl", "reset-failed", "--", *ended.services])
    if ended.remaining:
        names = ", ".join(ended.remaining)
        told.failures.append(Failed(REMAIN, f"Processes of {names} outlive a kill."))


def _remove(
    state: Path,
    record: Record,
    leaving: Mapping[str, Person],
    now: Mapping[str, Person],
    host: Host,
    told: Told,
) -> Record:
    """Take away the accounts of those who left. Somebody who only lost a right keeps theirs."""
    for login, person in leaving.items():
        if _keeps_account(person, now):
            if not now[login].principals:
                told.trying(partial(_settle, host, person))
            continue
        gone = record.without(login)
        if told.trying(partial(_leave, state, gone, person, host)):
            told.removed.append(login)
            record = gone
    return record


def _keeps_account(person: Person, now: Mapping[str, Person]) -> bool:
    stays = now.get(person.login)
    return stays is not None and (stays.uid, stays.external) == (person.uid, person.external)


def _leave(state: Path, gone: Record, person: Person, host: Host) -> bool:
    _settle(host, person)
    if not person.external:
        accounts.remove(host, person.login)
    people.save(state, gone)
    return True


def _settle(host: Host, person: Person) -> bool:
    """Let systemd forget the sessions: killed managers would stay as failed units. Nothing that
    somebody without a way in left there begins by itself, either; whether there was anything."""
    if person.uid is None:
        return False
    removed = accounts.stop_recurring(host, [person.login])
    units = [f"user@{person.uid}.service", f"user-{person.uid}.slice"]
    host.run(["systemctl", "stop", "--no-block", *units])
    host.run(["systemctl", "reset-failed", *units])
    return bool(removed)


def _clashes(record: Record, wanted: list[Person], ranges: list[str]) -> dict[str, str]:
    """Who cannot have their account here, and why."""
    found: dict[str, str] = {}
    for person in wanted:
        sentence = people.clash(
            person,
            by_login=accounts.find_uid(person.login),
            by_uid=accounts.find_login(person.uid),
            ours=person.login in record.people,
            by_range=people.find_in_ranges(person, ranges),
        )
        if not sentence and not person.external:
            sentence = accounts.home_clash(person)
        if sentence:
            found[person.login] = sentence
    return found


def _admit(state: Path, record: Record, person: Person, host: Host, told: Told) -> Record:
    planned = record.having(person, makes_home=not accounts.has_home(person.login))
    if told.trying(partial(_make, state, record, planned, person, host)):
        told.present.append(person.login)
        told.trying(partial(accounts.set_sudo, host, person.login, allowed=person.sudo))
    return planned


def _make(state: Path, record: Record, planned: Record, person: Person, host: Host) -> bool:
    if planned != record:
        people.save(state, planned)
    return not person.external and accounts.make(host, person)


def _open(server: Server, admitted: list[Person], told: Told) -> None:
    """Open the ways in, now that accounts and limits are in place."""
    for person in admitted:
        if person.login in told.present:
            told.trying(partial(sshd.set_principals, server, person.login, person.principals))
