"""Echo on real hosts: the program runs under systemd, and nothing of it is left afterwards."""

import asyncio
import json
import sys
from collections.abc import Iterator

import pytest

from moorage_echo import cluster, release
from moorage_lab import Host
from tests.e2e import shop, work, world
from tests.e2e.callers import Caller
from tests.e2e.deployed import deploy
from tests.e2e.shop import Shop
from tests.e2e.site import Site
from tests.e2e.world import Member, Tenant

pytestmark = pytest.mark.lab

CONTROLLER = (sys.executable, "-m", "moorage", "run", "moorage_echo.controller:app")


@pytest.fixture(scope="module")
def echo(site: Site, admin: Caller, acme: Tenant, tmp_path_factory: pytest.TempPathFactory) -> Shop:
    publisher = world.make_tenant(site, admin, "widgets")
    place = tmp_path_factory.mktemp("echo")
    made = asyncio.run(
        shop.open_shop(site, publisher, release.cut, ("0.1.0", "0.2.0"), place=place)
    )
    shop.entitle(acme, made)
    return made


@pytest.fixture(scope="module")
def listening(site: Site, echo: Shop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    log = tmp_path_factory.mktemp("controller") / "log"
    with shop.controller(site, echo, CONTROLLER, log=log):
        yield


def asked(host: Host, verb: str) -> dict[str, object]:
    """What the program on a host says."""
    return json.loads(host.run(["/usr/bin/python3", cluster.PROGRAM, verb]).stdout)


def left_on(host: Host) -> list[str]:
    """What is there of echo."""
    paths = (cluster.UNIT_FILE, *cluster.FOLDERS)
    return host.run(["ls", "-d", "--", *paths], check=False).stdout.split()


@pytest.mark.usefixtures("listening")
def test_echo_lives_on_real_hosts_and_leaves_nothing(
    admin: Caller, acme: Tenant, members: list[Member], held: tuple[Member, str], echo: Shop
) -> None:
    first, (second, replica) = members[0], held
    leader = work.allocate(admin, acme, first)

    one = deploy(acme, echo, "keys", leader=[leader], replica=[replica])
    assert one.put("a") == {"key": "a", "revision": 1, "copies": 2}
    assert asked(second.host, "status")["keys"] == 1

    one.ask("upgrade", {"version": "0.2.0"})
    assert asked(first.host, "status")["version"] == "0.2.0"
    one.ask("rollback", {})
    one.ask("rotate", {"reason": "the key got out"})
    one.ask("configure", {"config": one.read()["config"] | {"port": 7500}})
    assert one.put("b")["copies"] == 2

    first.host.run(["systemctl", "stop", cluster.UNIT])
    one.ask("repair", {"reason": "somebody stopped the leader"})
    assert one.put("c")["copies"] == 2

    ended = one.ask("decommission", {"reason": "the test is over"})
    assert ended["residue"] == []
    assert [left_on(host) for host in (first.host, second.host)] == [[], []]
    work.release(acme, leader)
