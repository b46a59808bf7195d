"""Hosts that join a cluster: what is found out about them, what is said of it, who is refused.

And what comes after every change: a job.
"""

import json
import time
from typing import Any

import pytest

from moorage import testing
from moorage_slurm import cluster, trying
from moorage_slurm.controller import app

LOOK = {
    "hostname": "h0",
    "system": "debian 13",
    "cgroups": True,
    "packages": {name: "24.11.5" for names in cluster.PACKAGES.values() for name in names},
    "free_mb": 9000,
    "resolves_in": 0.0,
    "misnamed": "",
    "filesystems": ["ext4"],
    "devices": [],
}
SAID: dict[str, dict[str, Any]] = {
    "look.people": {"missing": [], "clashes": {}},
    "keys.put": {"changed": True},
    "scheduler.version": {"version": "24.11.5"},
    "scheduler.reach": {"reached": True},
    "nodes.await": {"registered": True, "node": {"version": "24.11.5"}},
    "nodes.try": {"node": "worker-1"},
    "gres.know": {"reconfigured": True},
    "homes.stale": {"stale": False},
    "versions.active": {"jobs": []},
}
"""What the program on a host answers, where anybody reads it."""
EXPORT = {"mode": "mount", "what": "/srv/home", "type": "none", "options": ""}
GPUS = {"gpus": [{"model": "NVIDIA H200", "index": 0}, {"model": "NVIDIA H200", "index": 1}]}


def answer(host: testing.Host, command: testing.Command) -> testing.Output:
    """The program on a host, and whatever else runs there."""
    verb = command.argv[2] if len(command.argv) > 2 else ""
    said = {**SAID, "look.look": {**LOOK, "clock": time.time()}}
    return testing.Output(json.dumps({**said.get(verb, {}), **host.state.get(verb, {})}))


def host(name: str, *, inventory: dict[str, Any] | None = None, **look: Any) -> testing.Host:
    """A host of which these things are seen."""
    return testing.Host(
        name,
        f"10.0.0.{name[-1]}",
        commands=answer,
        inventory=inventory or {},
        services={"mariadb.service": testing.Service(), "home.mount": testing.Service()},
        state={"look.look": look},
    )


def config(**fields: Any) -> dict[str, Any]:
    assert app.manifest.config is not None
    schema: dict[str, Any] = app.manifest.config.json_schema
    return {name: each["default"] for name, each in schema["properties"].items()} | fields


def deployed(*hosts: testing.Host, members: dict[str, str], **fields: Any) -> testing.World:
    """What becomes of a deployment of these members on these hosts."""
    world = testing.World(
        hosts=[*hosts],
        members=[wanted(*each) for each in members.items()],
        config=config(**fields),
        status="requested",
        operations=[testing.deploy()],
    )
    return testing.run(app, world)


def wanted(name: str, at: str) -> testing.Member:
    return testing.Member(name, name.partition("-")[0], at, status="requested")


SINGLE = {"controller-1": "h0", "worker-1": "h0"}
SPLIT = {"controller-1": "h0", "worker-1": "h1"}


# How jobs are tracked


@pytest.mark.parametrize(
    ("wish", "cgroups", "chosen"),
    [
        ("auto", True, "cgroup"),
        ("auto", False, "linuxproc"),
        ("linuxproc", True, "linuxproc"),
        ("cgroup", True, "cgroup"),
    ],
)
def test_how_jobs_are_tracked_is_chosen_once_and_shown(
    wish: str, cgroups: bool, chosen: str
) -> None:
    world = deployed(host("h0", cgroups=cgroups), members=SINGLE, process_tracking=wish)

    assert world.status == "running"
    assert world.member("controller-1").adapter_detail["processes"] == chosen
    conf = world.host("h0").files["/etc/slurm/slurm.conf"].text
    assert f"ProctrackType=proctrack/{chosen}" in conf


def test_a_later_host_that_cannot_track_jobs_as_the_others_do_does_not_join() -> None:
    world = deployed(host("h0"), host("h1", cgroups=False), members=SPLIT)

    refused = world.operation("worker-1")
    assert (refused.status, refused.error) == ("blocked", "host_unfit")
    assert "tracked by control groups of version 2" in (refused.error_message or "")


