"""Every kind of operation on a whole cluster: a world in, a world out."""

import copy
import dataclasses
import json
from typing import Any, Self

import pytest

from moorage import testing
from moorage.controller.briefs import Children
from moorage.manifest import OPERATION_KINDS, Manifest, read
from moorage_echo import cluster, echod, release
from moorage_echo.controller import app
from moorage_echo.simulated import Network, Seat

CONFIG = {"port": 7411, "max_keys": 100, "note": ""}
OLD = "0.0.9"


class Programs:
    """The programs of a world's hosts, `echod.py` among them."""

    def __init__(self, hosts: list[testing.Host]) -> None:
        self.hosts = hosts
        self._network: Network | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Hosts of another world have servers of their own, which go on as they were."""
        copied = memo[id(self)] = type(self)([])
        copied.hosts = copy.deepcopy(self.hosts, memo)
        return copied

    def __call__(self, host: testing.Host, command: testing.Command) -> testing.Output | None:
        if self._network is None:
            seats = [seat(each) for each in self.hosts]
            self._network = Network(seats, versions=(OLD, echod.VERSION))
        program, *words = command.argv
        if program == "systemctl" or (program == "rm" and cluster.UNIT_FILE in words):
            return forget_unit(host, program, words)
        if program == "ls":
            there = [word for word in words if any(path.startswith(word) for path in host.files)]
            return testing.Output("".join(f"{word}\n" for word in there), exit_code=2)
        ended = self._network.command(host.address, command.argv, command.stdin)
        return None if ended is None else testing.Output(ended[1], exit_code=ended[0])


def forget_unit(host: testing.Host, program: str, words: list[str]) -> testing.Output | None:
    unit = host.services.get(cluster.UNIT)
    if program == "rm":
        assert unit is None or not unit.active, "a unit goes after its service"
        host.services.pop(cluster.UNIT, None)
        return None
    if unit is not None and words[0] == "disable":
        unit.active = unit.enabled = False
    return testing.Output()


def seat(host: testing.Host) -> Seat:
    def read(path: str) -> bytes | None:
        found = host.files.get(path)
        return None if found is None else found.content

    def write(path: str, content: bytes) -> None:
        host.files[path] = testing.File(content)

    def starts() -> int:
        unit = host.services.get(cluster.UNIT)
        return unit.starts if unit is not None and unit.active else 0

    return Seat(host.address, read, write, starts, host.state.setdefault("echod", {}))


def new_world(replicas: int = 2, spare: int = 1) -> testing.World:
    """Hosts with nothing on them, and members that are asked for on all but the spare ones."""
    count = replicas + spare + 1
    hosts = [testing.Host(f"h{number}", f"10.0.0.{number}") for number in range(count)]
    programs = Programs(hosts)
    for host in hosts:
        host.commands = programs
    names = ["leader-1", *(f"replica-{number}" for number in range(1, replicas + 1))]
    return testing.World(
        hosts=hosts,
        members=[wanted(name, host.name) for name, host in zip(names, hosts, strict=False)],
        config=CONFIG,
        status="requested",
        operations=[testing.deploy()],
        releases={OLD: older()},
    )


def wanted(name: str, host: str) -> testing.Member:
    return testing.Member(name, name.partition("-")[0], host, status="requested")


def older() -> Manifest:
    """The manifest of a version before this one."""
    program = release.stamp(release.HERE.joinpath("echod.py").read_text(), OLD)
    text = release.declare(release.HERE.joinpath("manifest.yaml").read_text(), OLD, program)
    found = read(text).manifest
    assert found is not None
    return found


def ask(world: testing.World, *operations: testing.Operation, **more: Any) -> testing.World:
    """What becomes of a world in which this is asked for."""
    return testing.run(app, asked(world, *operations), **more)


def asked(world: testing.World, *operations: testing.Operation) -> testing.World:
    return dataclasses.replace(world, operations=[*world.operations, *operations])


def say(world: testing.World, member: str, verb: str, **given: Any) -> dict[str, Any]:
    """What a server answers whoever is at its host."""
    host = world.host_of(member)
    assert host.commands is not None
    argv = ("/usr/bin/python3", cluster.PROGRAM, verb)
    said = host.commands(host, testing.Command(argv, json.dumps(given)))
    assert isinstance(said, testing.Output)
    return json.loads(said.stdout)


def put(key: str, value: str = "1") -> testing.Operation:
    return testing.act("echo.put", {"key": key, "value": value})


def replacement(child: testing.Operation) -> list[testing.Operation]:
    """What stands below a replacement can also be asked of a leader."""
    child.parent = f"opn_for_{child.member}"
    parent = testing.Operation(
        "member.replace", id=child.parent, status="waiting", phase="children"
    )
    parent.children = Children()
    return [parent, child]


def last(world: testing.World) -> testing.Operation:
    """The last thing that somebody asked for."""
    return [operation for operation in world.operations if operation.parent is None][-1]


def left_on(host: testing.Host) -> list[str]:
    return [*host.files, *host.services]


@pytest.fixture
def running() -> testing.World:
    """A leader with a key, and two replicas."""
    return testing.run(app, asked(new_world(), put("a")))


def test_the_controller_does_whatever_the_manifest_promises() -> None:
    assert app.missing() == []


def test_a_deployment_is_a_cluster_that_takes_writes() -> None:
    after = testing.run(app, asked(new_world(), put("a")))

    assert after.status == "running"
    assert {member.status for member in after.members} == {"ready"}
    assert after.endpoints == {"leader_address": "10.0.0.0", "port": 7411}
    assert after.observed is not None
    assert after.observed.health == "healthy"
    assert after.member("replica-1").runtime_version == echod.VERSION
    assert last(after).result == {"key": "a", "revision": 1, "copies": 3}


def test_a_replica_that_is_added_later_has_everything(running: testing.World) -> None:
    running.members.append(wanted("replica-3", "h3"))

    after = ask(running, testing.add("replica-3"))

    assert last(after).status == "succeeded"
    assert say(after, "replica-3", "get", key="a")["value"] == "1"


def test_a_drained_replica_takes_no_writes_until_it_resumes(running: testing.World) -> None:
    drained = ask(ask(running, testing.drain("replica-1")), put("b"))

    assert drained.member("replica-1").status == "drained"
    assert last(drained).result == {"key": "b", "revision": 2, "copies": 2}

    resumed = ask(drained, testing.resume("replica-1"))

    assert resumed.member("replica-1").status == "ready"
    assert say(resumed, "replica-1", "get", key="b")["value"] == "1"


@pytest.mark.rule("MB-3")
def test_a_drain_waits_for_readers(running: testing.World) -> None:
    say(running, "replica-1", "hold", name="report")

    waiting = ask(running, testing.drain("replica-1"), seconds=10)

    operation = waiting.operation("replica-1")
    assert (operation.status, operation.message) == (
        "waiting",
        "waiting for report to finish reading",
    )
    say(waiting, "replica-1", "release", name="report")
    assert testing.run(app, waiting, seconds=10).member("replica-1").status == "drained"


@pytest.mark.parametrize(
    "given", [{"policy": "force"}, {"policy": "deadline", "deadline_seconds": 0}]
)
@pytest.mark.rule("MB-3")
def test_readers_are_cut_off_where_that_is_asked_for(
    running: testing.World, given: dict[str, Any]
) -> None:
    say(running, "replica-1", "hold", name="report")
    operation = testing.Operation("member.drain", members=["replica-1"], input=given)

    after = ask(running, operation)

    assert after.member("replica-1").status == "drained"
    assert after.operation("replica-1").message == "report was cut off."


@pytest.mark.rule("MB-4")
def test_a_removal_waits_for_readers_too(running: testing.World) -> None:
    say(running, "replica-1", "hold", name="report")

    after = ask(running, testing.remove("replica-1"))

    assert after.operation("replica-1").status == "waiting"
    assert after.host("h1").running(cluster.UNIT)


@pytest.mark.rule("MB-4")
def test_a_removed_replica_leaves_nothing_behind(running: testing.World) -> None:
    after = ask(running, testing.remove("replica-1"))

    assert after.member("replica-1").status == "removed"
    assert left_on(after.host("h1")) == []
    assert after.operation("replica-1").residue == []
    assert list(say(after, "leader-1", "status")["replicas"]) == ["replica-2"]


def test_a_replica_can_be_removed_while_the_leader_is_away(running: testing.World) -> None:
    running.host("h0").services[cluster.UNIT].active = False
    removal = testing.Operation("member.remove", members=["replica-1"], input={"policy": "force"})

    after = ask(running, removal)

    assert after.member("replica-1").status == "removed"


def test_what_stays_behind_is_named(running: testing.World) -> None:
    running.host("h1").state["listening"] = ["tcp 0.0.0.0:7411"]

    after = ask(running, testing.remove("replica-1"))

    assert [each.what for each in after.operation("replica-1").residue] == ["tcp 0.0.0.0:7411"]


def test_some_settings_are_taken_over_without_a_restart(running: testing.World) -> None:
    after = ask(running, testing.configure(CONFIG | {"max_keys": 1}), put("b"))

    assert [host.services[cluster.UNIT].starts for host in after.hosts[:3]] == [1, 1, 1]
    assert (last(after).status, last(after).error) == ("blocked", "full")


def test_another_port_restarts_every_server(running: testing.World) -> None:
    after = ask(running, testing.configure(CONFIG | {"port": 7412}), put("b"))

    assert [host.services[cluster.UNIT].starts for host in after.hosts[:3]] == [2, 2, 2]
    assert after.endpoints["port"] == 7412
    assert last(after).result == {"key": "b", "revision": 2, "copies": 3}


def test_a_cancelled_change_of_settings_is_taken_back(running: testing.World) -> None:
    world = asked(running, testing.configure(CONFIG | {"port": 7412}))

    after = testing.run(app, world.cancel_in("replica-2: change"))

    assert last(after).status == "cancelled"
    assert after.config == CONFIG
    assert ask(after, put("b")).operation("echo.put").result == {
        "key": "b",
        "revision": 2,
        "copies": 3,
    }


@pytest.mark.rule("VS-2", "ON-6")
def test_an_upgrade_and_the_way_back_keep_every_key() -> None:
    old = testing.run(app, dataclasses.replace(asked(new_world(), put("a")), version=OLD))
    assert say(old, "leader-1", "status")["version"] == OLD

    new = ask(old, testing.upgrade())
    back = ask(new, testing.rollback())

    versions = [say(new, name, "status")["version"] for name in ("leader-1", "replica-1")]
    assert versions == [echod.VERSION, echod.VERSION]
    assert new.runtime_version == echod.VERSION
    assert say(back, "replica-2", "status")["version"] == OLD
    assert say(back, "replica-2", "get", key="a")["value"] == "1"


def test_what_was_stopped_starts_with_everything(running: testing.World) -> None:
    stopped = ask(running, testing.stop())
    started = ask(stopped, testing.start(), put("b"))

    assert not any(host.running(cluster.UNIT) for host in stopped.hosts)
    assert last(started).result == {"key": "b", "revision": 2, "copies": 3}


def test_a_cancelled_start_stops_again_what_it_has_started(running: testing.World) -> None:
    world = asked(ask(running, testing.stop()), testing.start())

    after = testing.run(app, world.cancel_in("leader-1: start"))

    assert last(after).status == "cancelled"
    assert not any(host.running(cluster.UNIT) for host in after.hosts)


def test_a_restart_starts_every_server_once(running: testing.World) -> None:
    after = ask(running, testing.restart())

    assert [host.services[cluster.UNIT].starts for host in after.hosts[:3]] == [2, 2, 2]
    assert after.observed is not None
    assert after.observed.health == "healthy"


def test_a_new_key_reaches_every_server(running: testing.World) -> None:
    after = ask(running, testing.rotate(), put("b"))

    keys = {host.files[cluster.KEY].content for host in after.hosts[:3]}
    assert keys == {b"cluster_key:2"}
    assert last(after).result == {"key": "b", "revision": 2, "copies": 3}


def test_a_repair_mends_what_somebody_broke(running: testing.World) -> None:
    running.host("h0").services[cluster.UNIT].active = False
    del running.host("h1").files[cluster.SETTINGS]
    say(running, "replica-2", "leave")

    after = ask(running, testing.repair(), put("b"))

    assert last(after).result == {"key": "b", "revision": 2, "copies": 3}


def test_a_repair_leaves_alone_what_is_right(running: testing.World) -> None:
    after = ask(running, testing.repair())

    assert [host.services[cluster.UNIT].starts for host in after.hosts[:3]] == [1, 1, 1]


def test_another_leader_begins_with_what_the_replicas_have(running: testing.World) -> None:
    gone = ask(running, *replacement(testing.Operation("member.remove", member="leader-1")))
    gone.members.append(wanted("leader-2", "h3"))

    after = ask(gone, *replacement(testing.Operation("member.add", member="leader-2")))

    assert after.member("leader-2").status == "ready"
    after = ask(after, put("b"))
    assert last(after).result == {"key": "b", "revision": 2, "copies": 3}


def test_the_last_copy_is_not_thrown_away() -> None:
    alone = testing.run(app, new_world(replicas=0))
    removal = testing.Operation(
        "member.remove", member="leader-1", input={"replaced_by": "mem_leader-2"}
    )

    after = ask(alone, *replacement(removal))

    operation = after.operation("leader-1")
    assert (operation.status, operation.error) == ("blocked", "last_copy")
    assert after.host("h0").running(cluster.UNIT)


def test_of_a_lost_host_nothing_is_asked_and_everything_is_residue(running: testing.World) -> None:
    running.host("h1").reachable = False
    removal = testing.Operation("member.remove", member="replica-1", input={"lost": True})

    after = ask(running, *replacement(removal))

    assert after.member("replica-1").status == "removed"
    assert [each.where for each in after.operation("replica-1").residue] == ["replica-1"]
    assert list(say(after, "leader-1", "status")["replicas"]) == ["replica-2"]


@pytest.mark.rule("ON-6")
def test_after_a_decommission_no_host_has_anything_of_it(running: testing.World) -> None:
    after = ask(running, testing.decommission())

    assert after.status == "deleted"
    assert [left_on(host) for host in after.hosts] == [[], [], [], []]
    assert [operation.residue for operation in after.operations if operation.residue] == []


def test_a_look_publishes_keys_writes_and_health(running: testing.World) -> None:
    after = testing.look(app, running)

    assert after.observed is not None
    assert after.observed.health == "healthy"
    assert {row["keys"] for row in after.views["echo.keys"].values()} == {1}
    assert sorted(after.views["echo.keys"]) == ["leader-1", "replica-1", "replica-2"]


def test_a_look_at_a_dead_leader_asks_for_a_repair(running: testing.World) -> None:
    running.host("h0").services[cluster.UNIT].active = False

    after = testing.look(app, running)

    assert after.observed is not None
    assert after.observed.health == "unhealthy"
    assert after.repairs == ["The leader does not answer."]


KINDS: dict[str, testing.Operation] = {
    "instance.deploy": testing.deploy(),
    "instance.configure": testing.configure(CONFIG | {"port": 7412}),
    "instance.upgrade": testing.upgrade(),
    "instance.rollback": testing.rollback(),
    "instance.stop": testing.stop(),
    "instance.start": testing.start(),
    "instance.restart": testing.restart(),
    "instance.repair": testing.repair(),
    "instance.decommission": testing.decommission(),
    "member.add": testing.add("replica-3"),
    "member.drain": testing.drain("replica-1"),
    "member.resume": testing.resume("replica-1"),
    "member.remove": testing.remove("replica-1"),
    "action": put("b"),
    "credential.rotate": testing.rotate(),
}
BEFORE: dict[str, testing.Operation] = {
    "instance.start": testing.stop(),
    "instance.rollback": testing.upgrade(),
    "member.resume": testing.drain("replica-1"),
}


def ready_for(kind: str) -> testing.World:
    """A world in which the kind can be asked for, and is."""
    if kind == "instance.deploy":
        return new_world(replicas=1)
    old = kind in ("instance.upgrade", "instance.rollback")
    first = dataclasses.replace(new_world(), version=OLD if old else None)
    world = testing.run(app, asked(first, put("a")))
    if kind in BEFORE:
        world = ask(world, copy.deepcopy(BEFORE[kind]))
    if kind == "member.add":
        world.members.append(wanted("replica-3", "h3"))
    return asked(world, copy.deepcopy(KINDS[kind]))


def test_every_kind_is_tried() -> None:
    """A replacement is an addition and a removal."""
    assert set(OPERATION_KINDS) - set(KINDS) == {"member.replace"}


def shape(world: testing.World) -> Any:
    """What must be the same however often somebody died on the way."""
    keys = {host.files[cluster.KEY].content for host in world.hosts if cluster.KEY in host.files}
    assert len(keys) <= 1, "servers with different keys"
    files = [
        {path: file.content for path, file in host.files.items() if path != cluster.KEY}
        | {"up": host.running(cluster.UNIT)}
        for host in world.hosts
    ]
    return world.status, [(each.name, each.status) for each in world.members], files


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.rule("OP-5")
def test_whoever_dies_in_the_middle_the_end_is_the_same(kind: str) -> None:
    world = ready_for(kind)
    undisturbed = testing.run(app, world, seconds=60)

    ends = [shape(after) for after in testing.every_crash(app, world, seconds=60)]

    assert last(undisturbed).status == "succeeded"
    assert len(ends) > 3
    assert all(end == shape(undisturbed) for end in ends)


@pytest.mark.parametrize("kind", KINDS)
def test_whenever_somebody_cancels_the_operation_comes_to_an_end(kind: str) -> None:
    world = ready_for(kind)

    ends = [last(after) for after in testing.every_cancel(app, world, seconds=1000)]

    # A deployment whose leader somebody cancelled alone comes to nothing.
    assert {end.error for end in ends if end.status == "failed"} <= {"leader_missing"}
    assert {end.status for end in ends} <= {"succeeded", "cancelled", "failed"}
    assert [each for end in ends for each in end.residue] == []
