"""Rows of app operators."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class AppOperator:
    id: str
    app_id: str
    app_slug: str
    org_id: str
    project_id: str
    service_account_id: str
    name: str
    serves: str
    version: int
    created_at: datetime
    updated_at: datetime
    listening: bool = False


@dataclass(frozen=True)
class ShownOperator:
    """An operator as somebody outside its project may see it, too."""

    id: str
    app_id: str
    app_slug: str
    org_id: str
    project_id: str
    service_account_id: str | None
    name: str
    serves: str
    version: int
    created_at: datetime
    updated_at: datetime
    listening: bool
