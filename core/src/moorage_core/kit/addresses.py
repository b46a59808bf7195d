"""Whose address a request comes from, where proxies stand in between. Pure."""

import ipaddress
from collections.abc import Sequence

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def caller(peer: str, forwarded: str, trusted: Sequence[Network]) -> str:
    """The nearest address that is not one of our proxies; IPv6 by its /64, which is one customer.

    `forwarded` is what X-Forwarded-For says. It is believed only as far as trusted proxies wrote
    it: from the right, up to the first address that is none.
    """
    hops = [hop.strip() for hop in forwarded.split(",") if hop.strip()]
    address = peer
    while _is_trusted(address, trusted) and hops:
        address = hops.pop()
    return _household(address)


def _is_trusted(address: str, trusted: Sequence[Network]) -> bool:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(found in network for network in trusted if network.version == found.version)


def _household(address: str) -> str:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if found.version == 4:
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False).network_address)
