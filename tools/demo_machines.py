"""The demo's machines: real hosts of a lab, enrolled, held, worked on and given back.

Without root or the programs of the lab this part is left out, and says why.
"""

import json
from collections.abc import Generator
from contextlib import contextmanager

from moorage_lab import Lab, LabError
from moorage_lab import lab as labs
from tools import demo_apps, demo_slurm
from tools.demo_terminal import MOOR, Walk

LAB, HOSTS = "demo", 5
SETTINGS = {"MOORAGE_MACHINES__REIMAGE_COMMAND": json.dumps([str(MOOR), "lab", "provision"])}


@contextmanager
def hosts(name: str = LAB) -> Generator[Lab | None]:
    """Some hosts; None where this machine cannot have any."""
    print(f"\n   $ moor lab up --name {name} --hosts {HOSTS}", flush=True)
    try:
        labs.down(name)  # hosts of a demo that was killed are enrolled already, elsewhere
        lab = Lab.up(name, hosts=HOSTS)
    except LabError as err:
        print(f"     Skipped, and so is the part about machines: {err}", flush=True)
        yield None
        return
    try:
        for host in lab.hosts:
            print(f"     {host.name}  {host.address}", flush=True)
        yield lab
    finally:
        labs.down(name)


def walk(terminal: Walk, lab: Lab | None) -> None:
    """From a pasted line to another tenant's new machine."""
    if lab is None:
        terminal.step("Machines are left out: there is no lab here, as said above.")
        return
    enrol(terminal, lab)
    allocations = _hold(terminal)
    _work(terminal, allocations[0])
    demo_apps.walk(terminal, allocations)
    demo_slurm.walk(terminal)
    _give_back(terminal, allocations[0])
    _pass_on(terminal)


def enrol(terminal: Walk, lab: Lab) -> None:
    """Make nodes of the hosts."""
    moor, step = terminal.moor, terminal.step
    step("The operator has machines: a region, a class of them with a price, five nodes.")
    moor("regions", "create", "lab", "--name", "The lab", lines=2)
    size = ("--cpus", "1", "--memory", "1", "--price", "0.50", "--currency", "EUR")
    moor("skus", "create", "host", "--name", "Lab host", *size, lines=2)
    for host in lab.hosts:
        place = ("--region", "lab", "--sku", "host", "--address", str(host.address))
        moor("nodes", "create", host.name, *place, lines=2)

    step("One line pasted on each host installs the agent and enrols it.")
    for host in lab.hosts:
        line = terminal.ask("nodes", "enrol", host.name)["line"]
        print(f"     (the line for {host.name}: {len(line)} characters, good for one host)")
        moor("lab", "ssh", host.name, "sh", given=f"{line}\n")
    for host in lab.hosts:
        terminal.until(("nodes", "get", host.name), "available")
    moor("nodes", "list")


def _hold(terminal: Walk) -> list[str]:
    terminal.step("Ada asks for five machines. The platform chooses them, and says why.")
    asking = ("allocations", "create", "acme/research", "--sku", "host", "--region", "lab")
    terminal.moor(*asking, "--count", str(HOSTS), "--profile", "ada")
    listed = terminal.ask("allocations", "list", "acme/research", "--profile", "ada")["items"]
    names = [allocation["id"] for allocation in listed]
    for name in names:
        terminal.until(("allocations", "get", name, "--profile", "ada"), "active")
    terminal.moor("allocations", "list", "acme/research", "--profile", "ada")
    return names


def _work(terminal: Walk, allocation: str) -> None:
    step, moor = terminal.step, terminal.moor
    step("A task on one of them: a session with a reason, a command, its output, the end.")
    doing = ("run", "--reason", "Looking around.", "--profile", "ada", allocation)
    moor(*doing, "--", "sh", "-c", "hostname; echo left behind >/var/tmp/left-behind")

    step("Ada herself, with a certificate of minutes and an account of her own.")
    moor("ssh", "--profile", "ada", allocation, "--", "id -un; hostname")


def _give_back(terminal: Walk, allocation: str) -> None:
    terminal.step("She gives one back. It is wiped, looked at again, and that is on record.")
    terminal.moor("allocations", "release", allocation, "--yes", "--profile", "ada")
    terminal.until(("allocations", "get", allocation, "--profile", "ada"), "released")
    terminal.moor("allocations", "evidence", allocation, "--profile", "ada")


def _pass_on(terminal: Walk) -> None:
    step, moor = terminal.step, terminal.moor
    step("Rob's org gets the same machine, imaged anew first: another org's root was on it.")
    moor("projects", "create", "rival", "works", "--name", "Works", "--profile", "rob", lines=2)
    asking = ("allocations", "create", "rival/works", "--sku", "host", "--region", "lab")
    moor(*asking, "--profile", "rob")
    listed = terminal.ask("allocations", "list", "rival/works", "--profile", "rob")["items"]
    name = listed[0]["id"]
    terminal.until(("allocations", "get", name, "--profile", "rob"), "active")
    moor("allocations", "get", name, "--profile", "rob", lines=12)
