"""Making, using and retiring signing keys."""

import json
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

from moorage_core import unit
from moorage_core.audit import commands as audit
from moorage_core.context import Context
from moorage_core.errors import Busy
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.kit import jose
from moorage_core.kit.db import org_scope
from moorage_core.kit.ids import PLATFORM_ORG, SigningKeyId, encode, uuid7
from moorage_core.platform import Platform
from moorage_core.secrets import commands as secrets
from moorage_core.signing import rules, store
from moorage_core.signing.keyset import SigningKey

PURPOSE = "token_signing"


async def rotate(platform: Platform) -> bool:
    """Make the next key when it is due; drop those that verify nothing any more.

    True if one was made.
    """
    identity = platform.settings.identity
    async with unit.work(platform, PLATFORM_ORG) as ctx:
        await store.lock(ctx.db)
        for secret in await store.remove_expired(ctx.db, now=ctx.now):
            await secrets.remove(ctx, secret, org=PLATFORM_ORG)
        rows = await store.list_keys(ctx.db)
        times = rules.next_key(
            [rules.KeyTimes(r.signs_from, r.signs_until, r.verifies_until) for r in rows],
            now=ctx.now,
            lifetime=identity.signing_key_lifetime,
            token_lifetime=identity.token_lifetime,
        )
        if times is not None:
            await _make(ctx, times)
    await load(platform)
    return times is not None


async def load(platform: Platform) -> None:
    """Bring this process's keyset up to date."""
    async with platform.database.transaction(org_scope(PLATFORM_ORG), read_only=True) as db:
        rows = await store.list_keys(db)
        sealed = await secrets.find_many(db, [row.secret_id for row in rows], org=PLATFORM_ORG)
    keys = [
        SigningKey(
            row.id,
            OKPKey.import_key(json.loads(await secrets.reveal(platform, sealed[row.secret_id]))),
            row.signs_from,
            row.signs_until,
            row.verifies_until,
        )
        for row in rows
    ]
    platform.keyset.replace(keys)


async def sign(platform: Platform, *, subject: str, credential: str) -> str:
    """A token that lives for minutes."""
    now = platform.clock.now()
    key = platform.keyset.signer(now)
    if key is None:
        await load(platform)
        key = platform.keyset.signer(now)
    if key is None:
        raise Busy("The platform has no signing key in force yet. Try again shortly.")
    claims = rules.claims(
        issuer=platform.settings.url,
        subject=subject,
        credential=credential,
        now=now,
        lifetime=platform.settings.identity.token_lifetime,
        id=encode(uuid7()),
    )
    header = {"alg": rules.ALGORITHM, "kid": key.id, "typ": "at+jwt"}
    return jwt.encode(header, claims, key.pair, algorithms=[rules.ALGORITHM])


async def verify(platform: Platform, token: str) -> dict[str, Any] | None:
    """The claims of a token that we signed and that is still in force; None otherwise."""
    now = platform.clock.now()
    header = jose.header_of(token)
    if header is None:
        return None
    kid = str(header.get("kid", ""))
    key = platform.keyset.verifier(kid, now)
    if key is None and platform.keyset.may_reload():
        await load(platform)
        key = platform.keyset.verifier(kid, now)
    if key is None:
        return None
    try:
        claims = jwt.decode(token, key.pair, algorithms=[rules.ALGORITHM]).claims
    except (JoseError, ValueError):
        return None
    issuer = platform.settings.url
    fresh = isinstance(claims.get("exp"), int) and claims["exp"] > now.timestamp()
    return claims if fresh and claims.get("iss") == issuer and claims.get("aud") == issuer else None


async def published(platform: Platform) -> list[dict[str, Any]]:
    """The public keys, for whoever wants to check our tokens.

    Looked up afresh: another process may have made the next key, and it must be known here before
    it signs.
    """
    if platform.keyset.may_reload():
        await load(platform)
    return [
        {**key.pair.as_dict(private=False), "kid": key.id, "alg": rules.ALGORITHM, "use": "sig"}
        for key in platform.keyset.published(platform.clock.now())
    ]


async def _make(ctx: Context, times: rules.KeyTimes) -> None:
    id = SigningKeyId.new()
    pair = OKPKey.generate_key("Ed25519", parameters={"kid": id})
    private = json.dumps(pair.as_dict(private=True)).encode()
    secret = await secrets.put(ctx, private, purpose=PURPOSE, org=PLATFORM_ORG)
    row = store.KeyRow(
        id,
        dict(pair.as_dict(private=False)),
        secret,
        times.signs_from,
        times.signs_until,
        times.verifies_until,
    )
    await store.add_key(ctx.db, row, now=ctx.now)
    audit.record(ctx, registry.SIGNING_KEY_ROTATED.type, id, org=PLATFORM_ORG)
    data = registry.Credential(id=id, owner_id="platform")
    events.publish(ctx, registry.SIGNING_KEY_ROTATED, data, subject=id, version=1, org=PLATFORM_ORG)
