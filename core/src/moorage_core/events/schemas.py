"""Wire shapes of events: CloudEvents 1.0, structured JSON."""

from typing import Any, Literal

from pydantic import BaseModel

from moorage_core.events.models import Event
from moorage_core.kit.wire import Moment

SPEC_VERSION: Literal["1.0"] = "1.0"


class CloudEvent(BaseModel):
    """One event. Attribute names have no underscores because CloudEvents allows none."""

    specversion: Literal["1.0"]
    id: str
    source: str
    type: str
    subject: str
    time: Moment
    datacontenttype: Literal["application/json"]
    dataschema: str
    sequence: str
    subjectversion: int
    correlationid: str
    orgid: str
    projectid: str | None
    appslug: str | None
    appinstanceid: str | None
    traceparent: str | None
    data: dict[str, Any]


class EventsRead(BaseModel):
    """Events in order.

    Ask again with `after` = `next`; nothing is missed and nothing comes twice.
    """

    items: list[CloudEvent]
    next: str
    """Always given: where the reader stands now."""


def wire(event: Event, *, source: str) -> dict[str, Any]:
    """An event as everybody outside sees it: readers, streams and webhooks alike."""
    return {
        "specversion": SPEC_VERSION,
        "id": event.id,
        "source": source,
        "type": event.type,
        "subject": event.subject,
        "time": event.at.isoformat().replace("+00:00", "Z"),
        "datacontenttype": "application/json",
        "dataschema": f"https://moorage.dev/contract/events/{event.type}.json",
        "sequence": str(event.seq),
        "subjectversion": event.subject_version,
        "correlationid": event.correlation_id,
        "orgid": event.org_id,
        "projectid": event.project_id,
        "appslug": event.app_slug,
        "appinstanceid": event.app_instance_id,
        "traceparent": event.traceparent,
        "data": event.data,
    }
