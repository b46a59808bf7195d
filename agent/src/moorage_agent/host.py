"""What the agent says of the machine it runs on when it speaks to the platform."""

import os
import shutil
import socket
from pathlib import Path


def facts(root: Path) -> dict[str, str]:
    return {
        "hostname": socket.gethostname(),
        "machine_id": _read(root / "etc/machine-id"),
        "boot_id": boot_id(root),
    }


def boot_id(root: Path) -> str:
    return _read(root / "proc/sys/kernel/random/boot_id")


def obstacles(root: Path) -> list[str]:
    """What keeps the agent from working here, each as a sentence that says what would help."""
    found: list[str] = []
    if os.geteuid() != 0:
        found.append("The agent works as root: run the line as root, or with sudo on the host.")
    if shutil.which("openssl") is None:
        found.append("There is no `openssl` command: `apt-get install openssl`.")
    if not (root / "run/systemd/system").is_dir():
        found.append("This host was not booted with systemd, and the agent needs it.")
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
