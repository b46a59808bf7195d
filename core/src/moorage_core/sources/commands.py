"""Use cases of sources, and what other slices ask of them."""

from moorage_core.kit.db import Db
from moorage_core.sources import store
from moorage_core.sources.models import Source


async def find_usable(db: Db, id: str, *, org: str) -> Source | None:
    """A source that artifacts of this org may come from: its own or a shared one, and enabled."""
    source = await store.find(db, id, orgs=[org])
    return source if source is not None and source.enabled else None
