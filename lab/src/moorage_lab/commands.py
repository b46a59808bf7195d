"""`moor lab …`: labs from the command line."""

import json
import os
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from moorage_lab import containers, layout, needs, roots
from moorage_lab import image as images
from moorage_lab import lab as labs
from moorage_lab import state as states
from moorage_lab.errors import BadRequest, LabError
from moorage_lab.host import Host
from moorage_lab.lab import Lab
from moorage_lab.layout import Places
from moorage_lab.recipe import Recipe

Name = Annotated[str, typer.Option("--name", help="The lab's name.")]
HostName = Annotated[str, typer.Argument(metavar="HOST", help="The host's name, as `lab-1`.")]
Output = Annotated[
    Literal["table", "json"] | None,
    typer.Option("--output", "-o", help="`table` for people, `json` for programs."),
]
Cache = Annotated[
    Path, typer.Option("--cache", help="The folder that keeps base images.", show_default=False)
]
_DEFAULT = Places()
_SIZE = re.compile(r"(\d+)([MG])")
_UNITS = {"M": 1024**2, "G": 1024**3}


def up(
    hosts: Annotated[int, typer.Option(help="How many hosts it has, at least.")] = 3,
    name: Name = "lab",
    disk: Annotated[str, typer.Option(help="What each host may write, as `512M` or `4G`.")] = "4G",
    cache: Cache = _DEFAULT.cache,
) -> None:
    """Make a lab of real Debian hosts on this machine, or what it lacks.

    The first one takes a minute, for the base image. Running it again is safe.
    """
    with _refusals():
        places = Places(cache=cache)
        if images.find(places, Recipe()) is None:
            typer.echo("Making the base image; this happens once.", err=True)
        lab = Lab.up(name, hosts=hosts, disk=size(disk), places=places)
        for host in lab.hosts:
            typer.echo(f"{host.name}  {host.address}")
        typer.echo(f"Hosts reach this machine at {lab.layout.address}.")
        typer.echo(f"Log in with: ssh -F {lab.layout.ssh_config} {lab.hosts[0].name}")


def down(name: Name = "lab") -> None:
    """Take a lab away: its processes, links, mounts and files, also after a crash."""
    with _refusals():
        found = labs.down(name)
        typer.echo(f"Lab {name} is gone." if found else f"There was no lab {name}.")


def status(ctx: typer.Context, output: Output = None) -> None:
    """Every lab on this machine, its hosts and what is wrong with them on purpose."""
    with _refusals():
        needs.check_root()
        found = [_described(Lab.get(name)) for name in states.names(_DEFAULT)]
        if (output or getattr(ctx.obj, "output", None)) == "json":  # `moor` keeps it there
            typer.echo(json.dumps({"items": found}, indent=2))
        elif not found:
            typer.echo("There is no lab here. `moor lab up` makes one.")
        else:
            for host in (host for lab in found for host in lab["hosts"]):
                typer.echo(_line(host))


def image(cache: Cache = _DEFAULT.cache) -> None:
    """Make the base image now, and print where it is."""
    with _refusals():
        places, recipe = Places(cache=cache), Recipe()
        needs.check(build=images.find(places, recipe) is None)
        typer.echo(images.ensure(places, recipe))


def ssh(
    host: HostName,
    command: Annotated[list[str] | None, typer.Argument(help="A command; a shell without.")] = None,
) -> None:
    """Log in to a host as root, or run a command there."""
    with _refusals():
        words = find_host(host).command(" ".join(command) if command else None)
        sys.stdout.flush()
        os.execvp(words[0], words)  # noqa: S606 - ssh takes over terminal, signals and exit code


def power_off(host: HostName) -> None:
    """Shut a host down in order."""
    with _refusals():
        find_host(host).power_off()


def power_on(host: HostName) -> None:
    """Start a host and wait until it has booted."""
    with _refusals():
        find_host(host).power_on()


def reboot(host: HostName) -> None:
    """Let a host reboot by itself, and wait for it."""
    with _refusals():
        find_host(host).reboot()


