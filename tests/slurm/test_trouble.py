"""What goes wrong while something is under way, and the way out of each."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.e2e.callers import Caller, wait_until
from tests.e2e.shop import Shop
from tests.e2e.world import Member, Tenant
from tests.slurm import clusters
from tests.slurm.clusters import Cluster, Held, People
from tests.slurm.replicas import Replica

pytestmark = pytest.mark.lab

Json = dict[str, Any]
BLOCK = "rm -rf /run/mysqld; touch /run/mysqld"
UNBLOCK = "rm -f /run/mysqld; systemd-tmpfiles --create"
"""MariaDB cannot start where a file is in the place of its folder."""
REASON = {"reason": "a test gets into trouble"}
PLACES = (("start the worker", "start no more jobs", "take everything off"),)
"""Where the controller is killed: in an add, a drain and a remove. `SWEEP=all` tries every step."""
BEGINNING, END = "install packages", "take everything off"
"""The same in a deployment, and in a decommission."""
IS_WHOLE = os.environ.get("SWEEP") == "all"


@pytest.fixture(scope="module")
def held(
    admin: Caller, acme: Tenant, stocked: list[Member], nodes: list[Member]
) -> Iterator[list[Held]]:
    """The first one has packages."""
    with clusters.holding(admin, acme, [stocked[0], *nodes[:2]]) as found:
        yield found


def child(cluster: Cluster, asked: Json, kind: str) -> Json:
    """The first operation of a kind below another one."""
    listed = cluster.admin.get(f"/v1/operations/{asked['id']}/children")["items"]
    return next(each for each in listed if each["kind"] == kind)


def until_error(cluster: Cluster, asked: Json) -> Json:
    """What keeps a member from joining, once something does."""

    def errors() -> list[Json]:
        listed = cluster.admin.get(f"/v1/operations/{asked['id']}/children")["items"]
        return [each["error"] for each in listed if each["error"]]

    wait_until(errors, seconds=clusters.LONG)
    return errors()[0]


def steps_of(cluster: Cluster, asked: Json) -> list[str]:
    """The steps that an operation and those below it have begun."""
    listed = cluster.admin.get(f"/v1/operations/{asked['id']}/children?limit=100")["items"]
    paths = [f"/v1/operations/{each['id']}/steps?limit=100" for each in [*listed, asked]]
    return [one["name"] for path in paths for one in cluster.admin.get(path)["items"]]


def kill(cluster: Cluster, controller: Replica, asked: Json, step: str) -> None:
    """Kill the controller at a step of an operation, and start it again."""
    wait_until(lambda: step in steps_of(cluster, asked), seconds=clusters.LONG)
    controller.kill()
    controller.start()


def killed(cluster: Cluster, controller: Replica, asked: Json, step: str | None) -> list[str]:
    """Let an operation end whose controller is killed at a step; the steps that it took."""
    if step is not None:
        kill(cluster, controller, asked, step)
    cluster.wait(asked)
    return steps_of(cluster, asked)


@pytest.fixture(scope="module")
def half_way(
    acme: Tenant, slurm: Shop, people: People, controller: Replica, held: list[Held]
) -> Iterator[tuple[Cluster, Json, Json]]:
    """A deployment whose database cannot start, and whose controller is killed besides; what it
    said of that, and its operation."""
    held[0][0].host.run(BLOCK)
    machines = {"controller": held[:1], "worker": held[1:2]}
    found, asked = clusters.request(acme, slurm, "trouble", machines)
    kill(found, controller, asked, BEGINNING)
    error = until_error(found, asked)
    held[0][0].host.run(UNBLOCK)
    yield found, asked, error
    asked = found.admin.post(f"{found.path}/decommission", {"reason": "the test is over"})
    kill(found, controller, asked, END)
    assert found.wait(asked)["residue"] == []


@pytest.fixture(scope="module")
def cluster(half_way: tuple[Cluster, Json, Json]) -> Cluster:
    """The same, once it runs."""
    found, asked, _ = half_way
    path = f"/v1/operations/{asked['id']}"
    ended = found.admin.until(path, lambda each: each["ended_at"], seconds=clusters.LONG)
    if ended["status"] == "failed":
        asked = found.admin.post(f"{path}/retry", {"reason": "MariaDB can start now"})
        ended = found.wait(asked)
    assert ended["status"] == "succeeded", ended
    return found


def test_a_deployment_that_failed_half_way_is_given_up_and_leaves_nothing(
    acme: Tenant, slurm: Shop, people: People, held: list[Held]
) -> None:
    host = held[2][0].host
    host.run(BLOCK)
    found, asked = clusters.request(acme, slurm, "given-up", {"controller": held[2:3]})
    error = until_error(found, asked)

    given = {"reason": "it goes elsewhere", "preempt": True}
    path = f"/v1/operations/{found.admin.post(f'{found.path}/decommission', given)['id']}"
    ended = found.admin.until(path, lambda each: each["ended_at"], seconds=clusters.LONG)
    host.run(UNBLOCK)

    assert "mariadb" in error["message"]
    assert (ended["status"], ended["residue"]) == ("succeeded", [])
    assert host.run(["dpkg-query", "-W", "slurmctld"], check=False).code != 0


def test_a_deployment_goes_on_once_its_database_can_start(
    half_way: tuple[Cluster, Json, Json], cluster: Cluster, people: People
) -> None:
    error = half_way[2]

    assert "mariadb" in error["message"]
    assert cluster.read()["status"] == "running"
    assert cluster.run("srun", "id", "-un", user=people.ada.login).split() == [people.ada.login]


# The controller's process is killed


def state(cluster: Cluster) -> dict[str, list[str]]:
    """What is left of an add, a drain and a remove."""
    there = {name: each["status"] for name, each in cluster.members().items()}
    return {
        "members": sorted(f"{name} {status}" for name, status in there.items()),
        "nodes": cluster.run("sinfo", "-h", "-N", "-o", "%N %T").split(),
    }


def live(
    cluster: Cluster,
    controller: Replica,
    machine: Held,
    places: Sequence[str | None],
) -> list[list[str]]:
    """Add a worker, drain it, remove it."""
    wish = {"component": "worker", "allocations": [machine[1]]}
    added = killed(
        cluster, controller, cluster.admin.post(f"{cluster.path}/members", wish), places[0]
    )
    (new,) = [each for each in cluster.members().values() if each["allocation_id"] == machine[1]]
    named = {"members": [new["id"]], **REASON}
    took = [added]
    for verb, place in zip(("drain", "remove"), places[1:], strict=True):
        asked = cluster.admin.post(f"{cluster.path}/members/{verb}", named)
        took.append(killed(cluster, controller, asked, place))
    return took


def every(took: Sequence[Sequence[str]]) -> list[list[str]]:
    """Every step of each of some operations at least once, all of them side by side."""
    count = max(map(len, took))
    return [[steps[number % len(steps)] for steps in took] for number in range(count)]


def test_a_controller_that_is_killed_leaves_what_an_undisturbed_one_does(
    cluster: Cluster, controller: Replica, held: list[Held]
) -> None:
    before = state(cluster)
    sweep: Sequence[Sequence[str]] = PLACES
    if IS_WHOLE:
        sweep = every(live(cluster, controller, held[2], (None, None, None)))
    for places in sweep:
        live(cluster, controller, held[2], places)

        assert state(cluster) == before, places
        assert held[2][0].host.run(["pgrep", "-x", "slurmd"], check=False).code != 0


def live_and_end(
    app: tuple[Tenant, Shop], controller: Replica, machine: Held, places: Sequence[str | None]
) -> list[list[str]]:
    """Deploy a cluster of one host, and end it; nothing of it is left."""
    machines = {"controller": [machine], "worker": [machine]}
    found, asked = clusters.request(*app, "swept", machines)
    deployed = killed(found, controller, asked, places[0])
    asked = found.admin.post(f"{found.path}/decommission", REASON)
    ended = killed(found, controller, asked, places[1])

    assert found.admin.get(f"/v1/operations/{asked['id']}")["residue"] == [], places
    assert machine[0].host.run(["dpkg-query", "-W", "slurmctld"], check=False).code != 0
    return [deployed, ended]


@pytest.mark.skipif(not IS_WHOLE, reason="takes eight minutes: `make test-faults` runs it")
def test_a_controller_may_be_killed_anywhere_in_the_life_of_a_cluster(
    acme: Tenant, slurm: Shop, people: People, controller: Replica, held: list[Held]
) -> None:
    for places in every(live_and_end((acme, slurm), controller, held[2], (None, None))):
        live_and_end((acme, slurm), controller, held[2], places)


# A host that is gone


def test_a_host_that_vanishes_in_a_drain_is_given_up(
    cluster: Cluster, people: People, held: list[Held]
) -> None:
    host, member = held[1][0].host, cluster.members()["worker-1"]
    sleep = ("--parsable", "--chdir=/tmp", "--nodelist=worker-1", "--wrap=sleep 600")
    job = cluster.run("sbatch", *sleep, user=people.ada.login).strip()
    wait_until(lambda: "RUNNING" in cluster.run("squeue", "-h", "-o", "%T", f"--jobs={job}"))
    named = {"members": [member["id"]], **REASON}
    drain = cluster.admin.post(f"{cluster.path}/members/drain", named)
    wait_until(lambda: child(cluster, drain, "member.drain")["status"] == "waiting")

    host.crash()
    cluster.admin.post(f"/v1/operations/{drain['id']}/cancel", REASON)
    path = f"/v1/operations/{drain['id']}"
    cluster.admin.until(path, lambda each: each["ended_at"], seconds=clusters.LONG)
    lost = cluster.admin.post(f"{cluster.path}/members/remove", {**named, "lost": True})
    cluster.wait(lost)

    assert cluster.run("sinfo", "-h", "-N", "-o", "%N").split() == []
    assert "PENDING" in cluster.run("squeue", "-h", "-o", "%T", f"--jobs={job}")
    host.power_on()
