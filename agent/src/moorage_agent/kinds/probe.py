"""A look at the host that changes nothing on it."""

from typing import Any

from moorage_agent import commands, inputs, inventory, networks, programs, residue, units
from moorage_agent.tasks import Failed, Outcome, Task, Work

PARTS = ("inventory", "residue", "services", "listening")
_SANDBOX = (
    "ProtectSystem=strict",
    "ReadOnlyPaths=/",
    "ProtectHome=read-only",
    "PrivateTmp=yes",
    "ProtectKernelTunables=yes",
    "ProtectKernelModules=yes",
    "ProtectControlGroups=yes",
    "NoNewPrivileges=yes",
    # Whoever has capabilities mounts anew what is read-only, and whoever reaches systemd or
    # a container's keeper has them write.
    "CapabilityBoundingSet=",
    "RestrictNamespaces=yes",
    "SystemCallArchitectures=native",
    "SystemCallFilter=~@mount @module @raw-io @reboot @swap @clock",
    "SystemCallErrorNumber=EPERM",
    "RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK",
    "InaccessiblePaths=-/run/systemd/private -/run/dbus -/run/docker.sock -/run/containerd",
    # Devices are not files: a disk is written to also where its node is read-only.
    "DevicePolicy=closed",
    "DeviceAllow=char-nvidia* rw",
)
"""A command that was declared to change nothing is held to it: no file system is writable, and
nobody who could write in its place is to be reached. It sees what root sees without capabilities:
other people's private files it does not."""


def run(task: Task, work: Work) -> Outcome:
    """Look at the parts asked for, or run the read-only command."""
    argv = inputs.list_texts(task.input, "argv")
    if argv:
        return _command(task, work, argv)
    parts = inputs.list_texts(task.input, "parts") or ["inventory"]
    if not set(parts) <= set(PARTS):
        raise inputs.invalid("parts", f"some of {', '.join(PARTS)}")
    return Outcome(result={part: _look(part, work) for part in parts})


def _look(part: str, work: Work) -> Any:
    if part == "inventory":
        return inventory.collect()
    if part == "residue":
        return residue.find(work.state)
    if part == "listening":
        return networks.listening()
    return services()


def services() -> dict[str, str]:
    """Every service that systemd has loaded, with its state."""
    listing = commands.run(
        ["systemctl", "list-units", "--type=service", "--all", "--plain", "--no-legend"]
    )
    if not listing.ok:
        raise Failed("systemd_refused", f"systemd lists no services: {listing.words}")
    lines = (line.split() for line in listing.stdout.splitlines())
    return {words[0]: f"{words[2]} ({words[3]})" for words in lines if len(words) > 3}


def _command(task: Task, work: Work, argv: list[str]) -> Outcome:
    unit = units.name(task.id)
    properties = [*_SANDBOX, f"RuntimeMaxSec={max(1, int(task.timeout))}"]
    try:
        ended = programs.follow(
            [
                *("systemd-run", "--quiet", "--pipe", "--wait", "--collect"),
                *(f"--unit={unit}", f"--slice={units.SLICE}", f"--uid={task.run_as}"),
                *(f"--property={one}" for one in properties),
                *("--", *argv),
            ],
            work,
        )
    except Failed:  # the task was stopped: so is what it started
        commands.run(["systemctl", "kill", "--signal=KILL", unit])
        raise
    result = {"exit_code": ended.code}
    if not ended.ok:
        raise Failed("exit_nonzero", f"The command ended with {ended.code}.", result=result)
    return Outcome(result=result)
