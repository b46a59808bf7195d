"""What a simulated host says it is made of. Pure: the same name, the same machine."""

import hashlib
from dataclasses import dataclass
from typing import Any

GIB = 1 << 30


@dataclass(frozen=True)
class Machine:
    """The size of a simulated host."""

    cpus: int = 8
    memory: int = 32 * GIB
    gpus: int = 0
    gpu_model: str = "NVIDIA H200"
    gpu_memory: int = 141 * GIB


def of(machine: Machine, *, hostname: str) -> dict[str, Any]:
    """The inventory, as the agent protocol has it."""
    mark = hashlib.sha256(hostname.encode()).hexdigest()
    return {
        "hostname": hostname,
        "os": {"id": "debian", "version": "13", "kernel": "6.12.0-simulated"},
        "arch": "x86_64",
        "virtualization": "simulated",
        "cpu": {
            "model": "Simulated CPU",
            "sockets": 1,
            "cores": machine.cpus,
            "threads": machine.cpus,
        },
        "memory_bytes": machine.memory,
        "disks": [{"name": "sda", "bytes": 64 * GIB, "rotational": False, "model": "Simulated"}],
        "nics": [_nic(mark)],
        "gpus": [_gpu(machine, index, mark) for index in range(machine.gpus)],
        "gpu_source": "nvml" if machine.gpus else "none",
        "ssh_host_keys": [],
        "python": "3.13.5",
        "systemd": "257",
    }


def _nic(mark: str) -> dict[str, Any]:
    mac = ":".join(["02", *(mark[at : at + 2] for at in range(0, 10, 2))])
    return {"name": "eth0", "mac": mac, "addresses": [], "speed_mbps": None}


def _gpu(machine: Machine, index: int, mark: str) -> dict[str, Any]:
    return {
        "index": index,
        "vendor": "nvidia",
        "model": machine.gpu_model,
        "uuid": f"GPU-{mark[:24]}-{index}",
        "memory_bytes": machine.gpu_memory,
        "driver": "575.00",
    }
