"""A host's network cards and addresses, and what listens on them."""

import fcntl
import ipaddress
import json
import socket
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Optional

from moorage_agent import commands
from moorage_agent.commands import Run

_SIOCGIFADDR = 0x8915
_LISTEN = "0A"
_UNCONNECTED = "07"


def cards(root: Path, run: Run = commands.run) -> list[dict[str, Any]]:
    """The cards: devices, and other links that have an address of their own."""
    addresses = _addresses(root, run)
    found: list[dict[str, Any]] = []
    for folder in sorted((root / "sys/class/net").glob("*")):
        known = addresses.get(folder.name, [])
        if folder.name == "lo" or not ((folder / "device").exists() or known):
            continue
        found.append(
            {
                "name": folder.name,
                "mac": _line(folder / "address"),
                "addresses": known,
                "speed_mbps": _speed(folder),
            }
        )
    return found


def _line(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:  # the kernel answers so for a link that is down
        return ""


def _speed(folder: Path) -> Optional[int]:
    speed = _line(folder / "speed")
    return int(speed) if speed.isdecimal() and speed != "0" else None


def _addresses(root: Path, run: Run) -> dict[str, list[str]]:
    """Every link's addresses that others can reach, in a fixed order."""
    answer = run(["ip", "-json", "address", "show"])
    if answer.ok:
        return parse_addresses(answer.stdout)
    return _addresses_of_kernel(root)


def parse_addresses(listing: str) -> dict[str, list[str]]:
    """The addresses in what `ip -json address show` prints."""
    found: dict[str, list[str]] = {}
    for link in json.loads(listing):
        names = [str(one.get("local", "")) for one in link.get("addr_info", [])]
        found[str(link.get("ifname", ""))] = _reachable(names)
    return found


def _reachable(names: Iterable[str]) -> list[str]:
    known = {ipaddress.ip_address(name) for name in names if name}
    kept = [one for one in known if not (one.is_link_local or one.is_loopback)]
    return [str(one) for one in sorted(kept, key=lambda one: (one.version, int(one)))]


def _addresses_of_kernel(root: Path) -> dict[str, list[str]]:
    """Without `ip`: the first IPv4 address of each link, and all of its IPv6 ones."""
    found: dict[str, list[str]] = {name: _ipv4(name) for _, name in socket.if_nameindex()}
    for line in _line(root / "proc/net/if_inet6").splitlines():
        digits, *_, name = line.split()
        found.setdefault(name, []).append(str(ipaddress.IPv6Address(int(digits, 16))))
    return {name: _reachable(names) for name, names in found.items()}


def _ipv4(link: str) -> list[str]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            answer = fcntl.ioctl(asking, _SIOCGIFADDR, struct.pack("256s", link.encode()[:15]))
        except OSError:
            return []  # it has none
    return [socket.inet_ntoa(answer[20:24])]


def listening(root: Path = Path("/")) -> list[str]:
    """What waits for others, as `tcp 0.0.0.0:22`: every TCP listener, every unconnected UDP port.

    Read from /proc, which every host has. Loopback counts: a proxy may stand before it.
    """
    found: set[str] = set()
    for protocol, state in (("tcp", _LISTEN), ("udp", _UNCONNECTED)):
        for version in ("", "6"):
            lines = _line(root / f"proc/net/{protocol}{version}").splitlines()[1:]
            found.update(
                f"{protocol} {_endpoint(fields[1])}"
                for fields in (line.split() for line in lines)
                if len(fields) > 3 and fields[3] == state
            )
    return sorted(found)


def _endpoint(text: str) -> str:
    """`0100007F:1F90` is 127.0.0.1:8080; the kernel writes words in the host's byte order."""
    digits, _, port = text.partition(":")
    words = [int(digits[start : start + 8], 16) for start in range(0, len(digits), 8)]
    packed = struct.pack(f"={len(words)}I", *words)
    if len(packed) == 4:
        return f"{ipaddress.IPv4Address(packed)}:{int(port, 16)}"
    return f"[{ipaddress.IPv6Address(packed)}]:{int(port, 16)}"
