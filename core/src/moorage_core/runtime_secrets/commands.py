"""Use cases of runtime secrets. Values come in and go to nodes; nobody else sees one again."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from moorage_core.audit import commands as audit
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.kit.ids import RuntimeSecretId
from moorage_core.operations import commands as operations
from moorage_core.operations.models import Operation
from moorage_core.runtime_secrets import rules, store
from moorage_core.runtime_secrets.models import Found, Refused, RuntimeSecret, Wanting
from moorage_core.runtime_secrets.schemas import RuntimeSecretCreate
from moorage_core.secrets import commands as custody
from moorage_core.secrets.models import SealedSecret

PURPOSE = "runtime"
KEY = Permission.APPS_SECRET_CREATE


async def put(ctx: Context, operation: str, new: RuntimeSecretCreate) -> RuntimeSecret:
    """Put a secret into custody for the operation's tasks to name.

    An app's is its instance's. Where that has one of this name, it is taken up as it is. What is
    rotated is in force once the operation has succeeded, and never if it is taken back.
    """
    instance, org = ctx.principal.instance, ctx.principal.home_org
    if instance is not None and ctx.principal.operation == operation:
        # Two operations that want the same name come one after the other.
        await operations.lock_instance(ctx, instance, org=org)
    held = await operations.hold(ctx, operation, key=KEY)
    present = None
    if instance is not None:
        rotation = operation if held.direction == "forward" else None
        present = await store.find_newest(ctx.db, instance, new.name, org=org, rotation=rotation)
    if present is not None and rules.stands(present, held, rotate=new.rotate, purpose=new.purpose):
        secret = await store.take_up(ctx.db, present.id, org=org)
        _record(ctx, registry.RUNTIME_SECRET_USED, secret, operation=operation)
        return secret
    return await _add(ctx, held, new, rotates=present is not None)


async def _add(
    ctx: Context, held: Operation, new: RuntimeSecretCreate, *, rotates: bool
) -> RuntimeSecret:
    org, project, instance = held.org_id, held.project_id, held.app_instance_id
    present = await store.count(ctx.db, operation=held.id, instance=instance, org=org)
    rules.check_count(f"Operation {held.id}" if instance is None else "The instance", present)
    generation = 1
    if instance is not None:
        last = await store.find_last_generation(ctx.db, instance, new.name, org=org)
        generation = last + 1
    value = _value(new)
    lasts = None if new.expires_in is None else timedelta(seconds=new.expires_in)
    if lasts is None and instance is None:
        lasts = rules.SESSIONS
    secret = RuntimeSecret(
        id=RuntimeSecretId.new(),
        org_id=org,
        project_id=project,
        operation_id=held.id,
        name=new.name,
        purpose=new.purpose,
        secret_id=await custody.put(ctx, value, purpose=PURPOSE, org=org, project=project),
        size=len(value),
        expires_at=None if lasts is None else ctx.now + lasts,
        version=1,
        created_at=ctx.now,
        instance_id=instance,
        generation=generation,
        pending=rotates,
    )
    if not await store.add(ctx.db, secret):
        raise rules.SecretNameTaken(
            f"Operation {held.id} has a secret named {new.name}. Use another name."
        )
    _record(ctx, registry.RUNTIME_SECRET_STORED, secret, operation=held.id)
    return secret


async def follow(ctx: Context, operation: Operation) -> None:
    """An operation has moved: what it rotated is in force when it has succeeded, or never."""
    if not rules.may_rotate(operation.kind, operation.input):
        return
    if operation.status == "succeeded":
        until = ctx.now + rules.OUTLIVES
        await store.put_in_force(ctx.db, operation.id, org=operation.org_id, until=until)
    elif operation.status in ("cancelled", "abandoned"):
        await store.withdraw(ctx.db, operation.id, org=operation.org_id, now=ctx.now)


async def forget(ctx: Context, instance: str, *, org: str) -> None:
    """The instance is gone, and its secrets with it. The sweep removes their values."""
    await store.end_all(ctx.db, instance, org=org, now=ctx.now)


async def hand_over(
    ctx: Context, wanting: Sequence[Wanting], *, org: str, node: str
) -> dict[str, dict[str, SealedSecret] | Refused]:
    """For each task its secrets by name, sealed; or why it cannot have them.

    What is given is on record with the caller's transaction. Reveal after it.
    """
    pairs = [(task.operation, name) for task in wanting for name in task.names]
    found = await store.list_for_node(
        ctx.db,
        org=org,
        operations=[operation for operation, _ in pairs],
        names=[name for _, name in pairs],
        node=node,
    )
    judged = rules.judge(wanting, found, now=ctx.now)
    await _note(ctx, wanting, judged, org=org, node=node)
    sealed = await custody.find_many(ctx.db, sorted({each.secret_id for each in found}), org=org)
    handed: dict[str, dict[str, SealedSecret] | Refused] = {}
    for task, verdict in judged.items():
        if isinstance(verdict, Refused):
            handed[task] = verdict
        elif gone := [each.name for each in verdict if each.secret_id not in sealed]:
            handed[task] = rules.broken(gone[0])
        else:
            handed[task] = {each.name: sealed[each.secret_id] for each in verdict}
    return handed


async def remove_expired(ctx: Context, ids: list[str], *, org: str, now: datetime) -> int:
    """Drop secrets whose time is over, and their values with them."""
    gone = await store.remove_expired(ctx.db, ids, org=org, now=now)
    for id in gone:
        await custody.remove(ctx, id, org=org)
    return len(gone)


async def _note(
    ctx: Context,
    wanting: Sequence[Wanting],
    judged: dict[str, list[Found] | Refused],
    *,
    org: str,
    node: str,
) -> None:
    rows = [
        {
            "secret": secret.id,
            "operation": task.operation,
            "fence": task.fence,
            "project": task.project,
            "task": task.task,
        }
        for task in wanting
        if not isinstance(given := judged[task.task], Refused)
        for secret in given
    ]
    if rows:
        await store.note_deliveries(ctx.db, rows, org=org, node=node, now=ctx.now)


def _value(new: RuntimeSecretCreate) -> bytes:
    rules.check_one(value=new.value is not None, generate=new.generate is not None)
    if new.value is not None:
        return rules.decode(new.value.get_secret_value(), new.encoding)
    return secrets.token_urlsafe(new.generate or 0).encode()


def _record(
    ctx: Context, event: registry.EventType, secret: RuntimeSecret, *, operation: str
) -> None:
    org, project, until = secret.org_id, secret.project_id, secret.expires_at
    data = registry.RuntimeSecret(
        id=secret.id, name=secret.name, purpose=secret.purpose, operation_id=operation
    )
    details = data.model_dump(exclude={"id"}) | {"generation": secret.generation}
    details["expires_at"] = None if until is None else until.isoformat()
    audit.record(
        ctx, KEY, secret.id, org=org, project=project, instance=secret.instance_id, details=details
    )
    events.publish(
        ctx,
        event,
        data,
        subject=secret.id,
        version=secret.version,
        org=org,
        project=project,
        instance=secret.instance_id,
    )
