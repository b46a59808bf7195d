"""A cluster of Slurm on lab hosts, against the fastest shell script that does the same by hand.

Both work on three hosts of one lab, one after the other: the script's three, and the platform's.
"With packages present" the packages of both were installed before by the same script.
"""

import asyncio
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from moorage_lab import Host, Lab
from moorage_lab import lab as labs
from moorage_slurm import bundle, release
from tests.e2e import shop, world
from tests.e2e import site as sites
from tests.e2e.callers import Caller, wait_until
from tests.e2e.shop import Shop
from tests.e2e.site import Site
from tests.e2e.world import Member, Tenant
from tests.slurm import clusters
from tests.slurm.clusters import Cluster, Person

FLOOR = Path(__file__).with_name("slurm_floor.sh")
NAME, HOSTS = "bench", 8
"""Three for the script, three for the platform, one to add and one to replace a dead one by."""
Report = Callable[..., None]
Held = list[tuple[Member, str]]


def measure(data: Path, report: Report) -> None:
    lab = Lab.up(NAME, hosts=HOSTS)
    site = Site(data, str(lab.layout.address), sites.free_port(str(lab.layout.address)))
    bundles = data.parent / "bundles"
    bundle.build(bundle.RELEASES["24.11"], to=bundles)
    try:
        site.start()
        _measure(site, lab, bundles, data.parent, report)
    finally:
        site.close()
        labs.down(NAME)


def _measure(site: Site, lab: Lab, bundles: Path, place: Path, report: Report) -> None:
    admin = site.admin()
    world.make_fleet(admin)
    tenant = world.make_tenant(site, admin, "acme")
    person = clusters.make_person(site, admin, tenant)
    app = _publish(site, admin, tenant, place)
    own, ours = lab.hosts[:3], lab.hosts[3:]
    with shop.controller(site, app, clusters.python("-m", "moorage_slurm"), log=place / "log"):
        nodes = [world.enrol(admin, host) for host in ours]
        held = clusters.hold(admin, tenant, nodes)
        _bare(lab, bundles, own, tenant, app, held, person, report)
        _present(lab, bundles, own, tenant, app, held, person, report)


def _publish(site: Site, admin: Caller, tenant: Tenant, place: Path) -> Shop:
    publisher = world.make_tenant(site, admin, "hpc")
    app = asyncio.run(
        shop.open_shop(site, publisher, release.cut, ("1.0.0",), place=place / "releases")
    )
    keys = [key["key"] for key in admin.get("/v1/families/scheduler")["keys"]]
    admin.put(f"/v1/families/scheduler/admissions/{app.app}", {"keys": keys})
    shop.entitle(tenant, app)
    return app


def _bare(
    lab: Lab,
    bundles: Path,
    own: list[Host],
    tenant: Tenant,
    app: Shop,
    held: Held,
    person: Person,
    report: Report,
) -> None:
    by_hand = floor(lab, "bare", own, bundles)
    cluster, ours = deploy(tenant, app, "bare", held[:3], person)
    report("from bare hosts, by hand", by_hand, "s")
    report("from bare hosts", ours, "s")
    report("from bare hosts, ratio", ours / by_hand, "", "<= 1.25", ours / by_hand <= 1.25)
    report("a worker more, until it is schedulable", _add(cluster, held[3]), "s")
    report("slurmctld dead, until it schedules again", _kill_scheduler(cluster), "s")
    report("host dead, until replaced", _replace(cluster, held[4]), "s")
    report("taken down, packages too", _take_down(cluster), "s")
    floor(lab, "teardown", own, bundles)


def _present(
    lab: Lab,
    bundles: Path,
    own: list[Host],
    tenant: Tenant,
    app: Shop,
    held: Held,
    person: Person,
    report: Report,
) -> None:
    usable = [each for each in held[:4] if each[0].host.is_running][:3]
    hosts = [node.host for node, _ in usable]
    for verb in ("bare", "teardown"):
        floor(lab, verb, hosts, bundles)
    by_hand = floor(lab, "present", own, bundles)
    cluster, ours = deploy(tenant, app, "present", usable, person)
    names = {
        step["name"] for kind in ("instance.deploy", "member.add") for step in cluster.steps(kind)
    }
    report("with packages present, by hand", by_hand, "s")
    report("with packages present", ours, "s")
    report("with packages present, ratio", ours / by_hand, "", "<= 3", ours / by_hand <= 3)
    report("named steps", len(names), "", ">= 8", len(names) >= 8)
    report("taken down, packages stay", _take_down(cluster), "s")


def floor(lab: Lab, verb: str, hosts: list[Host], bundles: Path) -> float:
    """What the shell script takes."""
    ssh = f"-i {lab.layout.key} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
    addresses = [str(host.address) for host in hosts]
    began = time.monotonic()
    subprocess.run(
        ["bash", FLOOR, verb, "-s", ssh, "-b", bundles, *addresses], check=True, timeout=300
    )
    return time.monotonic() - began


def deploy(
    tenant: Tenant, app: Shop, name: str, held: Held, person: Person
) -> tuple[Cluster, float]:
    """From the request until the first `srun` of an ordinary user over both workers has ended."""
    began = time.monotonic()
    found = clusters.deploy(tenant, app, name, {"controller": held[:1], "worker": held[1:3]})
    found.run("srun", "--nodes=2", "true", user=person.login)
    return found, time.monotonic() - began


def _add(cluster: Cluster, machine: tuple[Member, str]) -> float:
    wish = {"component": "worker", "allocations": [machine[1]]}
    began = time.monotonic()
    cluster.wait(cluster.admin.post(f"{cluster.path}/members", wish))
    took = time.monotonic() - began
    cluster.learn([machine])
    return took


def _kill_scheduler(cluster: Cluster) -> float:
    began = time.monotonic()
    cluster.controller.run("kill -9 $(cat /run/slurmctld/slurmctld.pid)")
    wait_until(lambda: "is UP" in cluster.run("scontrol", "ping", check=False))
    return time.monotonic() - began


def _replace(cluster: Cluster, machine: tuple[Member, str]) -> float:
    """From the end of a host until another one has taken its place."""
    member = cluster.members()["worker-1"]
    began = time.monotonic()
    cluster.hosts["worker-1"].crash()
    wish: dict[str, Any] = {"allocation": machine[1], "lost": True, "reason": "its host is dead"}
    cluster.wait(cluster.admin.post(f"/v1/members/{member['id']}/replace", wish))
    return time.monotonic() - began


def _take_down(cluster: Cluster) -> float:
    began = time.monotonic()
    cluster.ask("decommission", {"reason": "measured"})
    return time.monotonic() - began
