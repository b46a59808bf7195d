"""Who may enter a machine, under which name, for how long, and what a node should be told.

Pure: no session, no clock, no settings. Everything a decision needs is an argument.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, cast

from moorage_core.access.models import AccessGrant, NewLogin, NodeAccess, Person, Standing
from moorage_core.authz.permissions import Permission
from moorage_core.authz.roles import ROLES, Role
from moorage_core.errors import ApiError, Conflict, Fault, Forbidden

LOGIN = re.compile(r"[a-z][a-z0-9-]{0,30}")
LOGIN_LENGTH = 31
RESERVED = frozenset(
    {
        "adm",
        "admin",
        "administrator",
        "audio",
        "backup",
        "bin",
        "cdrom",
        "crontab",
        "daemon",
        "debian",
        "dialout",
        "dip",
        "disk",
        "fax",
        "floppy",
        "ftp",
        "games",
        "gnats",
        "guest",
        "halt",
        "http",
        "input",
        "irc",
        "kmem",
        "kvm",
        "list",
        "lp",
        "mail",
        "man",
        "messagebus",
        "moorage",
        "mysql",
        "netdev",
        "news",
        "nobody",
        "nogroup",
        "operator",
        "plugdev",
        "polkitd",
        "postfix",
        "postgres",
        "proxy",
        "render",
        "root",
        "sasl",
        "server",
        "sgx",
        "shadow",
        "shutdown",
        "src",
        "ssh",
        "sshd",
        "staff",
        "statd",
        "sudo",
        "sync",
        "sys",
        "systemd",
        "tape",
        "tcpdump",
        "tty",
        "ubuntu",
        "users",
        "utmp",
        "uucp",
        "uuidd",
        "video",
        "voice",
        "wheel",
        "www-data",
    }
)
"""Names that hosts tend to have already."""
RESERVED_STARTS = ("moorage-", "systemd-")
USING_ROLES: frozenset[str] = frozenset(
    str(role) for role in Role if Permission.INFRA_ACCESS_USE in ROLES[role].permissions
)
"""Roles whose people can enter machines at all."""
LIVE_ALLOCATION = "active"


class AllocationNotActive(Conflict):
    """The allocation is not active."""

    code = "allocation_not_active"


class NotInProject(Conflict):
    """The person has no role in the project that lets them enter machines."""

    code = "not_in_project"


class NotInOrg(Conflict):
    """The person has no role in the org."""

    code = "not_in_org"


class PersonDisabled(Conflict):
    """The person's account is disabled."""

    code = "person_disabled"


class NotAPerson(ApiError):
    """Only people enter machines."""

    status = 422
    code = "not_a_person"


class AlreadyGranted(Conflict):
    """The person may enter this machine already."""

    code = "already_granted"


class AccessEnded(Conflict):
    """The access grant has ended."""

    code = "access_ended"


class GrantTooLong(ApiError):
    """An access grant cannot last that long."""

    status = 422
    code = "grant_too_long"


class NotYourGrant(Forbidden):
    """Only the person of a grant gets certificates for it."""

    code = "not_your_grant"


class KeyRefused(ApiError):
    """This is not an SSH public key that can be certified."""

    status = 422
    code = "ssh_key_refused"


class HasLogin(Conflict):
    """The person has a login in this org already."""

    code = "has_login"


class LoginTaken(Conflict):
    """The login belongs, or belonged, to somebody else."""

    code = "login_taken"


class LoginReserved(ApiError):
    """Hosts use this name themselves."""

    status = 422
    code = "login_reserved"


class UidsExhausted(Conflict):
    """The org has no uid left to give."""

    code = "uids_exhausted"


# Logins


def is_reserved(login: str) -> bool:
    return login in RESERVED or login.startswith(RESERVED_STARTS)


def check_login(login: str) -> None:
    if is_reserved(login):
        raise LoginReserved(
            f"Hosts have a user {login} of their own. Choose another login.",
            errors=[Fault("body.login", "reserved")],
        )


def login_for(email: str, taken: Iterable[str]) -> str:
    """A free login that the person will know again, from the address's local part."""
    base = login_stem(email)
    used = frozenset(taken)
    number = 1
    login = base
    while login in used or is_reserved(login):
        number += 1
        ending = str(number)
        login = base[: LOGIN_LENGTH - len(ending)] + ending
    return login


def login_stem(email: str) -> str:
    local = email.partition("@")[0].lower()
    cleaned = re.sub(r"[^a-z0-9]+", "-", local).strip("-")
    return re.sub(r"^[^a-z]+", "", cleaned)[:LOGIN_LENGTH].rstrip("-") or "user"


def next_uid(highest: int | None, *, lowest: int, last: int) -> int:
    """Uids only go up: one that was given once is never given again."""
    uid = lowest if highest is None else max(highest + 1, lowest)
    if uid > last:
        raise UidsExhausted(
            f"All uids from {lowest} to {last} were given. "
            "The platform's setting access.uid_max can be raised."
        )
    return uid


def allot(
    people: Sequence[Person], taken: Iterable[str], *, highest: int | None, lowest: int, last: int
) -> list[NewLogin]:
    """A login and a uid for each, as far as there are uids; refuses where there is none at all."""
    used = set(taken)
    first = next_uid(highest, lowest=lowest, last=last)
    new: list[NewLogin] = []
    for uid, person in zip(range(first, last + 1), people, strict=False):
        login = login_for(person.email, used)
        used.add(login)
        new.append(NewLogin(person.id, login, uid))
    return new


