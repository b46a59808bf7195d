"""SSH certificates and what goes with them: keys that are read, a signature, where a host is.

Host keys and addresses are a host's own word, and tenants are root there: what is not of the
plainest form is dropped.
"""

import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

import asyncssh

from moorage_core.access import rules
from moorage_core.access.models import Contact
from moorage_core.errors import Fault
from moorage_core.kit import destinations, ssh_keys
from moorage_core.kit.destinations import Address

KINDS = frozenset(
    {
        "ssh-ed25519",
        "ecdsa-sha2-nistp256",
        "ecdsa-sha2-nistp384",
        "ecdsa-sha2-nistp521",
        "ssh-rsa",
    }
)
SLOW_CLOCK = timedelta(minutes=15)
"""So far may a host's clock be behind ours before it takes a fresh certificate for a future one."""
AT_MOST = 8
"""Addresses, and host keys, that are passed on."""
SSH_PORT = 22


@dataclass(frozen=True)
class Wish:
    """What a certificate says."""

    serial: int
    key_id: str
    principal: str
    forwarding: bool
    since: datetime
    until: datetime


def new_key() -> asyncssh.SSHKey:
    make = cast("Callable[[str], asyncssh.SSHKey]", asyncssh.generate_private_key)
    return make("ssh-ed25519")


def read_public_key(text: str) -> asyncssh.SSHKey:
    """A key of a person, as one line of OpenSSH's."""
    line = text.strip()
    try:
        if "\n" in line or "\r" in line:
            raise ValueError("more than one line")
        key = asyncssh.import_public_key(line)
    except (ValueError, asyncssh.KeyImportError) as err:
        raise _refused("It is not one line as in a .pub file of OpenSSH.") from err
    algorithm = key.get_algorithm()
    if algorithm not in KINDS:
        raise _refused(
            f"Keys of kind {algorithm} are not certified: take {', '.join(sorted(KINDS))}."
        )
    weakness = ssh_keys.find_weakness(key)
    if weakness is not None:
        raise _refused(weakness)
    return key


def _refused(why: str) -> rules.KeyRefused:
    return rules.KeyRefused(why, errors=[Fault("body.public_key", "not usable")])


def sign(authority: asyncssh.SSHKey, key: asyncssh.SSHKey, wish: Wish) -> str:
    """A certificate for one principal: a shell and commands, nothing more unless it is granted."""
    made = authority.generate_user_certificate(
        key,
        wish.key_id,
        serial=wish.serial,
        principals=[wish.principal],
        valid_after=wish.since - SLOW_CLOCK,
        valid_before=wish.until,
        permit_x11_forwarding=False,
        permit_agent_forwarding=wish.forwarding,
        permit_port_forwarding=wish.forwarding,
        permit_pty=True,
        permit_user_rc=False,
        comment=wish.principal,
    )
    return made.export_certificate().decode().strip()


def addresses(contact: Contact) -> list[str]:
    """Where the host is: as its operator says, then as it says itself, IPv4 before IPv6."""
    said = [text for nic in _items(contact.nics) for text in _items(_field(nic, "addresses"))]
    known = [found for text in said if (found := _address(text)) is not None]
    ordered = [str(found) for found in sorted(known, key=lambda found: found.version)]
    first = [] if contact.address is None else [contact.address]
    return list(dict.fromkeys(first + ordered))[:AT_MOST]


def host_keys(contact: Contact) -> list[str]:
    """The host's public keys without comments, in the order in which it names them."""
    lines = [_host_key(text) for text in _items(contact.host_keys)]
    return list(dict.fromkeys(line for line in lines if line is not None))[:AT_MOST]


def _host_key(text: object) -> str | None:
    words = text.split() if isinstance(text, str) else []
    if len(words) < 2 or words[0] not in KINDS:
        return None
    try:
        key = asyncssh.import_public_key(" ".join(words[:2]))
    except (ValueError, asyncssh.KeyImportError):
        return None
    if key.get_algorithm() != words[0] or ssh_keys.find_weakness(key) is not None:
        return None
    return " ".join(words[:2])


def _address(text: object) -> Address | None:
    try:
        found = ipaddress.ip_address(str(text).partition("/")[0])
    except ValueError:
        return None
    ends = destinations.unwrapped(found)
    is_useful = bool(ends) and not any(_is_useless(end) for end in ends)
    return found if is_useful and "%" not in str(found) else None


def _is_useless(end: Address) -> bool:
    return end.is_loopback or end.is_link_local or end.is_multicast or end.is_unspecified


def _items(value: object) -> list[object]:
    return cast(list[object], value) if isinstance(value, list) else []


def _field(value: object, name: str) -> object:
    return cast(Mapping[str, Any], value).get(name) if isinstance(value, Mapping) else None
