"""Bytes on their way in: taken as they come, checked when they say that they are all there.

What lies at a source is checked the same way, by reading it once. Until then nobody can use it:
otherwise whoever names a file there gets its beginning, and need not know what is in it.

No transaction is open while bytes flow or are hashed.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping

from pydantic import TypeAdapter, ValidationError

from moorage_core.artifacts import commands, rules, store
from moorage_core.artifacts.models import Artifact
from moorage_core.artifacts.rules import Lifecycle, Verification
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.context import Context, Trace
from moorage_core.errors import ApiError, Busy
from moorage_core.events import registry
from moorage_core.kit.ids import ArtifactId
from moorage_core.platform import Platform
from moorage_core.sources import commands as sources

STALLED_AFTER = 30.0
"""Seconds without a byte, after which a writer is sent away: the next must not wait for ever."""
_ID = TypeAdapter(ArtifactId)


async def append(
    at: Platform,
    who: Principal,
    id: str,
    chunks: AsyncIterator[bytes],
    *,
    offset: int,
    declared: int,
    trace: Trace,
) -> int:
    """Take bytes from `offset` on; how many there are now."""
    artifact = await find(at, who, id, key=Permission.CATALOG_ARTIFACT_CREATE, trace=trace)
    rules.check_takes_bytes(artifact)
    rules.check_room(id, upto=offset + declared, size=artifact.size)
    with at.transfers.seat(who.id, org=artifact.org_id):
        return await at.blobs.append(
            id, offset=offset, size=artifact.size, chunks=steady(chunks, seconds=STALLED_AFTER)
        )


async def steady(chunks: AsyncIterator[bytes], *, seconds: float) -> AsyncIterator[bytes]:
    """The same, until no byte came for so long."""
    while True:
        try:
            async with asyncio.timeout(seconds):
                chunk = await anext(chunks, None)
        except TimeoutError as err:
            raise rules.UploadStalled(
                f"No byte came for {seconds:g} seconds. What came before is kept; go on from there."
            ) from err
        if chunk is None:
            return
        yield chunk


async def find(at: Platform, who: Principal, id: str, *, key: str, trace: Trace) -> Artifact:
    """An artifact that the caller holds `key` on, by a transaction of its own."""
    async with at.database.transaction(who.scope, read_only=True) as db:
        ctx = Context(principal=who, db=db, clock=at.clock, trace=trace, platform=at)
        return await commands.get(ctx, id, key=key)


async def received(at: Platform, artifact: Artifact) -> int | None:
    """How many bytes have arrived; None where none are waited for."""
    uploading = artifact.lifecycle == Lifecycle.UPLOADING and artifact.source_id is None
    return await at.blobs.size(artifact.id) if uploading else None


async def verify(
    at: Platform, who: Principal, body: bytes, path: Mapping[str, str]
) -> Verification | None:
    """Hash what arrived and put it in its place, or throw it away; read what lies at a source.

    None: there is nothing to do.
    """
    try:
        id = _ID.validate_python(path["artifact"])
        key = Permission.CATALOG_ARTIFACT_CREATE
        artifact = await find(at, who, id, key=key, trace=Trace(correlation_id=""))
    except (ValidationError, ApiError):
        # The route says what is wrong, in its own words.
        return None
    if artifact.lifecycle != Lifecycle.UPLOADING:
        return None
    with at.transfers.seat(who.id, org=artifact.org_id):
        if artifact.source_id is not None:
            return await _read_once(at, artifact)
        return await at.blobs.seal(id, digest=artifact.digest, size=artifact.size)


async def _read_once(at: Platform, artifact: Artifact) -> Verification:
    """Whether the source has what was registered. Nothing of it is kept."""
    try:
        async for _ in await commands.open_content(at, artifact, offset=0):
            pass
    except sources.SourceMismatch:
        return Verification(artifact.id, artifact.size, None)
    return Verification(artifact.id, artifact.size, artifact.digest)


async def complete(ctx: Context, id: str) -> Artifact:
    """All bytes are there: the artifact can be used."""
    key = Permission.CATALOG_ARTIFACT_CREATE
    artifact = await commands.get(ctx, id, key=key, lock=True)
    rules.check_uploading(artifact)
    rules.check_allowed(artifact.digest, await store.find_revocation(ctx.db, artifact.digest))
    found: Verification | None = ctx.prepared
    if found is None:
        raise Busy("The artifact changed in between. Try again shortly.")
    rules.check_complete(artifact, found)
    artifact = await store.set_lifecycle(
        ctx.db, id, org=artifact.org_id, lifecycle=Lifecycle.PUBLISHED, now=ctx.now
    )
    ctx.topics.add(commands.DISCARD_TOPIC)
    commands.record(ctx, key, registry.ARTIFACT_PUBLISHED, artifact)
    return artifact


async def give_up(ctx: Context, id: str, *, org: str) -> bool:
    """Forget an upload that nobody goes on with. False where somebody just did."""
    artifact = await store.find(ctx.db, id, orgs=[org], lock=True, project_deleted=True)
    if artifact is None or artifact.lifecycle != Lifecycle.UPLOADING:
        return False
    artifact = await store.delete(ctx.db, id, org=org, now=ctx.now)
    ctx.topics.add(commands.DISCARD_TOPIC)
    commands.record(
        ctx, Permission.CATALOG_ARTIFACT_DELETE, registry.ARTIFACT_DELETED, artifact, reason="idle"
    )
    return True
