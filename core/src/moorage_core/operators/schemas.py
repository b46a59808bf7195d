"""Wire shapes of app operators."""

from typing import Literal

from moorage_core.kit.ids import AppId, AppOperatorId, OrgId, ProjectId, ServiceAccountId
from moorage_core.kit.wire import Input, Moment, Name, Output


class AppOperatorCreate(Input):
    app: AppId
    service_account: ServiceAccountId
    """Of the same project; its permissions are exactly `apps.operation.claim`."""
    name: Name
    """What people choose it by when they deploy."""


class AppOperatorRead(Output):
    id: AppOperatorId
    app_id: AppId
    app_slug: str
    org_id: OrgId
    project_id: ProjectId
    """That registered it."""
    service_account_id: ServiceAccountId | None
    """Null to those outside its project."""
    name: str
    serves: Literal["publisher", "project"]
    """`publisher`: serves whoever chooses it. `project`: serves the instances of its own
    project."""
    listening: bool
    """Somebody waits for work on its behalf. Nothing that is asked of its instances is done while
    nobody does."""
    version: int
    created_at: Moment
    updated_at: Moment
