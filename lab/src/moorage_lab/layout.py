"""Where everything of a lab is: its files, links and control groups. Pure.

Everything follows from the lab's name, its subnet and a host's number, so that whoever comes after
a crash knows where to look.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path

from moorage_lab import addresses
from moorage_lab.errors import BadRequest

NAME = re.compile(r"[a-z][a-z0-9-]{0,19}")
EXPORT = "/export"
MARK = "moorage-lab"
"""Stands in the alias of every link and names the control group above all others."""


@dataclass(frozen=True)
class Places:
    """The folders that labs use on this machine."""

    run: Path = Path("/run/moorage-lab")
    cache: Path = Path("/var/cache/moorage-lab")

    def folder(self, lab: str) -> Path:
        return self.run / check_name(lab)

    def state(self, lab: str) -> Path:
        return self.folder(lab) / "state.json"

    def lock(self, lab: str) -> Path:
        return self.run / f"{check_name(lab)}.lock"

    @property
    def claims_lock(self) -> Path:
        """Held while a lab chooses its addresses."""
        return self.run / ".claims"


def check_name(lab: str) -> str:
    """A lab's name is the start of its hosts' names."""
    if not NAME.fullmatch(lab) or lab.endswith("-"):
        raise BadRequest(
            f"{lab!r} cannot name a lab: up to 20 lower-case letters, digits and hyphens, "
            "with a letter first and no hyphen last."
        )
    return lab


def lab_of(host: str) -> str:
    """The lab that a host's name belongs to: `my-lab` of `my-lab-12`."""
    lab, _, number = host.rpartition("-")
    if not number.isdecimal():
        raise BadRequest(f"{host!r} is no host's name: they are a lab's name and a number.")
    return check_name(lab)


def alias(lab: str) -> str:
    """What every link of a lab carries, so that it is found without any file."""
    return f"{MARK}:{lab}"


def group(lab: str) -> str:
    """The control group of everything that runs for a lab."""
    return f"{MARK}/{lab}"


@dataclass(frozen=True)
class LabLayout:
    """Where one lab is."""

    name: str
    subnet: int
    places: Places

    @property
    def folder(self) -> Path:
        return self.places.folder(self.name)

    @property
    def bridge(self) -> str:
        return addresses.link(self.subnet)

    @property
    def address(self) -> IPv4Address:
        """The machine's own address in the lab."""
        return addresses.machine(self.subnet)

    @property
    def key(self) -> Path:
        """Opens root's account on every host."""
        return self.folder / "id_ed25519"

    @property
    def known_hosts(self) -> Path:
        return self.folder / "known_hosts"

    @property
    def ssh_config(self) -> Path:
        return self.folder / "ssh_config"

    @property
    def export(self) -> Path:
        """A folder that every host has at `EXPORT`: the file server of the site."""
        return self.folder / "export"

    def hosts(self, count: int) -> "list[HostLayout]":
        return [HostLayout(self, number) for number in range(1, count + 1)]


@dataclass(frozen=True)
class HostLayout:
    """Where one host is."""

    lab: LabLayout
    number: int

    @property
    def name(self) -> str:
        return f"{self.lab.name}-{self.number}"

    @property
    def address(self) -> IPv4Address:
        return addresses.host(self.lab.subnet, self.number)

    @property
    def interface(self) -> IPv4Interface:
        return IPv4Interface(f"{self.address}/{addresses.SUBNETS[self.lab.subnet].prefixlen}")

    @property
    def silent(self) -> IPv4Address:
        return addresses.silent(self.lab.subnet)

    @property
    def folder(self) -> Path:
        return self.lab.folder / "hosts" / self.name

    @property
    def disk(self) -> Path:
        """Holds what the host has written: the upper layer of its root."""
        return self.folder / "disk"

    @property
    def root(self) -> Path:
        return self.folder / "root"

    @property
    def prepared(self) -> Path:
        """Is there once the root has all its files."""
        return self.disk / "prepared"

    @property
    def host_key(self) -> Path:
        return self.folder / "ssh_host_ed25519_key"

    @property
    def bridge(self) -> str:
        """The host's own bridge. It outlives the host's network card, and faults sit behind it."""
        return addresses.link(self.lab.subnet, self.number)

    @property
    def uplink(self) -> str:
        """The end of the host's cable that is in its own bridge."""
        return addresses.link(self.lab.subnet, self.number, "a")

    @property
    def port(self) -> str:
        """The end of the host's cable that is in the lab's bridge."""
        return addresses.link(self.lab.subnet, self.number, "b")

    @property
    def tap(self) -> str:
        """The lab's end of a slow wire."""
        return addresses.link(self.lab.subnet, self.number, "w")

    @property
    def machine(self) -> str:
        """What the container is called here; this machine's end of its card is `vb-` and this."""
        return self.bridge

    @property
    def group(self) -> str:
        return f"{group(self.lab.name)}/hosts/{self.name}"

    @property
    def boot_group(self) -> str:
        """nspawn and what it runs."""
        return f"{self.group}/boot"

    @property
    def watch_group(self) -> str:
        """Who starts nspawn again when the host reboots. Groups above others hold no process."""
        return f"{self.group}/watch"

    @property
    def wire_group(self) -> str:
        return f"{group(self.lab.name)}/wires/{self.name}"

    @property
    def ssh_group(self) -> str:
        return f"{group(self.lab.name)}/ssh/{self.name}"
