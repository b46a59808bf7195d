"""Two projects, one served by its publisher's replicas and one by a controller of its own."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e import shop
from tests.e2e.callers import Caller
from tests.e2e.shop import Shop
from tests.e2e.site import Site
from tests.e2e.world import Member, Tenant
from tests.slurm import clusters
from tests.slurm.clusters import Cluster
from tests.slurm.replicas import Replica

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def lab_b(acme: Tenant, catalog: Shop) -> Tenant:
    """Another project of the org, which may use the app as well."""
    named = {"slug": "acme-physics", "name": "Physics"}
    project = acme.admin.post(f"/v1/orgs/{acme.org}/projects", named)
    found = replace(acme, project=project["id"])
    shop.entitle(found, catalog)
    return found


@pytest.fixture(scope="module")
def own(site: Site, lab_b: Tenant, catalog: Shop, tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """The app, served by an operator of that project's own."""
    place = tmp_path_factory.mktemp("own")
    path, admin = f"/v1/projects/{lab_b.project}", lab_b.admin
    wish = {"name": "slurm-operator", "permissions": shop.CLAIMING}
    account = admin.post(f"{path}/service-accounts", wish)["id"]
    key = admin.post(f"/v1/service-accounts/{account}/keys", {})
    admin.said.pop()  # shown once
    (place / "secret").write_text(key["secret"])
    wish = {"app": catalog.app, "service_account": account, "name": "Physics' own"}
    operator = admin.post(f"{path}/app-operators", wish)["id"]
    return Shop(catalog.app, catalog.slug, operator, account, key["id"], place / "secret")


@pytest.fixture
def others(site: Site, slurm: Shop, own: Shop, tmp_path: Path) -> Iterator[None]:
    """A second replica of the publisher's controller, and the project's own."""
    running = [Replica(site, slurm, tmp_path / "second"), Replica(site, own, tmp_path / "own")]
    for each in running:
        each.start()
    yield
    for each in running:
        each.stop()


def end(cluster: Cluster) -> None:
    ended = cluster.ask("decommission", {"reason": "the test is over"})
    assert ended["residue"] == []


@pytest.mark.usefixtures("others")
def test_projects_are_served_side_by_side_whichever_replica_dies(
    site: Site,
    admin: Caller,
    acme: Tenant,
    lab_b: Tenant,
    slurm: Shop,
    own: Shop,
    controller: Replica,
    stocked: list[Member],
) -> None:
    with (
        clusters.holding(admin, acme, stocked[:1]) as a,
        clusters.holding(admin, lab_b, stocked[1:2]) as b,
    ):
        people = [clusters.make_person(site, admin, each) for each in (acme, lab_b)]
        begun = [
            clusters.request(acme, slurm, "ours", {"controller": a, "worker": a}),
            clusters.request(lab_b, own, "theirs", {"controller": b, "worker": b}),
        ]
        controller.kill()
        both = [found for found, _ in begun]
        for found, operation in begun:
            found.wait(operation)

        seen = [
            found.run("srun", "hostname", user=person.login)
            for found, person in zip(both, people, strict=True)
        ]
        named = ("sacctmgr", "-nP", "show", "account", "format=account")
        accounts = [{*found.run(*named).split()} - {"root"} for found in both]
        controller.start()

        assert [each.strip() for each in seen] == [node.host.name for node, _ in (*a, *b)]
        assert [found.read()["operator"]["id"] for found in both] == [slurm.operator, own.operator]
        assert accounts == [{acme.project}, {lab_b.project}]
        for found in both:
            end(found)
