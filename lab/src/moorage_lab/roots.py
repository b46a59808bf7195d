"""A host's root: the base image below, and above it a disk of limited size for what it writes.

The disk is a tmpfs. It outlives the host's power, ends with the lab and leaves no file; being full
or new again is a matter of a remount. It takes memory for what hosts write, and no more.
"""

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from moorage_lab import files, keys, mounts, shell
from moorage_lab.errors import CommandFailed
from moorage_lab.layout import HostLayout
from moorage_lab.state import State

_TRIES = 20


def ensure(host: HostLayout, state: State, everybody: Sequence[HostLayout]) -> None:
    """Mount the root and write what is the host's own. What the host has written since, stays."""
    if not mounts.is_mounted(host.disk):
        options = f"size={state.disk},mode=0755"
        mounts.mount(host.disk, kind="tmpfs", source="moorage-lab", options=options)
    if not mounts.is_mounted(host.root):
        _mount_root(host, image=state.image)
    if not host.prepared.exists():
        _prepare(host, everybody)
        host.prepared.touch()
    _add_names(host, everybody)


def _mount_root(host: HostLayout, *, image: str) -> None:
    upper, work = host.disk / "upper", host.disk / "work"
    upper.mkdir(mode=0o755, exist_ok=True)
    work.mkdir(exist_ok=True)
    options = f"lowerdir={image},upperdir={upper},workdir={work}"
    mounts.mount(host.root, kind="overlay", source="moorage-lab", options=options)


def _prepare(host: HostLayout, everybody: Sequence[HostLayout]) -> None:
    key = keys.ensure(host.host_key, comment=host.name)
    _write(host, "etc/hostname", f"{host.name}\n")
    _write(host, "etc/machine-id", f"{secrets.token_hex(16)}\n", mode=0o444)
    _write(host, "etc/hosts", files.hosts(host, everybody))
    _write(host, "etc/resolv.conf", files.resolver(host, dead=False))
    # Sorts before 80-container-host0.network, which would win otherwise.
    _write(host, "etc/systemd/network/10-moorage-lab.network", files.network(host))
    _write(host, "etc/ssh/ssh_host_ed25519_key", host.host_key.read_text(), mode=0o600)
    _write(host, "etc/ssh/ssh_host_ed25519_key.pub", f"{key}\n")
    _write(host, "root/.ssh/authorized_keys", f"{keys.public(host.lab.key)}\n", mode=0o600)


def _add_names(host: HostLayout, everybody: Sequence[HostLayout]) -> None:
    before = (host.root / "etc/hosts").read_text()
    after = files.with_names(before, everybody)
    if after != before:
        _write(host, "etc/hosts", after)


def _write(host: HostLayout, place: str, text: str, *, mode: int = 0o644) -> None:
    path = host.root / place
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700 if "/.ssh/" in place else 0o755)
    path.unlink(missing_ok=True)  # never through a link that leads out of the root
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        os.fchmod(file.fileno(), mode)


def remove(host: HostLayout) -> None:
    """Drop everything that the host has written, and its identity."""
    mounts.unmount_below(host.folder)
    keys.forget(host.host_key)


def is_mounted(host: HostLayout) -> bool:
    return mounts.is_mounted(host.disk) and mounts.is_mounted(host.root)


def has(host: HostLayout, pattern: str) -> bool:
    """Whether the host has a file whose path matches."""
    return any(host.root.glob(pattern.lstrip("/")))


def set_resolver(host: HostLayout, state: State, *, dead: bool) -> None:
    """Write resolv.conf, which works on a full disk too: the disk is whole for a moment."""
    was_full = is_full(host, state)
    if was_full:
        free_disk(host, state)
    _write(host, "etc/resolv.conf", files.resolver(host, dead=dead))
    if was_full:
        fill_disk(host)


def has_dead_resolver(host: HostLayout) -> bool:
    return str(host.silent) in _read(host.root / "etc/resolv.conf")


def _read(path: Path) -> str:
    try:
        return path.read_text() if not path.is_symlink() else ""
    except OSError:
        return ""


def fill_disk(host: HostLayout) -> None:
    """Make the disk as small as what is on it. Nothing has to be written for that."""
    for attempt in range(_TRIES):
        try:
            _resize(host, disk_usage(host)[0])
            return
        except CommandFailed:
            if attempt == _TRIES - 1:  # the host writes faster than we can measure
                raise


def free_disk(host: HostLayout, state: State) -> None:
    """Give the disk its size back."""
    _resize(host, state.disk)


def is_full(host: HostLayout, state: State) -> bool:
    """Whether the disk was made full on purpose."""
    return disk_usage(host)[1] < state.disk


def disk_usage(host: HostLayout) -> tuple[int, int]:
    """Bytes in use and bytes in all."""
    found = os.statvfs(host.disk)
    return (found.f_blocks - found.f_bfree) * found.f_frsize, found.f_blocks * found.f_frsize


def _resize(host: HostLayout, size: int) -> None:
    shell.call("mount", "-o", f"remount,size={size}", host.disk)
