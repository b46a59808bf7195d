"""What the machine must have before there can be a lab, said in one sentence if it has not."""

import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from moorage_lab import cgroups, shell
from moorage_lab.errors import MachineLacks, NotRoot

TO_RUN = {
    "systemd-nspawn": "systemd-container",
    "ip": "iproute2",
    "bridge": "iproute2",
    "mount": "mount",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
}
TO_BUILD = {"mmdebstrap": "mmdebstrap", "apt-get": "apt"}
WATCHES = Path("/proc/sys/fs/inotify/max_user_instances")
ENOUGH_WATCHES = 1024
"""Every host's systemd watches files as root of this machine; the kernel's usual 128 are used up by
some thirty hosts, and daemons of the next one do not start."""


def check_root() -> None:
    if os.geteuid() != 0:
        raise NotRoot("A lab is made of mounts, links and containers, which only root can make.")


def check(*, build: bool) -> None:
    """Raise unless this machine can run a lab, and make the base image if it has to."""
    check_root()
    needed = {**TO_RUN, **TO_BUILD} if build else TO_RUN
    lacking = missing(needed, has=_has)
    if lacking:
        raise MachineLacks(sentence(lacking, needed))
    if cgroups.find_unified() is None:
        raise MachineLacks("No cgroup2 file system is mounted here: boot with cgroup v2 or hybrid.")


def make_room(limit: Path = WATCHES) -> None:
    """Let root watch as many files as hosts need; a higher limit stays."""
    if int(limit.read_text()) < ENOUGH_WATCHES:
        limit.write_text(f"{ENOUGH_WATCHES}\n")


def _has(program: str) -> bool:
    """Whether it is where we look for it: root's own PATH may lack the folders of the system."""
    return shutil.which(program, path=shell.ENVIRONMENT["PATH"]) is not None


def missing(needed: Iterable[str], *, has: Callable[[str], bool]) -> list[str]:
    return [program for program in needed if not has(program)]


def sentence(lacking: list[str], packages: dict[str, str]) -> str:
    """What is missing, and the command that brings it."""
    wanted = " ".join(dict.fromkeys(packages[program] for program in lacking))
    return (
        f"This machine lacks {' and '.join(lacking)}. On Debian: apt-get install {wanted}. "
        "The rest of the product runs without a lab."
    )
