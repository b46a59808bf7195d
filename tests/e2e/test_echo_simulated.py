"""Apps on simulated hosts: a real platform, real controllers, the agents' own protocol."""

import asyncio
import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from moorage_echo import cluster, release
from moorage_lab.simulated import Host
from tests.e2e import playing, shop, work, world
from tests.e2e import site as sites
from tests.e2e.callers import Caller, Refused, wait_until
from tests.e2e.deployed import deploy, request
from tests.e2e.shop import Shop
from tests.e2e.site import Site
from tests.e2e.world import Tenant

pytestmark = pytest.mark.slow

CONTROLLER = (sys.executable, "-m", "moorage", "run", "moorage_echo.controller:app")
NODE = Path(sys.executable).with_name("node")
FIXTURES = Path(__file__).parents[2] / "apps/fixtures"
NODE_ECHO = FIXTURES / "node-echo"
HOSTS = 6
DRIVING = [
    "apps.instance.create",
    "apps.instance.delete",
    "apps.instance.read",
    "apps.instance.update",
    "apps.operation.read",
]
"""What a program needs to deploy, change and take down."""


@pytest.fixture(scope="module")
def here() -> Iterator[Site]:
    """A platform on loopback."""
    with sites.passing(sites.LOOPBACK, sites.CROWDED) as running:
        yield running


@pytest.fixture(scope="module")
def operator(here: Site) -> Caller:
    admin = here.admin()
    world.make_fleet(admin)
    return admin


@pytest.fixture(scope="module")
def tenant(here: Site, operator: Caller) -> Tenant:
    return world.make_tenant(here, operator, "acme")


@pytest.fixture(scope="module")
def machines(here: Site, operator: Caller) -> Iterator[list[Host]]:
    with playing.hosts(here, operator, HOSTS) as made:
        yield made


@pytest.fixture(scope="module")
def held(tenant: Tenant, machines: list[Host]) -> list[str]:
    """Every host, held by the tenant."""
    return work.allocate_any(tenant, HOSTS)


@pytest.fixture(scope="module")
def publisher(here: Site, operator: Caller) -> Tenant:
    return world.make_tenant(here, operator, "widgets")


@pytest.fixture(scope="module")
def echo(
    here: Site, publisher: Tenant, tenant: Tenant, tmp_path_factory: pytest.TempPathFactory
) -> Shop:
    """Two versions, published by one tenant, and another tenant who may use them."""
    place = tmp_path_factory.mktemp("echo")
    versions = ("0.1.0", "0.2.0")
    made = asyncio.run(shop.open_shop(here, publisher, release.cut, versions, place=place))
    shop.entitle(tenant, made)
    return made


