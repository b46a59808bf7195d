"""The bytes of an artifact that lies elsewhere, for whoever gives them out.

A ninth file, with a reason: it reads a source and its credential, and then asks strangers.

Transaction-less: the one that it opens to read is closed before `fetch` speaks to anybody.
"""

import functools
from collections.abc import AsyncIterator

from moorage_core.kit import outbound
from moorage_core.kit.db import Db, org_scope
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.platform import Platform
from moorage_core.secrets import commands as custody
from moorage_core.sources import fetch, rules, store
from moorage_core.sources.models import Source


async def find_usable(db: Db, id: str, *, org: str) -> Source | None:
    """A source that artifacts of this org may come from: its own or a shared one, and enabled."""
    source = await store.find(db, id, orgs=[org])
    return source if source is not None and source.enabled else None


async def open_remote(
    at: Platform,
    source_id: str,
    *,
    org: str,
    kind: str,
    location: str,
    digest: str,
    size: int,
    offset: int = 0,
) -> AsyncIterator[bytes]:
    """The bytes of an artifact of this org, from its source, verified as they come.

    The last piece is given only when all before it and itself have the digest, whatever `offset`
    is: see `fetch`. Holds no transaction.
    """
    source, credential = await _opened(at, source_id, org=org)
    settings = at.settings.sources
    order = fetch.Order(
        source=source,
        credential=credential,
        kind=kind,
        location=location,
        digest=digest,
        size=size,
        wait=settings.timeout.total_seconds(),
        patience=rules.patience(size, slowest=settings.bytes_per_second),
    )
    road = outbound.Road(
        resolve=functools.partial(at.names.find, org=org),
        tls=outbound.tls(),
        private=settings.private_addresses,
    )
    return await fetch.open_content(order, road, offset=offset)


async def _opened(at: Platform, id: str, *, org: str) -> tuple[Source, rules.Credential | None]:
    """A source with its credential, to be used for an artifact of this org."""
    # The platform's own org too: its sources are shared, and so is the use of their credentials.
    scope = org_scope(org).with_org(PLATFORM_ORG)
    async with at.database.transaction(scope, read_only=True) as db:
        source = await find_usable(db, id, org=org)
        if source is None:
            raise rules.SourceNotUsable(
                f"The source {id} of the artifact is disabled. Those who run it can enable it."
            )
        if source.secret_id is None:
            return source, None
        sealed = await custody.find(db, source.secret_id, org=source.org_id)
    return source, rules.unpack(await custody.reveal(at, sealed))
