"""Pure decisions about keys in custody and hosts without agent."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from moorage_core.credentials.models import AccessCredential, HostView, OpenWork, SshHost
from moorage_core.errors import ApiError, Conflict
from moorage_core.kit import destinations
from moorage_core.kit.destinations import Address

_METADATA = frozenset({"100.100.100.200", "fd00:ec2::254"})
"""Where clouds keep the secrets of their machines, beside the link-local places."""


class KeyUnusable(ApiError):
    """The private key cannot be used."""

    status = 422
    code = "ssh_key_unusable"


class NameTaken(Conflict):
    """The name is taken."""

    code = "name_taken"


class CredentialRevoked(Conflict):
    """The credential is revoked."""

    code = "credential_revoked"


class HasAgent(Conflict):
    """The machine has an agent."""

    code = "host_has_agent"


class AllocationNotActive(Conflict):
    """The machine is not held any more, or not yet."""

    code = "allocation_inactive"


class HostNotSet(Conflict):
    """Nobody has said with which credential the host is reached."""

    code = "ssh_host_not_set"


class HostUnreachable(Conflict):
    """The host did not show its key."""

    code = "ssh_host_unreachable"


class FingerprintDiffers(Conflict):
    """This is not the key that the host showed."""

    code = "ssh_fingerprint_differs"


class AddressRefused(Exception):
    """Not an address that we call."""


def check_usable(credential: AccessCredential) -> None:
    if credential.revoked_at is not None:
        raise CredentialRevoked(
            f"The credential {credential.id} was revoked. Make another one, and set it."
        )


def usable_keys(credential: AccessCredential, now: datetime) -> list[str]:
    """The newest first; the one before it for as long as the overlap lasts."""
    until = credential.previous_until
    previous = credential.previous_secret_id if until is not None and until > now else None
    return [id for id in (credential.secret_id, previous) if id is not None]


def choose(waiting: Sequence[OpenWork], busy: Counter[str], *, hands: int) -> list[OpenWork]:
    """Whose turn it is. `busy`: how many hands each org has now.

    An org takes another hand only while more are free than it has itself. So one alone gets half of
    them, the next half of the rest, and slow hosts of a few keep nobody out.
    """
    taken, chosen = Counter(busy), list[OpenWork]()
    for work in waiting:
        if taken[work.org_id] < hands - taken.total():
            taken[work.org_id] += 1
            chosen.append(work)
    return chosen


def check_confirm(host: SshHost, given: str, *, offered: str | None) -> str:
    """The key to pin: the one that was shown, if it is the one that is meant."""
    if host.offered_key is None or offered is None:
        raise HostNotSet(
            f"The host of allocation {host.allocation_id} was not asked for its key. Scan first."
        )
    if given != offered:
        raise FingerprintDiffers(
            f"The host showed {offered}, not {given}. Compare with the host itself: if it has the "
            "key that you gave, somebody stands between you and it; otherwise scan again."
        )
    return host.offered_key


def check_address(address: Address, *, private: bool, loopback: bool) -> None:
    """Whether a machine may be there. A worker inside the site must not be sent around in it."""
    if "%" in str(address):
        raise AddressRefused(f"the zone in {address} is a matter of this machine")
    ends = destinations.unwrapped(address)
    if not ends:
        raise AddressRefused(f"where {address} leads is known to its translator alone")
    for end in ends:
        _check_end(end, private=private, loopback=loopback)


def _check_end(address: Address, *, private: bool, loopback: bool) -> None:
    if address.is_loopback:
        if not loopback:
            raise AddressRefused(f"{address} is this machine")
        return
    unusable = address.is_link_local or address.is_multicast or address.is_unspecified
    if unusable or str(address) in _METADATA:
        raise AddressRefused(f"{address} is no machine's address")
    if not private and not address.is_global:
        raise AddressRefused(f"{address} is a private address")


def view(
    allocation: str,
    host: SshHost | None,
    *,
    address: str,
    port: int,
    offered: str | None,
    pinned: str | None,
) -> HostView:
    """What people are shown."""
    if host is None:
        return HostView(
            allocation, None, address, port, "unset", None, None, None, None, None, None, 0
        )
    return HostView(
        allocation,
        host.credential_id,
        host.address,
        host.port,
        "unconfirmed" if host.host_key is None else "confirmed",
        offered,
        host.offered_at,
        pinned,
        host.confirmed_at,
        host.confirmed_by,
        host.problem,
        host.version,
    )


def is_believed(outcome: str, *, tries: int) -> bool:
    """Whether what a worker says of a task was taken.

    `repeated` after a first try that got no answer is our own word. At the first try it is another
    one's: the task ended, or somebody else does it.
    """
    return outcome == "recorded" or (outcome == "repeated" and tries > 1)
