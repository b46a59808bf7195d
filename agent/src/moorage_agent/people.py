"""People on the host: who is to be there, who is, and what has to happen. Pure, but for the record.

The record says which accounts are ours; it is written before an account is made and after it is
gone, so a crash never turns an account of ours into a stranger's.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Optional, cast

from moorage_agent import durable, inputs

_RECORD = "people.json"
_LOGIN = re.compile(r"[a-z][a-z0-9-]{0,30}")
_SITE_LOGIN = re.compile(r"[A-Za-z_][A-Za-z0-9._-]{0,62}")
_PRINCIPAL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:@+=-]{0,254}")
_FIRST_UID = 1000
_LAST_UID = 2**31


@dataclass(frozen=True)
class Person:
    """One person as the platform wants them on the host."""

    login: str
    uid: Optional[int]
    name: str = ""
    sudo: bool = False
    forwarding: bool = False
    principals: tuple[str, ...] = ()
    external: bool = False
    """The account is the site's own: only the way in is ours."""


@dataclass(frozen=True)
class Record:
    """Who is on the host through us, and whose homes are still there."""

    people: dict[str, Person] = field(default_factory=dict[str, Person])
    homes: dict[str, int] = field(default_factory=dict[str, int])
    """Homes that we made, by login, with their owner's number. They stay until a wipe."""

    def having(self, person: Person, *, makes_home: bool) -> "Record":
        own = makes_home and person.uid is not None and not person.external
        homes = {**self.homes, person.login: person.uid or 0} if own else self.homes
        return Record({**self.people, person.login: person}, homes)

    def without(self, login: str) -> "Record":
        kept = {name: person for name, person in self.people.items() if name != login}
        return Record(kept, self.homes)


def parse(given: Mapping[str, Any]) -> list[Person]:
    """The people of a task's input. Anything odd is refused: these words go into system files."""
    external = given.get("users") == "external"
    found = [_person(one, external=external) for one in inputs.list_items(given, "people")]
    for what in ([one.login for one in found], [one.uid for one in found if one.uid is not None]):
        if len(set(what)) != len(what):
            raise inputs.invalid("people", "people with a login and a uid each of their own")
    return found


def _person(one: object, *, external: bool) -> Person:
    if not isinstance(one, dict):
        raise inputs.invalid("people", "a list of objects")
    given = cast("dict[str, Any]", one)
    login = inputs.get_text(given, "login")
    if not (_SITE_LOGIN if external else _LOGIN).fullmatch(login):
        raise inputs.invalid("people", "people with a login of lower-case letters and digits")
    uid = inputs.find_number(given, "uid")
    if not external and (uid is None or not _FIRST_UID <= uid < _LAST_UID):
        raise inputs.invalid("people", f"people with a uid from {_FIRST_UID}")
    return Person(
        login=login,
        uid=uid,
        name=_comment(inputs.find_text(given, "name") or ""),
        sudo=inputs.find_flag(given, "sudo") or False,
        forwarding=inputs.find_flag(given, "forwarding") or False,
        principals=_principals(given),
        external=external,
    )


def _principals(given: Mapping[str, Any]) -> tuple[str, ...]:
    value = given.get("principal")
    listed = {"principal": [value] if isinstance(value, str) else value}
    found = inputs.list_texts(listed, "principal")
    if not all(_PRINCIPAL.fullmatch(one) for one in found):
        raise inputs.invalid("principal", "a word without spaces")
    return tuple(sorted(set(found)))


def _comment(name: str) -> str:
    """A name as the file of accounts can hold it."""
    return "".join(one for one in name if one.isprintable() and one not in ':,"\\')[:100]


def is_withdrawn(before: Person, now: Optional[Person]) -> bool:
    """Whether a person has lost anything, so that what they have open must end.

    Which of several grants a session came by cannot be told from its processes: all end.
    """
    if now is None or before.uid != now.uid or before.external != now.external:
        return True
    lost_way = not set(before.principals) <= set(now.principals)
    lost_sudo = before.sudo and not now.sudo
    return lost_way or lost_sudo or (before.forwarding and not now.forwarding)


def clash(
    person: Person,
    *,
    by_login: Optional[int],
    by_uid: Optional[str],
    ours: bool,
    by_range: Optional[str] = None,
) -> str:
    """Why a person cannot have the account, as a sentence; empty where they can.

    `by_login` is the number that the host has for the login, `by_uid` the login that it has for
    the number, `by_range` whoever may take the number for containers.
    """
    if person.external:
        if by_login is None:
            return f"The site's directory has no user {person.login} on this host."
        if person.uid is not None and by_login != person.uid:
            return f"{person.login} has uid {by_login} at this site, not {person.uid}."
        return ""
    if by_login is not None and not (ours and by_login == person.uid):
        return f"The host has a user {person.login} (uid {by_login}) that is not the platform's."
    if by_uid is not None and by_uid != person.login:
        return f"The host's user {by_uid} has the uid {person.uid} of {person.login}."
    if by_range is not None:
        return (
            f"The uid {person.uid} of {person.login} is in a range that {by_range} has in "
            "/etc/subuid or /etc/subgid, and could act as in containers."
        )
    return ""


def find_in_ranges(person: Person, lines: Iterable[str]) -> Optional[str]:
    """Whoever else may use the person's number in containers, by `name:first:count`. Pure."""
    for line in lines:
        name, _, rest = line.strip().partition(":")
        first, _, count = rest.partition(":")
        if not (first.isdecimal() and count.isdecimal()) or name in (person.login, str(person.uid)):
            continue
        if person.uid is not None and int(first) <= person.uid < int(first) + int(count):
            return name
    return None


def load(state: Path) -> Record:
    """The record; an empty one where nobody was ever let in."""
    try:
        kept: dict[str, Any] = json.loads((state / _RECORD).read_text())
    except FileNotFoundError:
        return Record()
    people = {login: Person(**fields) for login, fields in kept["people"].items()}
    tidied = {
        login: replace(person, principals=tuple(person.principals))  # JSON has only lists
        for login, person in people.items()
    }
    return Record(tidied, kept["homes"])


def save(state: Path, record: Record) -> Record:
    """Keep the record, and give it back."""
    kept = {
        "people": {login: asdict(person) for login, person in record.people.items()},
        "homes": record.homes,
    }
    durable.write(state / _RECORD, json.dumps(kept, sort_keys=True).encode())
    return record