def test_a_host_without_control_groups_is_refused_where_they_were_asked_for() -> None:
    world = deployed(host("h0", cgroups=False), members=SINGLE, process_tracking="cgroup")

    assert world.operation("controller-1").error == "host_unfit"


# GPUs


def test_a_host_whose_gpus_are_missing_does_not_join() -> None:
    poor = host("h1", inventory=GPUS, devices=["/dev/nvidia0"])

    refused = deployed(host("h0"), poor, members=SPLIT).operation("worker-1")

    assert (refused.status, refused.error) == ("blocked", "host_unfit")
    assert refused.error_message == (
        "The host of worker-1 is unfit: It should have 2 GPUs, and these are missing: /dev/nvidia1."
    )


def test_a_host_that_has_its_gpus_joins_with_them() -> None:
    rich = host("h1", inventory=GPUS, devices=["/dev/nvidia0", "/dev/nvidia1"])

    world = deployed(host("h0"), rich, members=SPLIT)

    assert world.member("worker-1").status == "ready"
    assert "Gres=gpu:h200:2" in (world.host("h1").services["slurmd.service"].content or "")


# Homes


@pytest.mark.parametrize(("word", "status"), [("opn_1.2", "ready"), ("another", "joining")])
def test_homes_that_are_not_the_same_keep_a_worker_from_joining(word: str, status: str) -> None:
    other = host("h1")
    other.state["setup.mark"] = {"word": word}

    world = deployed(host("h0"), other, members=SPLIT, home=EXPORT)

    joining = world.operation("worker-1")
    assert world.member("worker-1").status == status
    assert joining.error == (None if status == "ready" else "homes_differ")


def test_a_cluster_on_one_host_has_nothing_to_say_of_its_homes() -> None:
    world = deployed(host("h0"), members=SINGLE)

    assert world.member("worker-1").adapter_detail["warnings"] == []
    assert world.operation("instance.deploy").message is None


def test_homes_of_each_host_are_named_where_there_are_several() -> None:
    world = deployed(host("h0"), host("h1"), members=SPLIT)

    assert world.member("worker-1").adapter_detail["warnings"] == [cluster.LOCAL_HOMES]
    assert world.operation("instance.deploy").message == cluster.LOCAL_HOMES


def test_homes_of_each_host_are_named_when_a_single_host_is_split() -> None:
    world = deployed(host("h0"), host("h1"), members=SINGLE)
    world.members.append(wanted("worker-2", "h1"))
    world.operations.append(testing.add("worker-2"))

    after = testing.run(app, world)

    assert after.operation("worker-2").message == cluster.LOCAL_HOMES
    assert after.member("worker-2").adapter_detail["warnings"] == [cluster.LOCAL_HOMES]
    assert after.member("worker-1").adapter_detail["warnings"] == []


# After changes


def changes() -> dict[str, testing.Operation]:
    return {
        "reconfigure": testing.configure(config(max_nodes=64)),
        "restart": testing.restart(),
        "rotate": testing.rotate(),
        "another auth": testing.configure(config(auth="slurm")),
    }


@pytest.mark.parametrize("change", [*changes()])
def test_a_job_is_tried_after_a_change(change: str) -> None:
    world = deployed(host("h0"), host("h1"), members=SPLIT)
    world.operations.append(changes()[change])

    after = testing.run(app, world).operation()

    assert (after.status, after.message) == ("succeeded", None)
    assert after.steps[-1].name == "run a job"


def test_a_change_is_done_where_no_worker_has_room_for_a_job_and_says_so() -> None:
    world = deployed(host("h0"), host("h1"), members=SPLIT)
    world.host("h0").state["nodes.try"] = {"node": None}
    world.operations.append(testing.restart())

    after = testing.run(app, world).operation()

    assert (after.status, after.message) == ("succeeded", trying.BUSY)


def test_what_no_daemon_reads_asks_for_no_job() -> None:
    world = deployed(host("h0"), host("h1"), members=SPLIT)
    world.operations.append(testing.configure(config(limits={"jobs": 3, "submitted": 5})))

    after = testing.run(app, world).operation()

    assert [step.name for step in after.steps] == ["change the books"]