def crash(host: HostName) -> None:
    """Take a host's power away, without a word to its peers."""
    with _refusals():
        find_host(host).crash()


def reimage(host: HostName) -> None:
    """Make a new machine of a host: nothing that it wrote is left, and its keys are new."""
    with _refusals():
        find_host(host).reimage()


def provision() -> None:
    """Image a lab's host anew and enrol it: what a platform runs before others get its node.

    The platform gives a JSON document on standard input: the node's name, which is the host's, and
    the line to paste there. Settings: machines.reimage_command = ["moor", "lab", "provision"].
    """
    with _refusals():
        wish = read_wish(sys.stdin.read())
        host = find_host(wish["name"])
        host.reimage()
        host.run("sh", stdin=f"{wish['line']}\n".encode(), timeout=300)


def read_wish(text: str) -> dict[str, str]:
    """What the platform wants imaged."""
    try:
        wish = json.loads(text)
        return {"name": str(wish["name"]), "line": str(wish["line"])}
    except (ValueError, KeyError, TypeError) as err:
        raise BadRequest("Standard input holds no document with a name and a line.") from err


def cut(host: HostName) -> None:
    """Let nothing pass to or from a host."""
    with _refusals():
        find_host(host).cut()


def slow(
    host: HostName,
    delay: Annotated[int, typer.Option(help="Milliseconds, each way.")] = 0,
    loss: Annotated[float, typer.Option(help="Percent of frames lost, each way.")] = 0.0,
) -> None:
    """Make a host's network slow or unreliable."""
    with _refusals():
        find_host(host).slow(delay=delay / 1000, loss=loss / 100)


def fill_disk(host: HostName) -> None:
    """Leave no space on a host's disk."""
    with _refusals():
        find_host(host).fill_disk()


def break_dns(host: HostName) -> None:
    """Make a host ask a name server that never answers."""
    with _refusals():
        find_host(host).break_dns()


def skew_clock(
    host: HostName,
    seconds: Annotated[int, typer.Argument(help="How wrong, forwards or (`-- -300`) backwards.")],
    service: Annotated[list[str], typer.Option(help="A service whose clock is wrong.")],
) -> None:
    """Give services of a host a wrong clock, and start them anew with it."""
    with _refusals():
        find_host(host).skew_clock(seconds, *service)


def mend(host: HostName) -> None:
    """Undo every fault of a host's network, disk, names and clock."""
    with _refusals():
        find_host(host).mend()


def find_host(name: str) -> Host:
    """A host by its name, which starts with its lab's."""
    needs.check_root()
    return Lab.get(layout.lab_of(name)).host(name)


def size(text: str) -> int:
    """Bytes of `512M` or `4G`."""
    found = _SIZE.fullmatch(text)
    if not found or int(found[1]) * _UNITS[found[2]] < 64 * _UNITS["M"]:
        raise BadRequest(f"{text!r} is no size of a disk: write `512M` or `4G`, at least `64M`.")
    return int(found[1]) * _UNITS[found[2]]


def _described(lab: Lab) -> dict[str, Any]:
    hosts = [_described_host(host) for host in lab.hosts]
    return {"name": lab.name, "address": str(lab.layout.address), "hosts": hosts}


def _described_host(host: Host) -> dict[str, Any]:
    used, size = roots.disk_usage(host.layout) if roots.is_mounted(host.layout) else (0, 0)
    return {
        "name": host.name,
        "address": str(host.address),
        "power": containers.power(host.layout),
        "faults": host.faults(),
        "disk_used": used,
        "disk_size": size,
    }


def _line(host: dict[str, Any]) -> str:
    faults = ", ".join(host["faults"]) or "no faults"
    used = f"{host['disk_used'] / 1024**2:.0f} MiB written"
    return f"{host['name']:<24} {host['address']:<16} {host['power']:<12} {used:<20} {faults}"


@contextmanager
def _refusals() -> Generator[None]:
    try:
        yield
    except LabError as err:
        typer.echo(f"moor: {err}", err=True)
        raise typer.Exit(err.exit_code) from err
