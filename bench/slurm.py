"""A cluster of Slurm on lab hosts, against the fastest shell script that does the same by hand.

Both work on three hosts of one lab, one after the other: the script's three, and the platform's.
"With packages present" the packages of both were installed before by the same script.
"""

import asyncio
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
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
ROUNDS = 5
UNDO = {"bare": "wipe", "present": "teardown"}
"""What of the script takes back what another did."""
Report = Callable[..., None]
Held = list[tuple[Member, str]]


@dataclass(frozen=True)
class Ground:
    """What both are measured on."""

    lab: Lab
    bundles: Path
    own: list[Host]
    """The script's hosts."""
    tenant: Tenant
    app: Shop
    person: Person
    report: Report


def measure(data: Path, report: Report) -> None:
    lab = Lab.up(NAME, hosts=HOSTS)
    bundles = data.parent / "bundles"
    bundle.build(bundle.RELEASES["24.11"], to=bundles)
    try:
        settings = {**sites.SETTINGS, "MOORAGE_LOG__LEVEL": "info"}
        with sites.running(data, str(lab.layout.address), settings) as site:
            _measure(site, lab, bundles, data.parent, report)
    finally:
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
        ground = Ground(lab, bundles, own, tenant, app, person, report)
        _measure_bare(ground, held)
        _measure_present(ground, held)


def _publish(site: Site, admin: Caller, tenant: Tenant, place: Path) -> Shop:
    publisher = world.make_tenant(site, admin, "hpc")
    app = asyncio.run(
        shop.open_shop(site, publisher, release.cut, ("1.0.0",), place=place / "releases")
    )
    keys = [key["key"] for key in admin.get("/v1/families/scheduler")["keys"]]
    admin.put(f"/v1/families/scheduler/admissions/{app.app}", {"keys": keys})
    shop.entitle(tenant, app)
    return app


def _measure_bare(ground: Ground, held: Held) -> None:
    report = ground.report
    cluster = _compare(ground, "bare", "from bare hosts", held[:3], most=1.25)
    report("a worker more, until it is schedulable", _add(cluster, held), "s")
    report("slurmctld dead, until it schedules again", _kill_scheduler(cluster), "s")
    seen, mended = _stop_scheduler(cluster)
    report("slurmctld stopped, until health says so", seen, "s", "<= 10", seen <= 10)
    report("slurmctld stopped, until a repair has mended it", mended, "s")
    report("host dead, until replaced", _replace(cluster, held[4]), "s")
    report("taken down, packages too", _take_down(cluster), "s")


def _measure_present(ground: Ground, held: Held) -> None:
    usable = [each for each in held[:4] if each[0].host.is_running][:3]
    for verb in ("bare", "teardown"):
        for hosts in ([node.host for node, _ in usable], ground.own):
            floor(ground, verb, hosts)
    cluster = _compare(ground, "present", "with packages present", usable, most=3)
    kinds = ("instance.deploy", "member.add")
    names = {step["name"] for kind in kinds for step in cluster.steps(kind)}
    ground.report("named steps", len(names), "", ">= 8", len(names) >= 8)
    ground.report("taken down, packages stay", _take_down(cluster), "s")


def _compare(ground: Ground, verb: str, words: str, held: Held, *, most: float) -> Cluster:
    """The script on its hosts, then the platform on others; how many times as long that took.

    Time and again, for the script's own time differs by half: of the ratios the one in the middle
    counts. Each time the script is measured as people write it, and as it is once it knows what the
    platform found out.
    """
    taken: list[tuple[float, float, float]] = []
    while True:
        knowing, by_hand = (_by_hand(ground, verb, knows=knows) for knows in (True, False))
        name = f"{verb}-{len(taken)}"
        cluster, ours = deploy(ground.tenant, ground.app, name, held, ground.person)
        taken.append((knowing, by_hand, ours))
        if len(taken) == ROUNDS:
            break
        _take_down(cluster)
    ratios = sorted(ours / by_hand for _, by_hand, ours in taken)
    middle = statistics.median(ratios)
    ground.report(f"{words}, by hand", statistics.median(by for _, by, _ in taken), "s")
    ground.report(words, statistics.median(ours for *_, ours in taken), "s")
    ground.report(f"{words}, ratio", middle, "", f"<= {most:g}", middle <= most)
    ground.report(f"{words}, lowest ratio", ratios[0], "")
    ground.report(f"{words}, highest ratio", ratios[-1], "")
    known = statistics.median(knowing for knowing, *_ in taken)
    ratio = statistics.median(ours / knowing for knowing, _, ours in taken)
    ground.report(f"{words}, by hand, knowing what the platform knows", known, "s")
    ground.report(f"{words}, ratio to that", ratio, "")
    return cluster


def _by_hand(ground: Ground, verb: str, *, knows: bool) -> float:
    """What the script takes, whose work is taken back again."""
    took = floor(ground, verb, ground.own, *(["-k"] if knows else []))
    floor(ground, UNDO[verb], ground.own)
    return took


def floor(ground: Ground, verb: str, hosts: list[Host], *options: str) -> float:
    """What the shell script takes."""
    ssh = f"-i {ground.lab.layout.key} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
    addresses = [str(host.address) for host in hosts]
    began = time.monotonic()
    subprocess.run(
        ["bash", FLOOR, verb, "-s", ssh, "-b", ground.bundles, *options, *addresses],
        check=True,
        timeout=300,
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


def _add(cluster: Cluster, held: Held) -> float:
    wish = {"component": "worker", "allocations": [held[3][1]]}
    began = time.monotonic()
    cluster.wait(cluster.admin.post(f"{cluster.path}/members", wish))
    took = time.monotonic() - began
    cluster.learn(held)
    return took


def _kill_scheduler(cluster: Cluster) -> float:
    began = time.monotonic()
    cluster.controller.run("systemctl kill --kill-whom=main --signal=KILL slurmctld")
    wait_until(lambda: "is UP" in cluster.run("scontrol", "ping", check=False))
    return time.monotonic() - began


def _stop_scheduler(cluster: Cluster) -> tuple[float, float]:
    """As an admin stops it by mistake: systemd leaves it so, the platform does not."""
    path = cluster.path
    cluster.admin.until(path, lambda found: found["health"] == "healthy", seconds=120)
    began = time.monotonic()
    cluster.run("systemctl", "stop", "slurmctld")
    cluster.admin.until(path, lambda found: found["health"] == "unhealthy", seconds=60)
    seen = time.monotonic() - began
    cluster.admin.until(path, lambda found: found["health"] == "healthy", seconds=120)
    return seen, time.monotonic() - began


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
