"""Which addresses of the network a URL that somebody else chose may lead to. Pure.

The names in a URL are not looked up here: whoever connects does that, each time, and asks
`is_public` about the very address it is about to connect to (`outbound`).
"""

import ipaddress
import re
from collections.abc import Sequence
from urllib.parse import SplitResult, quote, urlsplit

import idna

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_HOLDING_IPV4 = (
    ipaddress.IPv6Network("::/96"),
    ipaddress.IPv6Network("::ffff:0:0/96"),
    ipaddress.IPv6Network("::ffff:0:0:0/96"),
    _NAT64,
)
"""Compatible, mapped, translated (RFC 2765) and NAT64: the last 32 bits are an IPv4 address."""
_LOCAL_NAT64 = ipaddress.IPv6Network("64:ff9b:1::/48")
"""Where the IPv4 address stands in these is the site's own affair."""
_IPV6_UNICAST = ipaddress.IPv6Network("2000::/3")
_IPV6_TUNNELS_AND_SAMPLES = (ipaddress.IPv6Network("2002::/16"), ipaddress.IPv6Network("3fff::/20"))
_PLAIN = re.compile(r"[^\s\\\x00-\x1f\x7f]+")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


class NotUsable(ValueError):
    """A URL that we do not go to. Its text is the reason, without the URL."""


def spell(url: str, *, longest: int, private: bool) -> str:
    """The URL in the one spelling we keep; plain HTTP only where private addresses are allowed."""
    if len(url) > longest or not _PLAIN.fullmatch(url):
        raise NotUsable(f"a URL has 1 to {longest} characters, no spaces and no backslash")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as err:
        raise NotUsable("this cannot be read as a URL") from err
    if parts.scheme != "https" and not (private and parts.scheme == "http"):
        raise NotUsable("the scheme must be https")
    if "@" in parts.netloc:
        raise NotUsable("a URL must not carry a user name or password")
    if "#" in url:
        raise NotUsable("a fragment (#…) is never sent; leave it out")
    if port == 0:
        raise NotUsable("the port must be 1 to 65535")
    spelt = _spell(parts, _host(parts.hostname or "", private=private), port)
    if len(spelt) > longest:
        raise NotUsable(f"a URL has 1 to {longest} characters")
    return spelt


def _host(host: str, *, private: bool) -> str:
    """A name in its ASCII form, or an address as it is usually written; IPv6 in brackets."""
    if ":" in host:
        address: Address | None = _address(host)
    else:
        host = _ascii(host)
        address = _address(host) if _NUMBER.fullmatch(host.rpartition(".")[2]) else None
    if address is not None:
        if not private and not is_public(address):
            raise NotUsable(f"{address} is not an address on the public internet")
        return f"[{address}]" if address.version == 6 else str(address)
    if not private and is_this_machine(host):
        raise NotUsable(f"{host} is this machine, not an address on the public internet")
    return host


def _ascii(host: str) -> str:
    try:
        # Maps case, full-width digits and other dots first, so that no look-alike hides an address.
        return idna.encode(host.removesuffix("."), uts46=True).decode()
    except (idna.IDNAError, UnicodeError) as err:
        raise NotUsable("the host is not a name that can be looked up") from err


def _address(host: str) -> Address:
    """Short, octal and hexadecimal spellings are refused: resolvers do not read them alike."""
    try:
        if "%" in host:
            raise ValueError("a zone is a matter of this machine")
        return ipaddress.ip_address(host)
    except ValueError as err:
        raise NotUsable("the host is not an address in its usual form, as 203.0.113.7") from err


def _spell(parts: SplitResult, host: str, port: int | None) -> str:
    place = host if port is None else f"{host}:{port}"
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=-._~")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=-._~?")
    return f"{parts.scheme}://{place}{path}" + (f"?{query}" if query else "")


def is_this_machine(host: str) -> bool:
    """Whether a host of a URL, without brackets, is loopback by its name or as an address."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def unwrapped(address: Address) -> Sequence[Address]:
    """Every address that a packet to this one may come out at; none where nobody can say.

    Translators and tunnels carry an IPv4 address inside an IPv6 one. Whoever judges an address by
    where it leads has to judge those.
    """
    if isinstance(address, ipaddress.IPv4Address) or int(address) <= 1:  # `::` and `::1`
        return [address]
    if address in _LOCAL_NAT64:
        return []
    if any(address in net for net in _HOLDING_IPV4):
        return [ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)]
    if address.sixtofour is not None:
        return [address.sixtofour]
    return address.teredo or [address]


def is_public(address: Address) -> bool:
    """Whether an address is on the public internet, whatever it is wrapped in."""
    if isinstance(address, ipaddress.IPv6Address) and not _is_translated(address):
        return _is_public_ipv6(address)
    return all(one.is_global and not one.is_multicast for one in unwrapped(address))


def _is_translated(address: ipaddress.IPv6Address) -> bool:
    return address.ipv4_mapped is not None or address in _NAT64


def _is_public_ipv6(address: ipaddress.IPv6Address) -> bool:
    if address not in _IPV6_UNICAST or any(address in net for net in _IPV6_TUNNELS_AND_SAMPLES):
        return False
    return address.is_global
