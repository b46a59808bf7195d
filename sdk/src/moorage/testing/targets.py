"""What operations mean for members and the instance of a test's world. Pure but for the world."""

from collections.abc import Iterator

from moorage.controller.reports import Report
from moorage.testing.worlds import Operation, World
from moorage_manifest import Manifest

MEMBERS: dict[str, dict[str, str]] = {
    "member.add": {"running": "joining", "succeeded": "ready", "cancelled": "removed"},
    "member.drain": {"running": "draining", "succeeded": "drained"},
    "member.resume": {"succeeded": "ready"},
    "member.remove": {"running": "removing", "succeeded": "removed"},
}
"""What a member becomes. Where nothing stands for a cancel, it is what it was before."""
INSTANCES: dict[str, tuple[str, str]] = {
    "instance.deploy": ("deploying", "running"),
    "instance.configure": ("configuring", "running"),
    "instance.upgrade": ("upgrading", "running"),
    "instance.rollback": ("rolling_back", "running"),
    "instance.stop": ("stopping", "stopped"),
    "instance.start": ("starting", "running"),
    "instance.restart": ("restarting", "running"),
    "instance.decommission": ("deleting", "deleted"),
    "credential.rotate": ("rotating", "running"),
}


def moved(world: World, manifest: Manifest, operation: Operation) -> None:
    """Carry a move of an operation over to its target."""
    if operation.kind in MEMBERS and operation.member is not None:
        _member(world, operation)
    elif operation.kind in INSTANCES:
        _instance(world, manifest, operation)


def _member(world: World, operation: Operation) -> None:
    member = world.member(operation.member or "")
    if operation.before is None:
        operation.before = member.status
    if operation.status == "failed":
        member.status = "failed"
    elif operation.status == "cancelled":
        back = operation.before if operation.fence else member.status
        member.status = MEMBERS[operation.kind].get("cancelled", back)
    else:
        member.status = MEMBERS[operation.kind].get(operation.status, member.status)
    if member.status == "removed":
        member.host = None


def _instance(world: World, manifest: Manifest, operation: Operation) -> None:
    during, after = INSTANCES[operation.kind]
    if operation.before is None:
        operation.before = world.status
    if operation.status == "running":
        world.status = during
    elif operation.status == "failed":
        world.status = "delete_failed" if during == "deleting" else "failed"
    elif operation.status == "cancelled":
        world.status = operation.before
    elif operation.status == "succeeded":
        world.status = after
        _apply(world, manifest, operation)


def _apply(world: World, manifest: Manifest, operation: Operation) -> None:
    now = (world.version or manifest.version, world.config)
    if operation.kind == "instance.upgrade":
        world.previous, world.version = now, manifest.version
    elif operation.kind == "instance.configure":
        world.previous, world.config = now, operation.input["config"]
    elif operation.kind == "instance.rollback" and world.previous is not None:
        (world.version, world.config), world.previous = world.previous, now
    else:
        return
    world.revision += 1


def children(world: World, manifest: Manifest, parent: Operation) -> Iterator[Operation]:
    """The operations below a parent. Components come up in the manifest's order, and go in turn."""
    order = list(manifest.components)
    live = [member for member in world.members if member.status != "removed"]
    if parent.kind == "member.replace":
        yield from _replacement(parent, *parent.members)
    elif parent.kind == "instance.deploy":
        for member in sorted(live, key=lambda member: order.index(member.component)):
            if member.status == "requested":
                wave = order.index(member.component)
                yield Operation("member.add", member=member.name, wave=wave)
    elif parent.kind == "instance.decommission":
        for member in sorted(live, key=lambda member: -order.index(member.component)):
            wave = len(order) - order.index(member.component)
            yield Operation("member.remove", member=member.name, wave=wave)
    else:
        for name in parent.members:
            yield Operation(
                parent.kind,
                member=name,
                input=dict(parent.input),
                reason=parent.reason,
                patient=parent.patient,
            )


def _replacement(parent: Operation, new: str, old: str) -> Iterator[Operation]:
    """The new one comes first, unless there is no room for both."""
    late = parent.input["order"] == "old_first"
    yield Operation("member.add", member=new, wave=int(late))
    yield Operation("member.remove", member=old, input=dict(parent.input), wave=int(not late))


def reported(world: World, operation: Operation, said: Report) -> None:
    """Keep what was said about the member and the instance."""
    if said.member is not None and operation.member is not None:
        member = world.member(operation.member)
        for name, value in said.member.model_dump(exclude_none=True).items():
            setattr(member, name, value)
    if said.instance is not None:
        for name, value in said.instance.model_dump(exclude_none=True).items():
            setattr(world, name, value)
