"""Rows of sources."""

from dataclasses import dataclass
from datetime import datetime

from moorage_core.kit.ids import PLATFORM_ORG

STORE = "store"
"""What policy calls the platform's own store, which has no row."""


@dataclass(frozen=True)
class Source:
    id: str
    org_id: str
    slug: str
    name: str
    kind: str
    url: str
    token_url: str | None
    """Where a registry's tokens come from, if not from the registry itself."""
    secret_id: str | None
    enabled: bool
    version: int
    created_at: datetime
    updated_at: datetime
    policy_name: str
    """`slug` where it is shared with all, `<org's slug>/<slug>` where it is a tenant's."""

    @property
    def shared(self) -> bool:
        return self.org_id == PLATFORM_ORG

    @property
    def has_credential(self) -> bool:
        return self.secret_id is not None
