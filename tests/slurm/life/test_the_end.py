"""A cluster goes: nothing of it is left, and its machines are there for others at once."""

import asyncio

import pytest

from moorage_echo import release as echo
from tests.e2e import deployed, shop, world
from tests.e2e.callers import Caller
from tests.e2e.site import Site
from tests.e2e.world import Tenant
from tests.slurm import clusters, pictures
from tests.slurm.clusters import Cluster, Held

pytestmark = pytest.mark.lab


def test_what_somebody_else_left_is_named_and_everything_of_ours_is_gone(
    living: Cluster, held: list[Held], before: list[frozenset[str]]
) -> None:
    worker = living.hosts["worker-1"]
    worker.run("mkdir /mnt/planted && mount --bind /mnt/planted /var/log/slurm")
    # As it is for a while after the package was installed.
    worker.run("loginctl enable-linger munge && systemctl start user@$(id -u munge)")

    ended = living.ask("decommission", {"reason": "the test is over"})
    worker.run("umount /var/log/slurm && rm -rf /mnt/planted /var/log/slurm")
    worker.run("rm /var/lib/systemd/linger/munge")

    named = [(each["what"], each["where"]) for each in ended["residue"]]
    assert named == [("/var/log/slurm", "worker-1")]
    left = [pictures.until_as(old, held[at][0].host) for at, old in enumerate(before)]
    assert left == [[]] * 3


def test_what_a_host_had_of_the_kind_before_is_there_again_and_runs(
    held: list[Held], their_key: str
) -> None:
    host = held[-1][0].host

    assert host.run("sha256sum /etc/munge/munge.key").stdout == their_key
    assert host.run("munge --no-input | unmunge | head -1").stdout.endswith("Success (0)\n")
    assert host.run("systemctl is-enabled munge").stdout == "enabled\n"


def test_another_app_uses_the_machine_at_once(
    site: Site,
    admin: Caller,
    acme: Tenant,
    held: list[Held],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    publisher = world.make_tenant(site, admin, "widgets")
    place = tmp_path_factory.mktemp("echo")
    made = asyncio.run(shop.open_shop(site, publisher, echo.cut, ("0.1.0",), place=place))
    shop.entitle(acme, made)
    argv = ("-m", "moorage", "run", "moorage_echo.controller:app")
    with shop.controller(site, made, clusters.python(*argv), log=place / "log"):
        one = deployed.deploy(acme, made, "keys", leader=[held[1][1]])
        put = one.put("berth")
        ended = one.ask("decommission", {"reason": "the test is over"})

    assert put["copies"] == 1
    assert ended["residue"] == []
