"""A platform, a lab of hosts and Slurm in its catalog, for the session."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from moorage_lab import Lab, needs
from moorage_lab import lab as labs
from moorage_slurm import bundle, release
from tests.e2e import shop, world
from tests.e2e import site as sites
from tests.e2e.callers import Caller
from tests.e2e.shop import Shop
from tests.e2e.site import Site
from tests.e2e.world import Member, Tenant
from tests.slurm import clusters
from tests.slurm.clusters import People
from tests.slurm.replicas import Replica

REASON = "needs root, systemd-container and mmdebstrap: `make setup` as root installs them"
HERE = Path(__file__).parent
BARE = 4
STOCKED = ("controller", "worker", "worker")
HOSTS = BARE + len(STOCKED) + 2
"""One more has GPUs, and one has no agent."""
GPUS = 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.slurm)
    programs = [*needs.TO_RUN, *needs.TO_BUILD]
    if os.geteuid() == 0 and all(shutil.which(program) for program in programs):
        return
    for item in items:
        if item.get_closest_marker("lab"):
            item.add_marker(pytest.mark.skip(reason=REASON))


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    name = f"s{os.getpid()}"
    try:
        yield Lab.up(name, hosts=HOSTS)
    finally:
        labs.down(name)


@pytest.fixture(scope="session")
def site(lab: Lab) -> Iterator[Site]:
    """The platform, on the lab's address."""
    with sites.passing(str(lab.layout.address)) as running:
        yield running


@pytest.fixture(scope="session")
def admin(site: Site) -> Caller:
    """The platform's admin."""
    return site.admin()


@pytest.fixture(scope="session")
def acme(site: Site, admin: Caller) -> Tenant:
    world.make_fleet(admin)
    return world.make_tenant(site, admin, "acme")


@pytest.fixture(scope="session")
def people(site: Site, admin: Caller, acme: Tenant) -> People:
    """Members of the project, with logins on its machines; and a stranger."""
    return People.make(site, admin, acme)


@pytest.fixture(scope="session")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the packages of the first release, for each role."""
    place = tmp_path_factory.mktemp("bundles")
    bundle.build(bundle.RELEASES["24.11"], to=place)
    return place


@pytest.fixture(scope="session")
def nodes(lab: Lab, admin: Caller, acme: Tenant) -> list[Member]:
    """Hosts as Debian leaves them, enrolled by the pasted line."""
    return [world.enrol(admin, host) for host in lab.hosts[:BARE]]


@pytest.fixture(scope="session")
def stocked(lab: Lab, admin: Caller, acme: Tenant, bundles: Path) -> list[Member]:
    """Hosts from an image that has Slurm's packages, as big sites make theirs.

    To install and purge them takes four times as long as all else that a cluster takes, so it is
    on these that clusters come and go whose packages no test looks at. None of them dies: a wipe
    does not know what is new in folders that packages of the host brought.
    """
    hosts = lab.hosts[BARE : BARE + len(STOCKED)]
    packages = [bundles / f"{role}.tar" for role in STOCKED]
    with ThreadPoolExecutor() as hands:
        list(hands.map(clusters.stock, hosts, packages))
    return [world.enrol(admin, host) for host in hosts]


@pytest.fixture(scope="session")
def gpu_node(lab: Lab, admin: Caller, acme: Tenant) -> Member:
    """A host with GPUs, which are simulated."""
    size = {"cpus": 1, "memory_bytes": 1 << 30, "gpus": GPUS, "gpu_model": "Simulated H200"}
    price = {"price_micros": 9_000_000, "currency": "EUR"}
    admin.post("/v1/skus", {"slug": "lab-gpu", "name": "Lab host with GPUs"} | size | price)
    host = lab.hosts[-2]
    host.add_gpus(GPUS)
    return world.enrol(admin, host, sku="lab-gpu")


@pytest.fixture(scope="session")
def catalog(
    site: Site, admin: Caller, acme: Tenant, tmp_path_factory: pytest.TempPathFactory
) -> Shop:
    """Two versions in the catalog, for the project to use."""
    publisher = world.make_tenant(site, admin, "hpc")
    place = tmp_path_factory.mktemp("slurm")
    made = asyncio.run(
        shop.open_shop(site, publisher, release.cut, ("1.0.0", "2.0.0"), place=place)
    )
    keys = [key["key"] for key in admin.get("/v1/families/scheduler")["keys"]]
    admin.put(f"/v1/families/scheduler/admissions/{made.app}", {"keys": keys})
    shop.entitle(acme, made)
    return made


@pytest.fixture(scope="session")
def controller(
    site: Site, catalog: Shop, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Replica]:
    """The publisher's controller at work."""
    running = Replica(site, catalog, tmp_path_factory.mktemp("controller") / "log")
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def slurm(catalog: Shop, controller: Replica) -> Shop:
    """The app, with somebody to do its work."""
    return catalog
