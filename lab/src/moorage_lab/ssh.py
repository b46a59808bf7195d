"""Root's shell on a host, over ssh. One connection is kept for the commands that follow."""

import shlex
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from moorage_lab import cgroups, keys, shell
from moorage_lab.errors import CommandFailed, Unreachable
from moorage_lab.layout import HostLayout, LabLayout

_NO_CONNECTION = 255
_KEPT = ("-o", "ControlMaster=auto", "-o", "ControlPersist=120", "-o", "BatchMode=yes")


@dataclass(frozen=True)
class Completed:
    """A command that has ended on a host."""

    stdout: str
    stderr: str
    code: int


def config(lab: LabLayout, hosts: Iterable[HostLayout]) -> str:
    """A file for `ssh -F`."""
    lines = ["Host *", "  User root", f"  IdentityFile {lab.key}", "  IdentitiesOnly yes"]
    lines += [f"  UserKnownHostsFile {lab.known_hosts}", "  GlobalKnownHostsFile /dev/null"]
    lines += ["  StrictHostKeyChecking yes", "  ConnectTimeout 10", "  LogLevel ERROR"]
    lines += ["  ServerAliveInterval 5", "  ServerAliveCountMax 3"]
    for host in hosts:
        lines += [f"Host {host.name}", f"  HostName {host.address}"]
        lines += [f"  HostKeyAlias {host.name}", f"  ControlPath {host.folder}/ssh"]
    return "\n".join([*lines, ""])


def write(lab: LabLayout, hosts: Sequence[HostLayout]) -> None:
    """Write the configuration and the hosts' keys, as they are now."""
    lab.ssh_config.write_text(config(lab, hosts))
    known = [f"{host.name} {keys.public(host.host_key)}" for host in hosts]
    lab.known_hosts.write_text("\n".join([*known, ""]))


def command(host: HostLayout, words: str | Sequence[str] | None = None) -> list[str]:
    """The command line that runs a command on the host, or opens a shell there."""
    line = words if isinstance(words, str) or words is None else shlex.join(words)
    return ["ssh", "-F", str(host.lab.ssh_config), host.name, *(["--", line] if line else [])]


def run(
    host: HostLayout, words: str | Sequence[str], *, stdin: bytes = b"", seconds: float, check: bool
) -> Completed:
    """Run a command on the host to its end."""
    line = command(host, words)
    kept = shell.inside(cgroups.make(host.ssh_group), [line[0], *_KEPT, *line[1:]])
    try:
        ended = subprocess.run(
            kept, input=stdin, capture_output=True, timeout=seconds, env=shell.ENVIRONMENT,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as err:
        raise Unreachable(f"{host.name} has not finished `{line[-1]}` in {seconds} s.") from err
    out, said = ended.stdout.decode(errors="replace"), ended.stderr.decode(errors="replace")
    if ended.returncode == _NO_CONNECTION:
        raise Unreachable(f"{host.name} does not answer over ssh: {said.strip()}")
    if check and ended.returncode != 0:
        raise CommandFailed([host.name, line[-1]], code=ended.returncode, said=said or out)
    return Completed(out, said, ended.returncode)


def forget(host: HostLayout) -> None:
    """Drop the kept connection: what was at its other end is gone."""
    cgroups.end(host.ssh_group)
    (host.folder / "ssh").unlink(missing_ok=True)
