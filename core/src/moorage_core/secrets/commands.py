"""Putting secrets into custody and taking them out.

Values are bytes and never leave in an error or a log.
"""

from moorage_core.context import Context
from moorage_core.kit.db import Db
from moorage_core.kit.ids import SecretId
from moorage_core.platform import Platform
from moorage_core.secrets import envelope, store
from moorage_core.secrets.keyring import Keyring


class SecretMissing(Exception):
    """A bug or a broken restore: a row refers to a secret that is not there."""


async def put(
    ctx: Context, value: bytes, *, purpose: str, org: str, project: str | None = None
) -> SecretId:
    """Seal a value and keep it with the caller's transaction."""
    id = SecretId.new()
    sealed = _seal(ctx.platform.keyring, id, org, value)
    await store.add(ctx.db, sealed, project=project, purpose=purpose, now=ctx.now)
    return id


async def change(ctx: Context, id: str, value: bytes, *, org: str) -> None:
    """Replace the value; the id stays."""
    await store.replace(ctx.db, _seal(ctx.platform.keyring, id, org, value))


async def get(platform: Platform, db: Db, id: str, *, org: str) -> bytes:
    """The value. Hold it no longer than you must."""
    sealed = await store.find(db, org=org, id=id)
    if sealed is None:
        raise SecretMissing(f"Secret {id} is not in the store.")
    return envelope.unseal(
        sealed.wrapped_key,
        sealed.ciphertext,
        master=platform.keyring.key(sealed.key_version),
        bound_to=_bound_to(org, id),
    )


async def remove(ctx: Context, id: str, *, org: str) -> None:
    await store.remove(ctx.db, org=org, id=id)


async def rewrap(platform: Platform, db: Db, id: str, *, org: str) -> None:
    """Seal the secret's own key with the newest master key. The value itself is not touched."""
    # Locked: a value that is being changed at this moment must not be overwritten with the old one.
    sealed = await store.find(db, org=org, id=id, lock=True)
    ring = platform.keyring
    if sealed is None or sealed.key_version >= ring.newest:
        return
    bound_to = _bound_to(org, id)
    key = envelope.unwrap(
        sealed.wrapped_key, master=ring.key(sealed.key_version), bound_to=bound_to
    )
    wrapped = envelope.wrap(key, master=ring.key(ring.newest), bound_to=bound_to)
    await store.replace(db, store.SealedSecret(id, org, ring.newest, wrapped, sealed.ciphertext))


def _seal(ring: Keyring, id: str, org: str, value: bytes) -> store.SealedSecret:
    version = ring.newest
    wrapped, ciphertext = envelope.seal(
        value, master=ring.key(version), bound_to=_bound_to(org, id)
    )
    return store.SealedSecret(id, org, version, wrapped, ciphertext)


def _bound_to(org: str, id: str) -> str:
    return f"{org}/{id}"
