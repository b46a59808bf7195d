"""Which addresses and link names a lab uses. Pure.

Labs live in 198.18.0.0/15, the range that RFC 2544 sets aside for measurements on a bench: no site
routes it. Each lab has a /24 of its own. The machine is `.1`; hosts start at `.11`; nobody ever
answers at `.254`.
"""

import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network

from moorage_lab.errors import BadRequest, MachineLacks

RANGE = IPv4Network("198.18.0.0/15")
SUBNETS = tuple(RANGE.subnets(new_prefix=24))
MOST_HOSTS = 200
_BEFORE_FIRST_HOST = 10
_LINK = re.compile(r"mlab(\d{1,3})(?:-\d{1,3}[abw]?)?")


def choose(taken: Iterable[IPv4Network]) -> int:
    """The number of the first /24 that meets none of the taken networks."""
    known = [network for network in taken if network.overlaps(RANGE)]
    for number, subnet in enumerate(SUBNETS):
        if not any(subnet.overlaps(network) for network in known):
            return number
    raise MachineLacks(f"Every /24 of {RANGE} is in use on this machine. Take a lab down.")


def check_count(hosts: int) -> None:
    """A lab has at least one host, and no more than its addresses allow."""
    if not 1 <= hosts <= MOST_HOSTS:
        raise BadRequest(f"A lab has 1 to {MOST_HOSTS} hosts, not {hosts}.")


def machine(subnet: int) -> IPv4Address:
    """Where hosts reach the machine that they run on."""
    return SUBNETS[subnet][1]


def host(subnet: int, number: int) -> IPv4Address:
    """The address of the host with this number, counted from 1."""
    return SUBNETS[subnet][_BEFORE_FIRST_HOST + number]


def silent(subnet: int) -> IPv4Address:
    """An address that swallows what is sent to it."""
    return SUBNETS[subnet][254]


def link(subnet: int, number: int | None = None, end: str = "") -> str:
    """The name of a link; the kernel allows 15 characters, and nspawn puts three before ours."""
    if number is None:
        return f"mlab{subnet}"
    return f"mlab{subnet}-{_BEFORE_FIRST_HOST + number}{end}"


def subnet_of(link: str) -> int:
    """The number of the subnet that a link's name stands for; -1 where it is no lab's link."""
    found = _LINK.fullmatch(link)
    return int(found[1]) if found else -1
