"""Rows of sources."""

from dataclasses import dataclass
from datetime import datetime

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
    secret_id: str | None
    enabled: bool
    version: int
    created_at: datetime
    updated_at: datetime
    policy_name: str
    """`slug` where it is shared with all, `<org's slug>/<slug>` where it is a tenant's."""

    @property
    def has_credential(self) -> bool:
        return self.secret_id is not None
