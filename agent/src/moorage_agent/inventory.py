"""What a host is made of: read from the kernel's files, asked of few programs, changing nothing.

Everything may be missing: containers hide parts of /sys, small systems lack programs. What cannot
be known is null, empty or 0; the inventory itself never fails. The same host gives the same
inventory, because a changed one is sent to the platform.
"""

import os
import platform
from pathlib import Path
from typing import Any, Optional

from moorage_agent import commands, gpus, networks
from moorage_agent.commands import Run

_SECTOR = 512
_NO_DISKS = ("loop", "ram", "zram", "dm-", "md", "sr", "fd", "nbd", "drbd")


def collect(
    *, root: Path = Path("/"), run: Run = commands.run, found: Optional[gpus.Found] = None
) -> dict[str, Any]:
    """The inventory of this host, as the protocol describes it."""
    found = found or gpus.find(run)
    return {
        "hostname": os.uname().nodename,
        "os": system(root),
        "arch": os.uname().machine,
        "virtualization": virtualization(root, run),
        "cpu": cpu(root),
        "memory_bytes": memory(root),
        "disks": disks(root),
        "nics": networks.cards(root, run),
        "gpus": found.gpus,
        "gpu_source": found.source,
        "ssh_host_keys": host_keys(root),
        "python": platform.python_version(),
        "systemd": systemd_version(run),
    }


def text(path: Path) -> str:
    """A small file's text without white space around it; empty where it cannot be read."""
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def system(root: Path) -> dict[str, Any]:
    """The distribution and the kernel."""
    release = text(root / "etc/os-release") or text(root / "usr/lib/os-release")
    fields = dict(line.split("=", 1) for line in release.splitlines() if "=" in line)
    return {
        "id": fields.get("ID", "unknown").strip("\"'"),
        "version": fields.get("VERSION_ID", "").strip("\"'"),
        "kernel": os.uname().release,
    }


def virtualization(root: Path, run: Run) -> str:
    """What the host runs in, by systemd's names; `none` is bare metal."""
    answer = run(["systemd-detect-virt"])
    if answer.stdout.strip():
        return answer.stdout.strip()
    flags = (one.get("flags", "").split() for one in _processors(root))
    return "vm-other" if any("hypervisor" in words for words in flags) else "unknown"


def systemd_version(run: Run) -> Optional[str]:
    """The number of the systemd release."""
    words = run(["systemctl", "--version"]).stdout.split()
    return words[1] if len(words) > 1 else None


def memory(root: Path) -> int:
    """The memory that the kernel has, in bytes."""
    for line in text(root / "proc/meminfo").splitlines():
        name, _, value = line.partition(":")
        if name == "MemTotal":
            return int(value.split()[0]) * 1024
    return 0


def cpu(root: Path) -> dict[str, Any]:
    """Sockets, cores and threads that are online."""
    processors = _processors(root)
    places = _topology(root) or [
        (one.get("physical id", "0"), one.get("core id", str(number)))
        for number, one in enumerate(processors)
    ]
    return {
        "model": _model(processors),
        "sockets": len({socket for socket, _ in places}),
        "cores": len(set(places)),
        "threads": len(places),
    }


def _processors(root: Path) -> list[dict[str, str]]:
    """The processors of /proc/cpuinfo; each is a paragraph that names its number."""
    found: list[dict[str, str]] = []
    for paragraph in text(root / "proc/cpuinfo").split("\n\n"):
        fields = dict(line.split(":", 1) for line in paragraph.splitlines() if ":" in line)
        stripped = {name.strip(): value.strip() for name, value in fields.items()}
        if "processor" in stripped:
            found.append(stripped)
    return found


def _model(processors: list[dict[str, str]]) -> str:
    """ARM names no model; then what it says of its maker has to do."""
    first = processors[0] if processors else {}
    arm = " ".join(
        f"{name} {first[name]}" for name in ("CPU implementer", "CPU part") if name in first
    )
    return first.get("model name") or arm or "unknown"


def _topology(root: Path) -> list[tuple[str, str]]:
    """The socket and core of every thread that is online, by /sys."""
    found: list[tuple[str, str]] = []
    for folder in (root / "sys/devices/system/cpu").glob("cpu[0-9]*/topology"):
        core = text(folder / "core_id")
        if core:
            found.append((text(folder / "physical_package_id"), core))
    return sorted(found)


def disks(root: Path) -> list[dict[str, Any]]:
    """The disks that are devices of their own: no partitions, no layers over others."""
    found: list[dict[str, Any]] = []
    for folder in sorted((root / "sys/block").glob("*")):
        sectors = text(folder / "size")
        is_part = folder.name.startswith(_NO_DISKS) or text(folder / "hidden") == "1"
        if is_part or not sectors.isdecimal() or sectors == "0":
            continue
        found.append(
            {
                "name": folder.name,
                "bytes": int(sectors) * _SECTOR,
                "rotational": text(folder / "queue/rotational") == "1",
                "model": " ".join(text(folder / "device/model").split()),
            }
        )
    return found


def host_keys(root: Path) -> list[str]:
    """The public keys that the host's SSH server proves itself with, without comments."""
    lines = (text(path) for path in (root / "etc/ssh").glob("ssh_host_*_key.pub"))
    return sorted(" ".join(line.split()[:2]) for line in lines if len(line.split()) > 1)
