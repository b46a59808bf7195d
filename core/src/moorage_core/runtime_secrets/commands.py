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
from moorage_core.runtime_secrets import rules, store
from moorage_core.runtime_secrets.models import Found, Refused, RuntimeSecret, Wanting
from moorage_core.runtime_secrets.schemas import RuntimeSecretCreate
from moorage_core.secrets import commands as custody
from moorage_core.secrets.models import SealedSecret

PURPOSE = "runtime"
KEY = Permission.APPS_SECRET_CREATE


async def put(ctx: Context, operation: str, new: RuntimeSecretCreate) -> RuntimeSecret:
    """Put a secret into custody for the operation's tasks to name."""
    held, _ = await operations.hold(ctx, operation, key=KEY)
    org, project = held.org_id, held.project_id
    rules.check_count(operation, await store.count(ctx.db, operation, org=org))
    value = _value(new)
    secret = RuntimeSecret(
        id=RuntimeSecretId.new(),
        org_id=org,
        project_id=project,
        operation_id=operation,
        name=new.name,
        purpose=new.purpose,
        secret_id=await custody.put(ctx, value, purpose=PURPOSE, org=org, project=project),
        size=len(value),
        expires_at=ctx.now + timedelta(seconds=new.expires_in),
        version=1,
        created_at=ctx.now,
    )
    if not await store.add(ctx.db, secret):
        raise rules.SecretNameTaken(
            f"Operation {operation} has a secret named {new.name}. Use another name."
        )
    _record(ctx, secret)
    return secret


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


def _record(ctx: Context, secret: RuntimeSecret) -> None:
    org, project = secret.org_id, secret.project_id
    data = registry.RuntimeSecret(
        id=secret.id, name=secret.name, purpose=secret.purpose, operation_id=secret.operation_id
    )
    details = data.model_dump(exclude={"id"}) | {"expires_at": secret.expires_at.isoformat()}
    audit.record(ctx, KEY, secret.id, org=org, project=project, details=details)
    events.publish(
        ctx,
        registry.RUNTIME_SECRET_STORED,
        data,
        subject=secret.id,
        version=secret.version,
        org=org,
        project=project,
    )
