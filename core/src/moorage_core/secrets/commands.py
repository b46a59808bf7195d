"""Putting secrets into custody and taking them out.

`put`, `change`, `remove` and `find` belong into a transaction and ask nobody outside. `reveal` may
ask another machine, so it comes after the transaction that found the secret has ended. Values are
bytes and never leave in an error or a log.
"""

from collections.abc import Sequence
from datetime import timedelta

from moorage_core.context import Context
from moorage_core.kit.db import Db
from moorage_core.kit.ids import SecretId
from moorage_core.platform import Platform
from moorage_core.secrets import store
from moorage_core.secrets.models import SealedSecret

TOPIC = "secrets"
"""Moves when a sealed value is to leave the database."""
GRACE = timedelta(minutes=1)
"""How long an entry outside outlives its row: somebody may have found it a moment before."""


class SecretMissing(Exception):
    """A bug or a broken restore: a row refers to a secret that is not there."""


async def put(
    ctx: Context, value: bytes, *, purpose: str, org: str, project: str | None = None
) -> SecretId:
    """Seal a value and keep it with the caller's transaction."""
    id = SecretId.new()
    sealed = ctx.platform.custody.seal(value, org=org, id=id)
    await store.add(ctx.db, sealed, project=project, purpose=purpose, now=ctx.now)
    _wake(ctx, sealed)
    return id


async def change(ctx: Context, id: str, value: bytes, *, org: str) -> None:
    """Replace the value; the id stays."""
    sealed = ctx.platform.custody.seal(value, org=org, id=id)
    await store.replace(ctx.db, sealed, due=ctx.now + GRACE)
    _wake(ctx, sealed)


async def find(db: Db, id: str, *, org: str) -> SealedSecret:
    """The secret as it is sealed, for `reveal` once the transaction has ended."""
    sealed = await store.find(db, org=org, id=id)
    if sealed is None:
        raise SecretMissing(f"Secret {id} is not in the store.")
    return sealed


async def find_many(db: Db, ids: Sequence[str], *, org: str) -> dict[str, SealedSecret]:
    """Those of the ids that are there."""
    return {sealed.id: sealed for sealed in await store.find_many(db, list(ids), org=org)}


async def reveal(platform: Platform, sealed: SealedSecret) -> bytes:
    """The value. Hold it no longer than you must, and no transaction meanwhile."""
    return await platform.custody.open(sealed)


async def remove(ctx: Context, id: str, *, org: str) -> None:
    await store.remove(ctx.db, org=org, id=id, due=ctx.now + GRACE)


def _wake(ctx: Context, sealed: SealedSecret) -> None:
    if sealed.entry is not None:
        ctx.topics.add(TOPIC)
