"""What a node says about its tasks, and their output on its way up."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import cast

from moorage_core import unit
from moorage_core.artifacts import commands as artifacts
from moorage_core.artifacts.models import Artifact
from moorage_core.authz.authorize import hidden
from moorage_core.catalog import commands as catalog
from moorage_core.kit.db import Db, Scope, org_scope
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.platform import Platform
from moorage_core.tasks import acceptance, delivery, kinds, node_store, rules, store
from moorage_core.tasks.models import Answered, Report, Task


@dataclass(frozen=True)
class Content:
    """The bytes of an artifact, on their way to a node. Close `chunks` when you are done."""

    digest: str
    size: int
    chunks: AsyncGenerator[bytes]


async def report(platform: Platform, node: str, said: Sequence[Report]) -> list[Answered]:
    """Take what a node says about its tasks: two statements, however many they are."""
    answers: list[Answered] = []
    changes: dict[str, rules.Change] = {}
    running: set[str] = set()
    seen = Scope(principal=node)
    async with unit.work(platform, PLATFORM_ORG, scope=seen, patient=True) as ctx:
        held = await node_store.lock_reported(ctx.db, node, sorted({each.task for each in said}))
        for each in said:
            outcome, change = rules.receive(held.get(each.task), each)
            answers.append(Answered(each.task, outcome))
            if change is not None and not (change.late and each.task in changes):
                changes[each.task] = change
                held[each.task] = rules.after(held[each.task], change)
                if change.status == "running":
                    running.add(each.task)
        if changes:
            written = await node_store.apply(
                ctx.db, node, list(changes.values()), running=sorted(running), now=ctx.now
            )
            ctx.topics |= {f"task:{task.id}" for task in written}
            ended = [task for task in written if changes[task.id].ends]
            if ended and held[ended[0].id].others_wait:
                ctx.topics.add(f"node:{node}")
            await delivery.conclude(ctx, ended, node=node)
    return answers


async def append_output(
    platform: Platform, node: str, task: str, stream: str, *, offset: int, content: bytes
) -> int:
    """Keep bytes of a task's output; where the next ones begin."""
    async with platform.database.transaction(Scope(principal=node), patient=True) as db:
        if content and await node_store.append(
            db, node, task, stream, offset=offset, content=content
        ):
            fits = True
        else:
            found = await node_store.find(db, node, task)
            fits = _check_fits(found, task, stream, offset=offset, size=len(content))
    if fits:
        platform.hub.mark({f"task:{task}"})
    return offset + len(content)


def _check_fits(found: Task | None, id: str, stream: str, *, offset: int, size: int) -> bool:
    """Say why bytes were not kept. No bytes at the right place are kept already."""
    if found is None:
        raise hidden("task", id)
    have: int = getattr(found, f"{stream}_bytes")
    if offset != have:
        raise rules.offset_refused(id, stream, have)
    if have + size > found.output_limit:
        raise rules.OutputFull(
            f"The stream {stream} of task {id} is kept up to {found.output_limit} bytes."
        )
    if size:
        raise rules.OutputEnded(f"Task {id} is {found.status}: nothing is added to its output.")
    return False


async def open_content(platform: Platform, node: str, task: str) -> Content:
    """The bytes of the artifact that a task names, for the node that has the task."""
    async with platform.database.transaction(Scope(principal=node), patient=True) as db:
        found = await node_store.find(db, node, task)
        digest = kinds.digest_of(found.input) if found is not None else None
        if found is None or found.ended_at is not None or digest is None:
            raise hidden("task", task)
        await db.set_scope(org_scope(found.org_id, principal=node))
        artifact = await _artifact(db, found, digest)
    chunks = _seated(platform, node, artifact)
    # Begun: a refusal is an answer now, and whoever drops it ends it.
    await anext(chunks)
    return Content(digest, artifact.size, chunks)


async def _artifact(db: Db, task: Task, digest: str) -> Artifact:
    """One that the version uses whose controller asked for the task; or the project's own."""
    origin = await store.find_origin(db, task.operation_id, org=task.org_id)
    if origin.version_id is not None:
        of_version = await catalog.artifacts_of(db, origin.version_id)
        used = acceptance.verified(digest, of_version, overridden=origin.overridden)
        if used is not None:
            found = await artifacts.find_any(db, used)
            return acceptance.usable(digest, found, overridden=origin.overridden)
    named = await artifacts.find_by_digest(
        db, org=task.org_id, project=task.project_id, digests=[digest]
    )
    return acceptance.usable(digest, named.get(digest))


async def _seated(platform: Platform, node: str, artifact: Artifact) -> AsyncGenerator[bytes]:
    """Nothing, once the artifact is open, and then its bytes."""
    with platform.transfers.seat(node, org=artifact.org_id):
        opened = await artifacts.open_content(platform, artifact, offset=0)
        async with aclosing(cast(AsyncGenerator[bytes], opened)) as chunks:
            yield b""
            async for chunk in chunks:
                yield chunk
