"""A host's power. Whether a host runs is read from its control group, never from a file."""

import os
import signal
from pathlib import Path

from moorage_lab import cgroups, daemons, mounts, network
from moorage_lab.daemons import Daemon
from moorage_lab.layout import EXPORT, HostLayout

NSPAWN = "/usr/bin/systemd-nspawn"
_NSPAWN_LEAVES = Path("/run/systemd/nspawn")
# As on the distributions of today, even where the machine itself mixes cgroup v1 and v2.
_ENVIRONMENT = {"SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"}
# A host that reboots makes nspawn end with 133, for whoever watches it to start it again.
_WATCH = """\
boot=$1; shift
while :; do
    mkdir -p "$boot"
    sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$boot" "$@"
    [ $? -eq 133 ] || exit
    find "$boot" -mindepth 1 -depth -type d -exec rmdir {} +
done
"""


def is_running(host: HostLayout) -> bool:
    return cgroups.is_populated(host.group)


def is_supervised(host: HostLayout) -> bool:
    """Whether nspawn still watches the container, which survives its death."""
    return bool(supervisors(host))


def power(host: HostLayout) -> str:
    """In a word: `running`, `off`, or `orphaned` where nspawn has died and the host has not."""
    if not is_running(host):
        return "off"
    return "running" if is_supervised(host) else "orphaned"


def supervisors(host: HostLayout) -> list[int]:
    """The process of nspawn. It starts in the host's group and then moves below it."""
    below = cgroups.processes(f"{host.boot_group}/supervisor")
    return [*below, *cgroups.processes(host.boot_group)]


def start(host: HostLayout) -> Daemon:
    """Power on."""
    boot = str(cgroups.make(host.boot_group).parent)
    host.lab.export.mkdir(parents=True, exist_ok=True)
    return daemons.start(
        host.name,
        ["/bin/sh", "-c", _WATCH, "sh", boot, *_command(host)],
        group=host.watch_group,
        folder=host.folder,
        environment=_ENVIRONMENT,
    )


def listen_again(host: HostLayout) -> Daemon:
    """For a host that is about to reboot by itself."""
    [watcher] = cgroups.processes(host.watch_group)
    return daemons.listen_again(host.name, pid=watcher, folder=host.folder)


def _command(host: HostLayout) -> list[str]:
    return [
        NSPAWN,
        "--quiet",
        "--boot",
        "--register=no",
        "--keep-unit",
        "--notify-ready=yes",
        "--link-journal=no",
        "--resolv-conf=off",
        "--timezone=off",
        f"--network-bridge={host.bridge}",
        f"--machine={host.machine}",
        f"--hostname={host.name}",
        f"--directory={host.root}",
        f"--bind={host.lab.export}:{EXPORT}",
        # File servers open files by handles. It is one way out more of what is no boundary anyway.
        "--system-call-filter=open_by_handle_at",
    ]


def stop(host: HostLayout, *, seconds: float = 45) -> None:
    """Power off in an orderly way; by force once the time is up."""
    watching = supervisors(host)
    for pid in watching:
        try:
            os.kill(pid, signal.SIGTERM)  # nspawn passes it on as the wish to power off
        except ProcessLookupError:
            pass
    if watching:
        cgroups.wait_until_empty(host.group, seconds=seconds)
    kill(host)


def kill(host: HostLayout) -> None:
    """Take the power away."""
    cgroups.end(host.group)
    network.remove_card(host)
    clear(host.machine)


def clear(machine: str) -> None:
    """Take away what a killed nspawn leaves in its own folder, and refuses to start over."""
    mounts.unmount_below(_NSPAWN_LEAVES / "unix-export" / machine)
    for kind in ("unix-export", "propagate"):
        try:
            (_NSPAWN_LEAVES / kind / machine).rmdir()
        except OSError:
            continue
