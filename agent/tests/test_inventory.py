"""The inventory says what a host has, and copes with what a host does not tell."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from moorage_agent import gpus, inventory, networks
from moorage_agent.commands import ABSENT, Completed

CPUINFO = """\
processor\t: 0
model name\t: AMD EPYC 9654
physical id\t: 0
core id\t\t: 0

processor\t: 1
model name\t: AMD EPYC 9654
physical id\t: 0
core id\t\t: 0

processor\t: 2
model name\t: AMD EPYC 9654
physical id\t: 1
core id\t\t: 0
"""


def no_programs(
    argv: Sequence[str], *, stdin: bytes | None = None, timeout: float = 30
) -> Completed:
    return Completed(ABSENT)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A host's files: two sockets, one of them with two threads on a core, and one disk."""
    write(tmp_path / "proc/cpuinfo", CPUINFO)
    write(tmp_path / "proc/meminfo", "MemTotal:       24683904 kB\nMemFree: 1 kB\n")
    write(tmp_path / "etc/os-release", 'NAME="Debian"\nVERSION_ID="13"\nID=debian\n')
    write(tmp_path / "etc/ssh/ssh_host_ed25519_key.pub", "ssh-ed25519 AAAAC3Nz root@h1\n")
    for name, size in (("nvme0n1", "2048"), ("loop0", "64"), ("dm-0", "64"), ("sr0", "0")):
        write(tmp_path / f"sys/block/{name}/size", size)
        write(tmp_path / f"sys/block/{name}/queue/rotational", "0")
    write(tmp_path / "sys/block/nvme0n1/device/model", "Fast   Disk 9  \n")
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_host_is_described_by_its_own_files(root: Path) -> None:
    found = inventory.collect(root=root, run=no_programs, found=gpus.Found("none", []))

    assert found["os"]["id"] == "debian"
    assert found["os"]["version"] == "13"
    assert found["memory_bytes"] == 24683904 * 1024
    assert found["cpu"] == {"model": "AMD EPYC 9654", "sockets": 2, "cores": 2, "threads": 3}
    assert found["disks"] == [
        {"name": "nvme0n1", "bytes": 2048 * 512, "rotational": False, "model": "Fast Disk 9"}
    ]
    assert found["ssh_host_keys"] == ["ssh-ed25519 AAAAC3Nz"]


def test_the_kernel_s_topology_counts_before_the_list_of_processors(root: Path) -> None:
    for number in range(4):
        folder = f"sys/devices/system/cpu/cpu{number}/topology"
        write(root / folder / "core_id", str(number // 2))
        write(root / folder / "physical_package_id", "0")

    found = inventory.cpu(root)

    assert (found["sockets"], found["cores"], found["threads"]) == (1, 2, 4)


def test_an_empty_root_has_an_inventory_of_unknowns(tmp_path: Path) -> None:
    found = inventory.collect(root=tmp_path, run=no_programs, found=gpus.Found("none", []))

    assert found["cpu"] == {"model": "unknown", "sockets": 0, "cores": 0, "threads": 0}
    assert (found["memory_bytes"], found["disks"], found["nics"]) == (0, [], [])
    assert (found["virtualization"], found["systemd"]) == ("unknown", None)


def test_this_machine_has_processors_memory_and_the_same_inventory_twice() -> None:
    first, second = inventory.collect(), inventory.collect()

    assert first["cpu"]["threads"] >= first["cpu"]["cores"] >= first["cpu"]["sockets"] >= 1
    assert first["memory_bytes"] > 2**28
    assert json.dumps(first) == json.dumps(second)


def test_addresses_that_only_the_host_itself_can_use_are_left_out() -> None:
    listing = [
        {"ifname": "lo", "addr_info": [{"local": "127.0.0.1"}]},
        {
            "ifname": "eth0",
            "addr_info": [{"local": "fe80::1"}, {"local": "fd00::2"}, {"local": "192.0.2.7"}],
        },
    ]

    found = networks.parse_addresses(json.dumps(listing))

    assert found == {"lo": [], "eth0": ["192.0.2.7", "fd00::2"]}


def test_listeners_are_read_from_the_kernel_s_tables(tmp_path: Path) -> None:
    head = "  sl  local_address rem_address   st\n"
    listener = "   0: 0100007F:1F90 00000000:0000 0A 0\n"
    talking = "   1: 0100007F:1F91 0100007F:0016 01 0\n"
    write(tmp_path / "proc/net/tcp", head + listener + talking)
    address = "00000000000000000000000001000000"
    write(tmp_path / "proc/net/udp6", head + f"   0: {address}:0035 {address}:0000 07 0\n")

    assert networks.listening(tmp_path) == ["tcp 127.0.0.1:8080", "udp [::1]:53"]
