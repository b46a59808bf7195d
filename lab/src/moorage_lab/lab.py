"""A lab: hosts on a bridge. Up makes what is missing; down takes away what is there.

Both look at the world and not at what an earlier run believed, so either may be cut off anywhere
and run again.
"""

import shutil
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from moorage_lab import (
    addresses,
    cgroups,
    containers,
    daemons,
    image,
    keys,
    layout,
    locks,
    mounts,
    needs,
    network,
    roots,
    ssh,
)
from moorage_lab import state as states
from moorage_lab.errors import NotFound
from moorage_lab.host import BOOT_WITHIN, Host
from moorage_lab.layout import HostLayout, LabLayout, Places
from moorage_lab.recipe import Recipe
from moorage_lab.state import State

DISK = 4 * 1024**3
SSH_WITHIN = 20.0


@dataclass(frozen=True)
class Lab:
    """Hosts that see each other and this machine, and nothing else."""

    layout: LabLayout
    state: State

    @classmethod
    def up(
        cls,
        name: str = "lab",
        *,
        hosts: int = 3,
        disk: int = DISK,
        places: Places | None = None,
        recipe: Recipe | None = None,
    ) -> Self:
        """Make the lab, or what it lacks, and wait until every host has booted.

        Hosts that run are left alone, faults included; one that is off is started. A lab only
        grows: asking for fewer hosts takes none away.
        """
        places, recipe = places or Places(), recipe or Recipe()
        addresses.check_count(hosts)
        needs.check(build=image.find(places, recipe) is None)
        needs.make_room()
        base = image.ensure(places, recipe)
        with locks.hold(places.lock(name)):
            state = _claim(places, name, hosts=hosts, image=base, disk=disk)
            lab = cls(LabLayout(name, state.subnet, places), state)
            lab._ensure()
        return lab

    @classmethod
    def get(cls, name: str = "lab", *, places: Places | None = None) -> Self:
        """The lab of this name."""
        places = places or Places()
        state = states.find(places, name)
        if state is None:
            raise NotFound(f"There is no lab {name!r} here: `moor lab up --name {name}` makes it.")
        return cls(LabLayout(name, state.subnet, places), state)

    @property
    def name(self) -> str:
        return self.state.name

    @property
    def hosts(self) -> list[Host]:
        return [Host(host, self.state) for host in self._hosts]

    @property
    def _hosts(self) -> list[HostLayout]:
        return self.layout.hosts(self.state.hosts)

    def host(self, name: str) -> Host:
        """The host of this name."""
        for host in self.hosts:
            if host.name == name:
                return host
        names = ", ".join(host.name for host in self.hosts)
        raise NotFound(f"Lab {self.name!r} has no host {name!r}; it has {names}.")

    def _ensure(self) -> None:
        keys.ensure(self.layout.key, comment=f"lab {self.name}")
        network.ensure_bridge(self.layout)
        for host in self._hosts:
            network.ensure_cable(host)
            host.folder.mkdir(parents=True, exist_ok=True)
            roots.ensure(host, self.state, self._hosts)
        ssh.write(self.layout, self._hosts)
        _power_on(self._hosts)

    def down(self) -> None:
        """Take everything away."""
        down(self.name, places=self.layout.places)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.down()


def _claim(places: Places, name: str, *, hosts: int, image: Path, disk: int) -> State:
    """What the lab has claimed before, or a claim on a subnet that nobody has."""
    with locks.hold(places.claims_lock):
        known = states.find(places, name)
        if known:
            state = known.grown_to(hosts)
        else:
            subnet = addresses.choose([*network.taken(), *_claimed(places)])
            state = State(name, subnet=subnet, hosts=hosts, image=str(image), disk=disk)
        states.save(places, state)
        return state


def _claimed(places: Places) -> list[addresses.IPv4Network]:
    found = [states.find(places, name) for name in states.names(places)]
    return [addresses.SUBNETS[state.subnet] for state in found if state]


def _power_on(hosts: Sequence[HostLayout]) -> None:
    running = [host for host in hosts if _is_whole(host)]
    booting = [_start(host) for host in hosts if host not in running]
    daemons.wait_until_ready(booting, seconds=BOOT_WITHIN)
    for host in running:
        _wait_for_ssh(host)


def _wait_for_ssh(host: HostLayout) -> None:
    """A host that somebody else was starting a moment ago may run and not answer yet.

    One that is cut says nothing at all, and is left as it is.
    """
    deadline = time.monotonic() + SSH_WITHIN
    while time.monotonic() < deadline:
        try:
            socket.create_connection((str(host.address), 22), timeout=1).close()
        except ConnectionRefusedError:
            time.sleep(0.05)
        except OSError:
            return
        else:
            return


def _is_whole(host: HostLayout) -> bool:
    return containers.is_running(host) and containers.is_supervised(host)


def _start(host: HostLayout) -> daemons.Daemon:
    containers.kill(host)  # what runs without its supervisor cannot be powered off
    return containers.start(host)


def down(name: str, *, places: Places | None = None) -> bool:
    """Take a lab away, whole or in pieces; whether there was anything of it.

    Needs no state: processes are found by control group, links by alias, mounts by folder. The
    state helps with a link that was made a moment ago and has no alias yet.
    """
    places = places or Places()
    needs.check_root()
    folder = places.folder(name)
    with locks.hold(places.lock(name)):
        links = network.links(name, subnet=_subnet(places, name))
        found = bool(links) or folder.exists() or cgroups.is_populated(layout.group(name))
        cgroups.end(layout.group(name))
        network.remove(links)
        mounts.unmount_below(folder)
        shutil.rmtree(folder, ignore_errors=True)
        for link in links:
            containers.clear(link)  # a container is named after its host's bridge
        places.lock(name).unlink(missing_ok=True)
    cgroups.remove_if_empty(layout.MARK)
    return found


def _subnet(places: Places, name: str) -> int | None:
    try:
        found = states.find(places, name)
    except states.Unreadable:
        return None
    return found.subnet if found else None
