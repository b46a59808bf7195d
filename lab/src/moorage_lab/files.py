"""The files that make a copy of the base image a host of its own. Pure."""

from collections.abc import Iterable

from moorage_lab.layout import HostLayout

MACHINE = "lab-machine"
"""The name under which hosts know the machine that they run on."""
SILENT_MAC = "02:00:00:00:00:fe"


def network(host: HostLayout) -> str:
    """systemd-networkd's file for the host's card.

    No gateway: a lab is a site without a way out. What is sent to the silent address goes to a card
    that nobody has, so it is lost without an error.
    """
    return (
        "[Match]\nName=host0\n\n"
        f"[Network]\nAddress={host.interface}\nLinkLocalAddressing=no\nIPv6AcceptRA=no\n\n"
        f"[Neighbor]\nAddress={host.silent}\nLinkLayerAddress={SILENT_MAC}\n"
    )


def hosts(host: HostLayout, everybody: Iterable[HostLayout]) -> str:
    """/etc/hosts with every name of the lab, so that nothing needs a name server."""
    lines = ["127.0.0.1 localhost", "::1 localhost ip6-localhost ip6-loopback"]
    lines += [f"{host.lab.address} {MACHINE}"]
    lines += [f"{other.address} {other.name}" for other in everybody]
    return "\n".join([*lines, ""])


def with_names(text: str, everybody: Iterable[HostLayout]) -> str:
    """The same /etc/hosts with the names that it lacks, and what others wrote into it."""
    known = {name for line in text.splitlines() for name in line.split("#")[0].split()[1:]}
    lines = [f"{other.address} {other.name}" for other in everybody if other.name not in known]
    if not lines:
        return text
    return "\n".join([text.rstrip("\n"), *lines, ""])


def resolver(host: HostLayout, *, dead: bool) -> str:
    """/etc/resolv.conf: empty, or with a server that never answers."""
    return f"nameserver {host.silent}\n" if dead else ""


def clock(seconds: int) -> str:
    """A drop-in that gives a service a wrong clock.

    `$LIB` is the loader's own word for the library folder of this architecture.
    """
    preload = "/usr/$LIB/faketime/libfaketime.so.1"
    return (
        "[Service]\n"
        f"Environment=LD_PRELOAD={preload} FAKETIME={seconds:+d}s FAKETIME_DONT_FAKE_MONOTONIC=1\n"
    )


def smi(count: int, model: str) -> str:
    """A program that lists GPUs as `nvidia-smi --format=csv,noheader,nounits` does."""
    lines = "".join(f"{n}, {model}, GPU-simulated-{n}, 1024, simulated\n" for n in range(count))
    return f"#!/bin/sh\ncat <<'END'\n{lines}END\n"
