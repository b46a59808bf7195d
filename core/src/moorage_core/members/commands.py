"""Use cases of members."""

from collections.abc import Mapping
from typing import Any

from moorage_core.context import Context
from moorage_core.members.models import Placement, Survey
from moorage_core.operations.models import InstanceRef, NewChild
from moorage_manifest import Manifest

# For other slices


async def survey(
    ctx: Context,
    placements: Mapping[str, Placement],
    *,
    manifest: Manifest,
    org: str,
    project: str,
    instance: str | None = None,
    lock: bool = False,
) -> Survey:
    """Look whether members could stand where placements say, by component. Raises where not.

    For plans and for deciding by policy (`Survey.regions`, `Survey.skus`); `add_rows` looks again.
    """
    raise NotImplementedError


async def add_rows(
    ctx: Context,
    instance: InstanceRef,
    placements: Mapping[str, Placement],
    *,
    manifest: Manifest,
    in_waves: bool = False,
) -> list[NewChild]:
    """Make members, by component, and what is to be asked of each: a `member.add`.

    The caller has locked the instance, whose rows of components exist, and puts the children into
    the operation that it asks for. Machines that are asked for by SKU are allocated here. With
    `in_waves` components start one after the other, in the order of the manifest.
    """
    raise NotImplementedError


async def remove_children(
    ctx: Context, instance: InstanceRef, *, manifest: Manifest, keep_allocations: bool, reason: str
) -> list[NewChild]:
    """What a decommission asks of every live member, the last component of the manifest first."""
    raise NotImplementedError


async def bury(ctx: Context, instance: str, *, org: str, reason: str) -> int:
    """Tombstone every live member without the app. Their machines are dirty from then on.

    For break-glass. The caller has locked the instance and ended its operations.
    """
    raise NotImplementedError


async def briefs(
    ctx: Context, instances: list[str], *, org: str
) -> dict[str, list[dict[str, Any]]]:
    """What controllers are told of the live members of instances, by instance. At most 1,000 each.

    The number of statements is always the same.
    """
    raise NotImplementedError
