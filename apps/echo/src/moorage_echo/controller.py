"""Echo's controller: platform in, platform out, one function for each kind of operation.

What the cluster should be is decided in `cluster`, what is done on a host stands in `host`.
"""

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import moorage
from moorage_echo import cluster, host
from moorage_echo.cluster import Place

app = moorage.App.from_manifest(Path(__file__).with_name("manifest.yaml"))

Json = dict[str, Any]
KEY = "cluster_key"
SETTLED = frozenset({"ready", "draining", "drained"})
"""States of members that have a server: one that is about to have one is another operation's."""


# --- the whole ----------------------------------------------------------------------------------


@app.instance.deploy.prepare
async def make_key(op: moorage.InstanceOperation) -> None:
    """Every server signs with it, so it is there before the first one."""
    await op.put_secret(KEY, generate=32)


@app.instance.deploy
@app.instance.repair
async def converge(op: moorage.InstanceOperation) -> None:
    """Make every server what the members and the configuration say. What is right stays alone."""
    await _ensure_all(op, "ensure")


@app.instance.start
async def start(op: moorage.InstanceOperation) -> None:
    await _ensure_all(op, "start", undo=host.turn_off)


@app.instance.configure
async def configure(op: moorage.InstanceOperation) -> None:
    await _ensure_all(op, "change", undo=host.put_back)


@app.instance.upgrade
@app.instance.rollback
async def change_version(op: moorage.InstanceOperation) -> None:
    """Another program on every host. Once it has begun, the way back is a version of its own."""
    await _ensure_all(op, "change", no_return=True)


@app.instance.stop
async def stop(op: moorage.InstanceOperation) -> None:
    """The leader first, so that nothing is written that a replica does not get."""
    for place in reversed(cluster.restart_order(_places(op.instance))):
        machine = op.machine(place.name)
        await op.step(f"{place.name}: stop", host.stop, machine, undo=host.start)


@app.instance.restart
async def restart(op: moorage.InstanceOperation) -> None:
    for place in cluster.restart_order(_places(op.instance)):
        await op.step(f"{place.name}: restart", host.restart, op.machine(place.name))
    await _conclude(op)


@app.rotate
async def rotate(op: moorage.InstanceOperation) -> None:
    """A new key for everybody. Servers with different keys do not hear each other meanwhile."""

    async def make_new_key() -> None:
        await op.put_secret(KEY, generate=32, rotate=True)

    await op.step("make a new key", make_new_key, no_return=True)
    await _ensure_all(op, "change")


@app.instance.decommission
async def say_goodbye(op: moorage.InstanceOperation) -> None:
    """The members took everything off their hosts; the instance has nothing besides."""
    op.message("Every member is gone.")


# --- one member ---------------------------------------------------------------------------------


@app.member("leader").add
async def add_leader(op: moorage.MemberOperation) -> None:
    """A first leader begins empty, another one with the newest copy that any server has."""
    place = _place(op.member)
    others = [other for other in _places(op.instance) if other.name != place.name]
    replicas = [other for other in others if other.role == cluster.REPLICA]
    await _add(op, place)
    if others:
        given = {
            "from": [other.address for other in others],
            "replicas": {other.name: other.address for other in replicas},
        }
        await op.step("take over", host.ask, op.node, "adopt", given)
    for replica in replicas:
        wanted = _wanted(op, replica, leader=place)
        await op.step(f"{replica.name}: follow", host.ensure, *wanted)


@app.member("replica").add
async def add_replica(op: moorage.MemberOperation) -> None:
    await _add(op, _place(op.member))
    await op.step("join", host.join, op.node, undo=host.leave)


@app.member("replica").drain
async def drain(op: moorage.MemberOperation) -> None:
    await _drain(op)


@app.member("replica").resume
async def resume(op: moorage.MemberOperation) -> None:
    await op.step("send writes again", host.resume, op.node, undo=host.drain)


@app.member("replica").remove
async def remove_replica(op: moorage.MemberOperation) -> None:
    if op.input.get("lost"):
        await _give_up(op)
        return
    if not op.input.get("drained") and op.input.get("policy") != "force":
        await _drain(op)
    await op.step("leave", host.leave, op.node, undo=host.join)
    await _clear(op)


@app.member("leader").remove
async def remove_leader(op: moorage.MemberOperation) -> None:
    """Another leader can only begin with what a replica has."""
    replicas = [each for each in _places(op.instance) if each.role == cluster.REPLICA]
    if op.input.get("replaced_by") and not replicas and not op.input.get("lost"):
        raise moorage.Fail(
            "last_copy",
            "The leader has the only copy of the keys. Add a replica, then resume this operation.",
        )
    if op.input.get("lost"):
        await _give_up(op)
    else:
        await _clear(op)


async def _give_up(op: moorage.MemberOperation) -> None:
    """Nothing is done on a host that is gone; the leader forgets who was there."""
    leader = cluster.leader_of(_places(op.instance))
    if leader is not None:
        machine = op.machine(leader.name)
        await op.step("strike off", host.strike_off, machine, [op.member.name])
    op.residue("everything of echo", op.member.name, "The host is gone, and nobody looked.")


async def _add(op: moorage.MemberOperation, place: Place) -> None:
    machine, wanted, key = _wanted(op, place)
    await op.step("put files", host.put_files, machine, wanted, key, undo=host.take_off)
    said = await op.step("start", host.bring_up, machine, wanted)
    op.report_member(
        health="healthy",
        runtime_version=said["version"],
        config_hash=cluster.config_hash(wanted["settings"]),
    )


