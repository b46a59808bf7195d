"""Faults of a host's network."""

import sys
from pathlib import Path

from moorage_lab import cgroups, daemons, layout, network, wire
from moorage_lab.errors import BadRequest, MachineLacks
from moorage_lab.layout import HostLayout

_LONGEST_DELAY = 60
_READY_WITHIN = 20


def cut(host: HostLayout) -> None:
    """Nothing passes to or from the host any more. It keeps its carrier and its address."""
    network.set_port(host, network.SHUT)
    cgroups.end(host.wire_group)


def slow(host: HostLayout, *, delay: float, loss: float) -> None:
    """Every frame is late by `delay` seconds each way, and lost with the probability `loss`."""
    if not (0 <= delay <= _LONGEST_DELAY and 0 <= loss <= 1):
        raise BadRequest(f"A delay is 0 to {_LONGEST_DELAY} seconds and a loss 0 to 1.")
    if not Path("/dev/net/tun").exists():
        raise MachineLacks("A slow wire needs /dev/net/tun, which this machine has not: load tun.")
    cut(host)
    started = daemons.start(
        f"{host.name}-wire",
        _command(host, delay=delay, loss=loss),
        group=host.wire_group,
        folder=host.folder,
        environment={},
    )
    daemons.wait_until_ready([started], seconds=_READY_WITHIN)


def _command(host: HostLayout, *, delay: float, loss: float) -> list[str]:
    options = {
        "port": host.port,
        "tap": host.tap,
        "bridge": host.lab.bridge,
        "alias": layout.alias(host.lab.name),
        "notify": host.folder / f"{host.name}-wire.notify",
        "delay": delay,
        "loss": loss,
    }
    words = [f"--{name}={value}" for name, value in options.items()]
    return [sys.executable, "-I", wire.__file__, *words]


def mend(host: HostLayout) -> None:
    """The cable is whole and quick again."""
    cgroups.end(host.wire_group)
    network.set_port(host, network.OPEN)


def of(host: HostLayout) -> str | None:
    """What is wrong with the network of a host, if anything."""
    if network.is_slow(host):
        return "slow"
    return "cut" if network.is_shut(host) else None
