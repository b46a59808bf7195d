"""What the answer should be, said a second time and as plainly as possible.

Knows documents and rows, and nothing of the modules that it judges.
"""

from typing import Any

from core.tests.policy.worlds import PLAIN, QUEUES, WIDER, World
from moorage_core.catalog.models import Version
from moorage_core.policy.models import LEVELS, Wanted

CHOOSING = {"instance.deploy", "instance.upgrade", "artifact.pull"}
FITS = {
    "*": lambda major, minor: True,
    "^1": lambda major, minor: major == 1,
    "~1.1": lambda major, minor: (major, minor) == (1, 1),
    "2.x": lambda major, minor: major == 2,
    ">=1.1 <2": lambda major, minor: major == 1 and minor >= 1,
}
"""The constraints that worlds are made with."""


def is_allowed(world: World, wanted: Wanted, version: Version) -> bool:
    """Whether a version that is known by name may be used so."""
    held = world.entitlement
    left = version.status == "retired" and wanted.operation in CHOOSING
    if world.app is None or held is None or not held.enabled or left:
        return False
    if wanted.channel is not None and world.channels.get(wanted.channel) != version.id:
        return False
    used = [a for a in world.artifacts if a.version_id == version.id]
    if wanted.artifact is not None:
        used = [a for a in used if a.name == wanted.artifact]
        if not used:
            return False
    if not _fits(version, held.versions) or not _on_channel(world, wanted, version):
        return False
    if not _accepted(world, version) or not _admitted(world, version):
        return False
    if any(a.trust != "verified" or a.lifecycle == "retired" for a in used):
        return False
    if not all(a.source_enabled for a in used):
        return False
    sources = {a.source for a in used} | set(wanted.artifact_sources)
    documents = [world.chain.get(level, {}) for level in LEVELS if level != "entitlement"]
    documents.append(world.chain.get("entitlement", {}))
    return _passes(world, documents, wanted, version, sources)


def allows(document: dict[str, Any], dimension: str, value: str) -> bool:
    choice = document.get(dimension, {"allow": None, "deny": []})
    return value not in choice["deny"] and (choice["allow"] is None or value in choice["allow"])


def is_narrower(document: dict[str, Any], above: list[dict[str, Any]]) -> bool:
    """Whether a document names nothing that one above it does not allow."""
    for dimension in ("operations", "channels", "artifact_sources", "regions", "skus"):
        for value in document.get(dimension, {}).get("allow") or []:
            if not all(allows(each, dimension, value) for each in above):
                return False
    return all(
        limit <= each.get("quotas", {}).get(name, limit)
        for name, limit in document.get("quotas", {}).items()
        for each in above
    )


def _passes(
    world: World,
    documents: list[dict[str, Any]],
    wanted: Wanted,
    version: Version,
    sources: set[str],
) -> bool:
    amounts = {
        "instances": wanted.instances
        if wanted.instances is not None
        else (1 if wanted.operation == "instance.deploy" else 0),
        "members": wanted.members
        if wanted.members is not None
        else (1 if wanted.operation == "member.add" else 0),
        "gpus": wanted.gpus,
        "concurrent_operations": 0 if wanted.operation == "artifact.pull" else 1,
    }
    for document in documents:
        if not allows(document, "operations", wanted.operation):
            return False
        if not all(allows(document, "artifact_sources", source) for source in sources):
            return False
        for dimension, value in (("regions", wanted.region), ("skus", wanted.sku)):
            if value is not None and not allows(document, dimension, value):
                return False
        if not _fits(version, document.get("versions", {}).get("echo", "*")):
            return False
        for name, limit in document.get("quotas", {}).items():
            if amounts[name] > 0 and getattr(world.usage, name) + amounts[name] > limit:
                return False
    if wanted.operation not in CHOOSING:
        return True
    assert world.entitlement is not None
    through = wanted.channel or world.entitlement.channel
    channels = {c for c, id in world.channels.items() if id == version.id}
    channels = {through} if through else channels
    limited = [d["channels"] for d in documents if "channels" in d]
    if all(each["allow"] is None and not each["deny"] for each in limited):
        return True
    return any(all(allows(each, "channels", c) for each in documents) for c in channels)


def _fits(version: Version, constraint: str) -> bool:
    major, minor, _ = version.number.split(".")
    return FITS[constraint](int(major), int(minor))


def _accepted(world: World, version: Version) -> bool:
    assert world.entitlement is not None
    asked, accepted = version.declaration_digest, world.entitlement.accepted_digest
    return asked == accepted or (asked, accepted) == (PLAIN.digest, WIDER.digest)


def _admitted(world: World, version: Version) -> bool:
    if version.declaration_digest != QUEUES.digest:
        return True
    return "scheduler.queue.read" in world.ceilings.get("scheduler", ())


def _on_channel(world: World, wanted: Wanted, version: Version) -> bool:
    """On the entitlement's channel, or the accepted version while that channel's is too wide."""
    held = world.entitlement
    assert held is not None
    if held.channel is None or wanted.operation not in CHOOSING:
        return True
    there = world.channels.get(held.channel)
    if there == version.id:
        return True
    on_it = next((v for v in world.versions if v.id == there), None)
    served = (
        on_it is not None
        and on_it.status != "retired"
        and _fits(on_it, held.versions)
        and _accepted(world, on_it)
    )
    return not served and version.id == held.accepted_version_id and _accepted(world, version)