async def _drain(op: moorage.MemberOperation) -> None:
    """Close the replica first, then look who still reads: nobody comes in between."""
    since = await op.step("send no more writes", host.drain, op.node, undo=host.resume)
    policy, seconds = op.input.get("policy", "wait"), op.input.get("deadline_seconds") or 0
    overdue = datetime.now(UTC) >= datetime.fromisoformat(since) + timedelta(seconds=seconds)
    cut = await op.step("wait for readers", host.wait_for_readers, op.node, policy, overdue)
    if cut:
        op.message(f"{', '.join(cut)} was cut off.")


async def _clear(op: moorage.MemberOperation) -> None:
    """Leave the host as it was, and look whether it is."""
    await op.step("take everything off", host.clear, op.node, no_return=True)
    port = op.instance.config["port"]
    for what in await op.step("look what is left", host.scan, op.node, port):
        op.residue(what, op.member.name, "It was still there after everything was taken off.")


# --- actions and looks --------------------------------------------------------------------------


@app.action("echo.put")
async def put(op: moorage.ActionOperation) -> Json:
    leader = _leader(op)
    return await op.step("put", host.ask, op.machine(leader.name), "put", op.input)


@app.watch(every=15)
async def look(instance: moorage.WatchedInstance) -> moorage.Observed:
    """Ask the leader about everybody, publish what it says, and judge."""
    leader = cluster.leader_of(_places(instance))
    status = None if leader is None else await _probe(instance, leader)
    if status is not None:
        await instance.publish("echo.keys", cluster.rows(status))
        await instance.report_usage(
            moorage.Usage(
                meter="echo.writes",
                key=record["key"],
                quantity=record["quantity"],
                from_at=record["from"],
                until_at=record["until"],
            )
            for record in cluster.usage(status, now=datetime.now(UTC))
        )
    elif instance.status == "running" and leader is not None:
        await instance.request_repair("The leader does not answer.")
    return _observed(instance, status)


async def _probe(instance: moorage.WatchedInstance, leader: Place) -> Json | None:
    """What the leader says of the cluster, or None where it says nothing."""
    try:
        done = await instance.probe("echo.cluster", leader.name)
    except moorage.Fail:
        return None
    return json.loads(done.stdout) if done.ok else None


# --- shared by the above ------------------------------------------------------------------------


Wanted = tuple[moorage.Machine, Json, moorage.Secret]


def _wanted(op: moorage.Operation, place: Place, *, leader: Place | None = None) -> Wanted:
    """A machine with what its server should be, and the key that it should have."""
    if place.role == cluster.LEADER:
        leader = place
    wanted = cluster.wanted(
        place,
        leader=leader or _leader(op),
        version=op.instance.app_version,
        config=op.instance.config,
        before=None if op.instance.previous is None else op.instance.previous.config,
    )
    return op.machine(place.name), wanted, op.secret(KEY)


async def _ensure_all(
    op: moorage.InstanceOperation,
    word: str,
    *,
    undo: Callable[[moorage.Machine, Json, moorage.Secret], Awaitable[None]] | None = None,
    no_return: bool = False,
) -> None:
    """A step for each server, replicas first, and a look at the whole."""
    for place in cluster.restart_order(_places(op.instance)):
        await op.step(
            f"{place.name}: {word}",
            host.ensure,
            *_wanted(op, place),
            undo=undo,
            no_return=no_return,
        )
    await _conclude(op)


async def _conclude(op: moorage.InstanceOperation) -> None:
    """Look at the cluster as a whole, and say how it is.

    Nobody joins while an operation has the instance to itself: whoever is no member then is struck
    off the leader's list.
    """
    leader = op.machine(_leader(op).name)
    alone = op.kind != "instance.repair"

    async def look_at_all() -> Json:
        status = await host.ask(leader, "cluster")
        if alone:
            names = {member.name for member in op.members}
            await host.strike_off(
                leader, [each for each in status["replicas"] if each not in names]
            )
        observed = _observed(op.instance, status)
        await op.observe(observed)
        return {"endpoints": observed.endpoints, "version": observed.runtime_version}

    said = await op.step("look at the cluster", look_at_all)
    op.report_instance(endpoints=said["endpoints"], runtime_version=said["version"])


def _observed(instance: moorage.Instance, status: Json | None) -> moorage.Observed:
    places = _places(instance)
    findings = cluster.judge(status, places)
    whole = cluster.overall(findings, places)
    leader = cluster.leader_of(places)
    ids = {member.name: member.id for member in instance.members}
    return moorage.Observed(
        health=whole.health,
        reasons=list(whole.reasons),
        runtime_version=whole.version,
        endpoints=None if leader is None else cluster.endpoints(leader, config=instance.config),
        members={
            ids[name]: moorage.MemberSeen(
                health=found.health, reasons=list(found.reasons), runtime_version=found.version
            )
            for name, found in findings.items()
        },
        fresh_for=60,
    )


def _leader(op: moorage.Operation) -> Place:
    leader = cluster.leader_of(_places(op.instance))
    if leader is None:
        raise moorage.Fail(
            "leader_missing",
            "The cluster has no leader. Replace it, then try again.",
            recovery="retryable",
        )
    return leader


def _places(instance: moorage.Instance) -> list[Place]:
    """Servers that should run."""
    return [
        _place(member)
        for member in instance.members
        if member.status in SETTLED and member.allocation_id is not None
    ]


def _place(member: moorage.Member) -> Place:
    if member.host_address is None:
        raise moorage.Fail("address_missing", f"The host of {member.name} has no address.")
    return Place(member.name, member.component, member.host_address)
