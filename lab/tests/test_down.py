"""Nothing is left of a lab that was taken down, whatever happened to it."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.tests import world
from lab.tests.waiting import wait_until
from moorage_lab import Host, Lab, Places, cgroups, containers
from moorage_lab import lab as labs
from moorage_lab import state as states
from moorage_lab.errors import NotFound

pytestmark = pytest.mark.lab

NewName = Callable[[], str]
UP = "import sys; from moorage_lab import Lab; Lab.up(sys.argv[1], hosts=2)"


def subnet_of(name: str) -> int:
    found = states.find(Places(), name)
    assert found
    return found.subnet


def test_down_leaves_nothing(new_name: NewName) -> None:
    lab = Lab.up(new_name(), hosts=1)
    [host] = lab.hosts
    host.run("true")  # leaves a connection
    host.slow(delay=0.001)  # and a wire
    during = world.of(lab.name, subnet=lab.state.subnet)

    lab.down()

    assert all(during.values()), during
    assert world.of(lab.name, subnet=lab.state.subnet) == world.nothing()


def test_down_of_a_lab_that_never_was_finds_nothing(new_name: NewName) -> None:
    assert labs.down(new_name()) is False


STAGES: dict[str, Callable[[Path], bool]] = {
    "has claimed its network": lambda folder: (folder / "state.json").exists(),
    "has mounted a root": lambda folder: any(folder.glob("hosts/*/disk/prepared")),
    "has started a host": lambda folder: any(folder.glob("hosts/*-1/*.notify")),
    "has started its last host": lambda folder: any(folder.glob("hosts/*-2/*.notify")),
}


@pytest.mark.parametrize("stage", STAGES)
def test_down_leaves_nothing_of_a_lab_that_was_killed_when_it(
    new_name: NewName, stage: str
) -> None:
    name = new_name()
    folder = Places().folder(name)
    with subprocess.Popen([sys.executable, "-c", UP, name]) as process:
        wait_until(lambda: STAGES[stage](folder))
        os.kill(process.pid, signal.SIGKILL)
    subnet = subnet_of(name)

    found = labs.down(name)

    assert found
    assert world.of(name, subnet=subnet) == world.nothing()


def test_up_completes_a_lab_that_was_killed_half_made(new_name: NewName) -> None:
    name = new_name()
    with subprocess.Popen([sys.executable, "-c", UP, name]) as process:
        wait_until(lambda: STAGES["has started a host"](Places().folder(name)))
        os.kill(process.pid, signal.SIGKILL)

    lab = Lab.up(name, hosts=2)

    assert [host.run("hostname").stdout.strip() for host in lab.hosts] == [f"{name}-1", f"{name}-2"]


def orphan(host: Host) -> None:
    [supervisor] = containers.supervisors(host.layout)
    os.kill(supervisor, signal.SIGKILL)
    wait_until(lambda: not containers.supervisors(host.layout))


def test_a_host_whose_supervisor_was_killed_is_started_anew_by_up(new_name: NewName) -> None:
    lab = Lab.up(new_name(), hosts=1)
    [host] = lab.hosts
    orphan(host)
    shown = containers.power(host.layout)

    Lab.up(lab.name, hosts=1)

    assert shown == "orphaned"
    assert containers.power(host.layout) == "running"
    assert host.run("hostname").stdout.strip() == host.name


def test_down_leaves_nothing_of_a_host_whose_supervisor_was_killed(new_name: NewName) -> None:
    lab = Lab.up(new_name(), hosts=1)
    orphan(lab.hosts[0])

    lab.down()

    assert world.of(lab.name, subnet=lab.state.subnet) == world.nothing()


@pytest.mark.parametrize("damage", ["garbage", "no file"])
def test_down_needs_no_state(new_name: NewName, damage: str) -> None:
    lab = Lab.up(new_name(), hosts=1)
    path = Places().state(lab.name)
    path.write_text("garbage") if damage == "garbage" else path.unlink()

    labs.down(lab.name)

    assert world.of(lab.name, subnet=lab.state.subnet) == world.nothing()


def test_a_host_of_a_lab_that_is_gone_says_so_and_leaves_nothing(new_name: NewName) -> None:
    lab = Lab.up(new_name(), hosts=1)
    lab.down()

    with pytest.raises(NotFound, match=f"lab '{lab.name}' with it"):
        lab.hosts[0].cut()

    assert world.of(lab.name, subnet=lab.state.subnet) == world.nothing()


def test_two_labs_side_by_side_share_nothing(lab: Lab, new_name: NewName) -> None:
    other = Lab.up(new_name(), hosts=1)
    [stranger] = other.hosts

    route = stranger.run(f"ip route get {lab.hosts[0].address}", check=False)
    other.down()

    assert other.state.subnet != lab.state.subnet
    assert "unreachable" in route.stderr
    assert [host.run("echo here").stdout for host in lab.hosts] == ["here\n", "here\n"]
    assert cgroups.is_populated(f"moorage-lab/{lab.name}")


def test_labs_that_come_up_at_the_same_time_get_different_networks(new_name: NewName) -> None:
    names = [new_name(), new_name()]
    starting = [subprocess.Popen([sys.executable, "-c", UP, name]) for name in names]

    codes = [process.wait(timeout=60) for process in starting]

    assert codes == [0, 0]
    assert len({subnet_of(name) for name in names}) == 2
    assert all(host.run("true").code == 0 for name in names for host in Lab.get(name).hosts)
