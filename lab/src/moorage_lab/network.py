"""Links of a lab.

    host0 ── vb-… ── the host's bridge ── a ══ cable ══ b ── the lab's bridge ── this machine

The cable is ours: it stays when a host reboots, and every fault of the network is a fault of its
far end `b`, the port. A port that is shut drops what comes from either side, and the host still
sees a carrier: as with a switch that has gone deaf.
"""

from collections.abc import Iterable
from ipaddress import IPv4Network
from typing import Any

from moorage_lab import addresses, cgroups, layout, shell
from moorage_lab.errors import CommandFailed
from moorage_lab.layout import HostLayout, LabLayout

OPEN, SHUT = "3", "0"
"""States of a bridge's port: forwarding and disabled."""


def taken() -> list[IPv4Network]:
    """Every network that this machine has an address in or a route to, but the default."""
    found = [IPv4Network(route["dst"], strict=False) for route in _routes()]
    for link in shell.ask("ip", "-j", "-4", "address"):
        for address in link["addr_info"]:
            text = f"{address['local']}/{address['prefixlen']}"
            found.append(IPv4Network(text, strict=False))
    return found


def _routes() -> list[dict[str, Any]]:
    routes = shell.ask("ip", "-j", "-4", "route", "show", "table", "all")
    return [route for route in routes if route["dst"] != "default"]


def ensure_bridge(lab: LabLayout) -> None:
    """The lab's bridge, with this machine's address in the lab."""
    _ensure(lab.bridge, lab=lab.name, kind=["type", "bridge"])
    # Of its own choice a bridge takes over a port's address, and changes it when ports change.
    shell.call("ip", "link", "set", lab.bridge, "address", _hardware_address(lab.subnet))
    shell.call("ip", "address", "replace", f"{lab.address}/24", "dev", lab.bridge)
    shell.call("ip", "link", "set", lab.bridge, "up")


def ensure_cable(host: HostLayout) -> None:
    """The host's bridge and the cable from there to the lab's bridge.

    A cable that is complete is left alone: setting anything on a port that is shut opens it.
    """
    lab = host.lab
    if find(host.port).get("master") == lab.bridge:
        return
    _ensure(host.bridge, lab=lab.name, kind=["type", "bridge"])
    _ensure(host.uplink, lab=lab.name, kind=["type", "veth", "peer", "name", host.port])
    _ensure(host.port, lab=lab.name, kind=[])
    plug(host)
    for link in (host.port, host.uplink, host.bridge):
        # Without this the machine would answer there for its address in the lab, past every fault.
        shell.call("ip", "link", "set", link, "arp", "off", "up")
    shell.call("ip", "link", "set", host.port, "master", lab.bridge)  # last: completes it


def _hardware_address(subnet: int) -> str:
    return f"02:00:c6:{18 + subnet // 256:02x}:{subnet % 256:02x}:01"


def _ensure(link: str, *, lab: str, kind: list[str]) -> None:
    if not find(link):
        shell.call("ip", "link", "add", link, *kind)
    # No address of its own accord: neither side of a cable is a party to what goes through it.
    shell.call("ip", "link", "set", link, "alias", layout.alias(lab), "addrgenmode", "none")


def find(link: str) -> dict[str, Any]:
    """What the kernel says about a link; empty where there is none."""
    try:
        return shell.ask("ip", "-j", "-d", "link", "show", link)[0]
    except CommandFailed:
        return {}


def unplug(host: HostLayout) -> None:
    """Take the cable out at the host's side, whatever its other side is like."""
    shell.call("ip", "link", "set", host.uplink, "nomaster")


def plug(host: HostLayout) -> None:
    shell.call("ip", "link", "set", host.uplink, "master", host.bridge)


def set_port(host: HostLayout, state: str) -> None:
    """Open or shut the port.

    The bridge then forgets behind which port the host was last seen: else it would go on sending
    there. And this machine asks anew where the host is, instead of waiting for an old question.
    """
    shell.call("bridge", "link", "set", "dev", host.port, "state", state)
    # Not with `ip link set`: whatever that sets on a port opens it.
    shell.call("bridge", "fdb", "flush", "dev", host.lab.bridge, "brport", host.port, "self")
    shell.call("ip", "neighbour", "flush", "to", str(host.address), "dev", host.lab.bridge)


def is_shut(host: HostLayout) -> bool:
    slave = find(host.port).get("linkinfo", {}).get("info_slave_data", {})
    return slave.get("state") == "disabled"


def remove_card(host: HostLayout) -> None:
    """The host's card, which the kernel would take away too, some time after the host."""
    _delete(_card(host.machine))


def remove(found: Iterable[str]) -> None:
    """These links, and the cards of hosts in those that are bridges."""
    for link in found:
        _delete(_card(link))
        _delete(link)


def _card(machine: str) -> str:
    return f"vb-{machine}"


def _delete(link: str) -> None:
    try:
        shell.call("ip", "link", "delete", link)
    except CommandFailed:
        if find(link):  # else it has gone with its other end, or by itself
            raise


def links(lab: str, *, subnet: int | None) -> list[str]:
    """Every link of a lab: by its alias, and by its name, since it has that a moment earlier."""
    shown = shell.ask("ip", "-j", "link", "show")
    marked = [link["ifname"] for link in shown if link.get("ifalias") == layout.alias(lab)]
    subnets = ({addresses.subnet_of(name) for name in marked} | {subnet}) - {-1}
    named = [link["ifname"] for link in shown if addresses.subnet_of(link["ifname"]) in subnets]
    return sorted({*marked, *named})


def is_slow(host: HostLayout) -> bool:
    """Whether the host is behind a slow wire."""
    return cgroups.is_populated(host.wire_group)
