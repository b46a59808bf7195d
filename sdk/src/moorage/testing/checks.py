"""Which worlds the platform could produce. Pure."""

from collections import Counter
from collections.abc import Iterator

from moorage.testing.worlds import MEMBER_STATES, ImpossibleWorld, Operation, World
from moorage_manifest import Manifest, config_faults

INSTANCE_KINDS = frozenset({"deploy", "start", "decommission"})
"""What can be asked of an instance that does not run."""


def check(world: World, manifest: Manifest) -> None:
    """Raises `ImpossibleWorld` with everything that is wrong."""
    wrong = [*_members(world, manifest), *_hosts(world, manifest), *_operations(world, manifest)]
    if manifest.config is not None:
        found = config_faults(manifest.config.json_schema, world.config)
        wrong += [f"the config is not what the manifest takes: {fault}" for fault in found]
    if wrong:
        raise ImpossibleWorld("; ".join(wrong))


def _members(world: World, manifest: Manifest) -> Iterator[str]:
    replaced = [o for o in world.operations if o.kind == "member.replace" and not o.ended]
    coming = {name for operation in replaced for name in operation.members[:1]}
    counts = Counter(
        m.component for m in world.members if m.status != "removed" and m.name not in coming
    )
    for name, times in Counter(member.name for member in world.members).items():
        if times > 1:
            yield f"{times} members are called {name}"
    for member in world.members:
        if member.component not in manifest.components:
            yield f"{member.name} is of a component {member.component} that the manifest lacks"
        if member.status not in (*MEMBER_STATES, "removed"):
            yield f"{member.name} is {member.status}, which no member can be"
        if member.status not in {"requested", "removed"} and member.host is None:
            yield f"{member.name} is {member.status} and stands on no host"
    for key, component in manifest.components.items():
        if component.max is not None and counts[key] > component.max:
            yield f"there are {counts[key]} members of {key}, of {component.max} at most"


def _hosts(world: World, manifest: Manifest) -> Iterator[str]:
    known = {host.name: host for host in world.hosts}
    for name, times in Counter(host.name for host in world.hosts).items():
        if times > 1:
            yield f"{times} hosts are called {name}"
    on_host: dict[str, list[str]] = {}
    for member in world.members:
        if member.host is None or member.status == "removed":
            continue
        if member.host not in known:
            yield f"{member.name} stands on {member.host}, which is not there"
        elif known[member.host].foreign:
            yield f"{member.name} stands on {member.host}, which carries another instance's members"
        for other in on_host.get(member.host, []):
            if not _may_share(member.component, other, manifest):
                yield f"{member.component} and {other} share {member.host}, and may not"
        on_host.setdefault(member.host, []).append(member.component)


def _may_share(one: str, other: str, manifest: Manifest) -> bool:
    """Either may say so."""
    pairs = ((one, other), (other, one))
    known = manifest.components
    return any(a in known and b in known[a].may_share_host_with for a, b in pairs)


def _operations(world: World, manifest: Manifest) -> Iterator[str]:
    known = {member.name: member for member in world.members}
    actions = {action.name: action for action in manifest.actions}
    for operation in world.operations:
        if operation.ended:
            continue
        for name in (*operation.members, *filter(None, [operation.member])):
            member = known.get(name)
            if member is None:
                yield f"{operation.kind} is about {name}, which is not there"
            elif member.status == "removed":
                yield f"{operation.kind} is about {name}, which was removed"
            else:
                yield from _verb(operation, member.component, manifest)
        if operation.kind == "action" and operation.action not in actions:
            yield f"the manifest has no action {operation.action}"
        yield from _instance(operation, world)


def _verb(operation: Operation, component: str, manifest: Manifest) -> Iterator[str]:
    area, _, verb = operation.kind.partition(".")
    declared = manifest.components.get(component)
    asked = area == "member" and operation.parent is None
    if asked and declared is not None and verb not in declared.verbs:
        yield f"{verb} cannot be asked of a {component}"


def _instance(operation: Operation, world: World) -> Iterator[str]:
    area, _, verb = operation.kind.partition(".")
    first = world.operations[0] is operation
    if area == "instance" and verb == "rollback" and world.previous is None:
        yield "there is nothing to roll back to"
    if first and area == "instance" and verb == "start" and world.status != "stopped":
        yield f"an instance that is {world.status} cannot be started"
    if first and world.status == "stopped" and verb not in INSTANCE_KINDS and area == "instance":
        yield f"a stopped instance cannot {verb}"