@pytest.fixture(scope="module")
def listening(here: Site, echo: Shop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A controller that claims; where it writes its log."""
    log = tmp_path_factory.mktemp("controller") / "log"
    with shop.controller(here, echo, CONTROLLER, log=log):
        yield log


@pytest.mark.rule("OP-2", "OP-5")
def test_a_killed_controller_is_replaced_and_nothing_is_done_twice(
    here: Site, tenant: Tenant, machines: list[Host], held: list[str], echo: Shop, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with shop.controller(here, echo, CONTROLLER, log=log) as first:
        one, deployment = request(tenant, echo, "survivor", leader=held[:1], replica=held[1:3])
        wait_until(lambda: one.steps("member.add"))
        first.kill()
        first.wait()

    with (
        shop.controller(here, echo, CONTROLLER, log=log),
        shop.controller(here, echo, CONTROLLER, log=log),
    ):
        one.done(deployment, seconds=180)
        assert one.put("a") == {"key": "a", "revision": 1, "copies": 3}
        one.ask("decommission", {"reason": "the test is over"})

    taken = Counter((step["name"], step["status"]) for step in one.steps("member.add"))
    assert taken == {
        ("put files", "succeeded"): 3,
        ("start", "succeeded"): 3,
        ("join", "succeeded"): 2,
    }
    assert [host.files for host in machines] == [{}] * HOSTS


@pytest.mark.rule("SO-5", "ON-1")
def test_the_whole_life_of_an_instance(
    tenant: Tenant, machines: list[Host], held: list[str], echo: Shop, listening: Path
) -> None:
    site = {host.address: host for host in machines}

    one = deploy(tenant, echo, "keys", leader=held[:1], replica=held[1:3])
    assert one.read()["status"] == "running"
    assert one.put("a") == {"key": "a", "revision": 1, "copies": 3}

    one.ask("members", {"component": "replica", "allocations": held[3:5]})
    assert one.put("b")["copies"] == 5

    members = one.members()
    drained = {"members": [members["replica-1"]["id"]], "reason": "new memory"}
    one.ask("members/drain", drained)
    assert one.put("c")["copies"] == 4
    one.ask("members/resume", drained)
    assert one.put("d")["copies"] == 5
    one.ask("members/remove", {"members": [members["replica-2"]["id"]], "reason": "not needed"})
    gone = one.members(removed="true")["replica-2"]
    assert gone["status"] == "removed"
    assert site[members["replica-2"]["host_address"]].files == {}

    replaced = {"allocation": held[5], "reason": "a better one"}
    one.done(tenant.admin.post(f"/v1/members/{members['replica-3']['id']}/replace", replaced))
    assert one.put("e")["copies"] == 4

    config = one.read()["config"]
    one.ask("configure", {"config": config | {"port": 7500}})
    assert one.read()["endpoints"]["port"] == 7500
    one.ask("upgrade", {"version": "0.2.0"})
    assert one.read()["runtime_version"] == "0.2.0"
    one.ask("rollback", {})
    assert one.read()["runtime_version"] == "0.1.0"
    one.ask("stop")
    assert one.read()["status"] == "stopped"
    one.ask("start")
    one.ask("restart")
    one.ask("repair", {"reason": "to see what it mends"})
    one.ask("rotate", {"reason": "the key got out"})
    assert one.put("f")["copies"] == 4

    view = tenant.admin.until(
        f"{one.path}/views/echo.keys", lambda found: len(found["items"]) == 4, seconds=60
    )
    assert {row["data"]["member"] for row in view["items"]} >= {"leader-1", "replica-1"}

    ended = one.ask("decommission", {"reason": "the test is over"})
    assert ended["residue"] == []
    assert one.read()["status"] == "deleted"
    assert [host.files for host in machines] == [{}] * HOSTS
    assert [host.starts(cluster.UNIT) for host in machines] == [0] * HOSTS


@pytest.mark.rule("BQ-2")
def test_a_service_account_drives_the_public_contract(
    here: Site, tenant: Tenant, held: list[str], echo: Shop, listening: Path
) -> None:
    program = Tenant(tenant.org, tenant.project, shop.make_program(here, tenant, DRIVING))

    one = deploy(program, echo, "automated", leader=held[:1])
    one.ask("restart")
    one.ask("decommission", {"reason": "the test is over"})

    assert one.read()["status"] == "deleted"
    with pytest.raises(Refused, match="403"):
        program.admin.get(f"/v1/projects/{tenant.project}/service-accounts")


@pytest.fixture
def fixture_app(
    request: pytest.FixtureRequest, here: Site, publisher: Tenant, tenant: Tenant, tmp_path: Path
) -> Iterator[Shop]:
    """A fixture app, published, and a controller that acts for it."""
    name = str(request.param)

    def cut(_: str, folder: Path) -> Path:
        folder.mkdir()
        source = FIXTURES / name / f"src/moorage_{name}/manifest.yaml"
        shutil.copy(source, folder / "manifest.yaml")
        return folder

    app = asyncio.run(shop.open_shop(here, publisher, cut, ["0.1.0"], place=tmp_path))
    shop.entitle(tenant, app)
    argv = (*CONTROLLER[:-1], f"moorage_{name}.controller:app")
    with shop.controller(here, app, argv, log=tmp_path / "log"):
        yield app


@pytest.mark.parametrize("fixture_app", ["peers"], indirect=True)
def test_equal_peers_learn_of_each_other(
    fixture_app: Shop, tenant: Tenant, machines: list[Host], held: list[str]
) -> None:
    one = deploy(tenant, fixture_app, "equals", peer=held[:2])
    one.ask("members", {"component": "peer", "allocations": held[2:3]})
    gone = one.members()["peer-1"]["id"]
    one.ask("members/remove", {"members": [gone], "reason": "not needed"})

    rosters = [host.files["/etc/peers/roster.json"] for host in machines if host.files]
    assert len(rosters) == 2
    assert [list(json.loads(each)) for each in rosters] == [["peer-2", "peer-3"]] * 2
    one.ask("decommission", {"reason": "the test is over"})
    assert [host.files for host in machines] == [{}] * HOSTS


@pytest.mark.parametrize("fixture_app", ["trio"], indirect=True)
def test_three_components_without_a_singleton_reach_each_other(
    fixture_app: Shop, tenant: Tenant, machines: list[Host], held: list[str]
) -> None:
    one = deploy(tenant, fixture_app, "three", back=held[:2], middle=held[2:4], front=held[4:])
    members = one.members()
    drained = {"members": [members["middle-1"]["id"]], "reason": "a look at it"}
    one.ask("members/drain", drained)

    (front,) = [host for host in machines if host.address == members["front-1"]["host_address"]]
    reached = json.loads(front.files["/etc/trio/front.json"])["reaches"]
    assert reached == [members["middle-2"]["host_address"]]
    one.ask("decommission", {"reason": "the test is over"})
    assert [host.files for host in machines] == [{}] * HOSTS


@pytest.mark.rule("VS-4")
def test_an_app_in_another_language_needs_nothing_but_the_contract(
    here: Site,
    publisher: Tenant,
    tenant: Tenant,
    machines: list[Host],
    held: list[str],
    tmp_path: Path,
) -> None:
    def cut(_: str, folder: Path) -> Path:
        return shutil.copytree(NODE_ECHO, folder)

    app = asyncio.run(shop.open_shop(here, publisher, cut, ["0.1.0"], place=tmp_path))
    shop.entitle(tenant, app)
    greeting = "/etc/node-echo/greeting"

    with shop.controller(
        here, app, [str(NODE), "controller.mjs"], cwd=NODE_ECHO, log=tmp_path / "log"
    ):
        one = deploy(tenant, app, "greetings", host=held[:2])
        one.ask("members", {"component": "host", "allocations": held[2:3]})
        one.ask("configure", {"config": {"greeting": "welcome"}})
        said = {host.files.get(greeting) for host in machines}
        assert said == {b"welcome\n", None}
        members = one.members()
        named = {"members": [members["host-1"]["id"]], "reason": "a look at it"}
        one.ask("members/drain", named)
        one.ask("members/resume", named)
        one.ask("members/remove", named)
        given = {"input": {"word": "aboard"}}
        asked = tenant.admin.post(f"{one.path}/actions/node_echo.say", given)
        assert one.done(asked)["result"] == {"said": "welcome aboard"}
        tenant.admin.until(
            f"{one.path}/views/node_echo.hosts", lambda view: len(view["items"]) == 2
        )
        one.ask("decommission", {"reason": "the test is over"})

    assert [host.files for host in machines] == [{}] * HOSTS
