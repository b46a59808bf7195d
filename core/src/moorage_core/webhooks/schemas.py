"""Wire shapes of webhooks and deliveries."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from moorage_core.kit.ids import DeliveryId, EventId, OrgId, ProjectId, WebhookId
from moorage_core.kit.wire import WHOLE, Input, Moment, Output

MAX_URL = 2048
MAX_TYPES = 50
TYPE_PATTERN = r"^(\*|[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*(\.\*)?)$"

Url = Annotated[
    str,
    StringConstraints(min_length=10, max_length=MAX_URL),
    Field(description="Where to POST the events: https, no user name, no fragment."),
]
Types = Annotated[
    list[Annotated[str, StringConstraints(max_length=120, pattern=TYPE_PATTERN)]],
    Field(
        min_length=1,
        max_length=MAX_TYPES,
        description="Event types: `iam.org.created`, all that begin alike as `iam.*`, or `*`.",
    ),
]
StatusName = Literal["pending", "delivered", "dead"]


class WebhookCreate(Input):
    org: OrgId
    project: ProjectId | None = None
    """Only events of this project. Without it: all events of the org."""
    url: Url
    types: Types
    enabled: bool = True


class WebhookUpdate(Input):
    """What is left out stays as it is."""

    url: Url | None = None
    types: Types | None = None
    enabled: bool | None = None


class SecretRotation(Input):
    overlap_hours: Annotated[int, Field(ge=0, le=168), WHOLE] = 24
    """For so long the old secret signs too. 0 if it has leaked."""


class WebhookRead(Output):
    id: WebhookId
    org_id: OrgId
    project_id: ProjectId | None
    url: str
    types: list[str]
    enabled: bool
    previous_until: Moment | None
    """Until then deliveries are signed with the secret before the newest as well."""
    version: int
    created_at: Moment
    updated_at: Moment


class WebhookIssued(WebhookRead):
    """A webhook with its signing secret, which is shown this once."""

    secret: str


class DeliveryRead(Output):
    id: DeliveryId
    webhook_id: WebhookId
    event_id: EventId
    event_type: str
    status: StatusName
    attempts: int
    due_at: Moment | None
    """When it will be tried next."""
    answer_status: int | None
    """The HTTP status of the last answer."""
    error: str | None
    """Why the last try did not deliver."""
    version: int
    created_at: Moment
    tried_at: Moment | None
    ended_at: Moment | None