# Grants


def can_enter(person: Person | None) -> bool:
    return person is not None and not person.disabled and not USING_ROLES.isdisjoint(person.roles)


def check_person(person: Person | None, *, user: str, project: str) -> Person:
    """The person, who may be let in."""
    if person is None or USING_ROLES.isdisjoint(person.roles):
        raise NotInProject(
            f"User {user} has no role in project {project}, or in its org, that lets them enter "
            "machines. Make them a project_member first."
        )
    if person.disabled:
        raise PersonDisabled(f"The account of user {user} is disabled. The platform can enable it.")
    return person


def check_active(allocation: str, status: str) -> None:
    if status != LIVE_ALLOCATION:
        raise AllocationNotActive(
            f"Allocation {allocation} is {status}. People can enter while it is active."
        )


def check_lifetime(seconds: int, *, longest: timedelta) -> timedelta:
    asked = timedelta(seconds=seconds)
    if asked > longest:
        raise GrantTooLong(
            f"An access grant may last {int(longest.total_seconds())} seconds at most.",
            errors=[Fault("body.expires_in", "too long")],
        )
    return asked


def check_live(grant: AccessGrant, *, now: datetime) -> None:
    if grant.ended_at is not None:
        because = grant.ended_because or "it was ended"
        raise AccessEnded(f"Access grant {grant.id} has ended: {because}.")
    if grant.expires_at <= now:
        raise AccessEnded(f"Access grant {grant.id} has ended: {Because.EXPIRED}.")


def check_own(grant: AccessGrant, *, caller: str) -> None:
    if grant.user_id != caller:
        raise NotYourGrant(
            f"Access grant {grant.id} is {grant.login}'s. A certificate is made for the person "
            "themselves; ask for a grant of your own.",
            org=grant.org_id,
            project=grant.project_id,
        )


class Because(StrEnum):
    """Why a grant ended, in words that people read."""

    ENDED = "somebody ended it"
    EXPIRED = "its time was up"
    RELEASED = "the allocation is not active any more"
    DISABLED = "the account was disabled"
    LEFT = "the person has no role in the project any more that lets them enter machines"


def why_ended(standing: Standing, *, now: datetime) -> Because | None:
    """Why a live grant has to end now; None where it lives on."""
    if standing.allocation_status != LIVE_ALLOCATION:
        return Because.RELEASED
    if standing.disabled:
        return Because.DISABLED
    if USING_ROLES.isdisjoint(standing.roles):
        return Because.LEFT
    return Because.EXPIRED if standing.expires_at <= now else None


# What a node should have


class Step(StrEnum):
    """What comes next for a node whose list is older than it should be."""

    NOTHING = "nothing"
    SEND = "send"
    CONFIRM = "confirm"
    RETRY = "retry"


@dataclass(frozen=True)
class Progress:
    step: Step
    clashes: tuple[str, ...] = ()
    problem: str | None = None
    after: timedelta = timedelta(0)


CLASH = "login_clash"
CLASH_TRIES = 4
"""Somebody has to go to the host about a clash: it is looked at again after half a minute."""
RETRY_FIRST = timedelta(seconds=2)
RETRY_LAST = timedelta(minutes=5)


def progress(node: NodeAccess) -> Progress:
    """What the end of the last list means, or that one has to go out.

    One list is under way at a time: the next then holds everything that was changed meanwhile, and
    what a node confirms is the one that it was sent.
    """
    if not node.told:
        return Progress(Step.NOTHING)
    if node.task_id is None:
        return Progress(Step.SEND)
    if node.task_ended_at is None and node.task_status is not None:
        return Progress(Step.NOTHING)
    if node.task_status == "succeeded":
        return Progress(Step.CONFIRM)
    if node.task_status == "failed" and node.task_error_code == CLASH:
        clashes = clashing(node.task_result)
        after = pause(node.tries + CLASH_TRIES)
        return Progress(Step.CONFIRM, clashes, problem=node.task_error_message, after=after)
    if node.task_status == "failed":
        problem = node.task_error_message or node.task_error_code or "the node could not do it"
        return Progress(Step.RETRY, problem=problem, after=pause(node.tries))
    # Cancelled, given up or unknown: what the node has is not known, so it is sent again.
    return Progress(Step.SEND)


def pause(tries: int) -> timedelta:
    """How long a node that could not do it is left alone. Longer each time."""
    return min(RETRY_FIRST * 2 ** min(tries, 16), RETRY_LAST)


def clashing(result: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The logins that somebody else has on the host. A host's word: anything may stand there."""
    named: object = (result or {}).get("clashes")
    if not isinstance(named, Mapping | list):
        return ()
    texts = [str(text) for text in cast("Iterable[object]", named)]
    return tuple(sorted(text for text in texts if LOGIN.fullmatch(text)))


def shown_name(name: str, login: str) -> str:
    """A person's name as /etc/passwd can hold it."""
    return re.sub(r"[:,\x00-\x1f\x7f]+", " ", name).strip()[:100] or login
