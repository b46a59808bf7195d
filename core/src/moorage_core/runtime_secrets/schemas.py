"""Wire shapes of runtime secrets."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr, StringConstraints

from moorage_core.kit.ids import InstanceId, OperationId, OrgId, ProjectId, RuntimeSecretId
from moorage_core.kit.wire import WHOLE, Input, Moment, Output

Purpose = Literal["artifact_pull", "cluster_key", "join", "database"]


class RuntimeSecretCreate(Input):
    """A secret for the operation's tasks. Its value goes to nodes and to nobody else.

    An app's secret is its instance's. Where that has one of this name, it stays as it is.
    """

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_.-]{0,62}$")]
    """What tasks call it: `{"$secret": name}`."""
    purpose: Purpose
    value: Annotated[SecretStr, Field(min_length=1, max_length=262_144)] | None = None
    """The value. Either this or `generate`."""
    encoding: Literal["text", "base64"] = "text"
    """How the value is written here."""
    generate: Annotated[int, Field(ge=16, le=1024), WHOLE] | None = None
    """Make a value of so many random bytes, in URL-safe base64. Nobody but the nodes sees it."""
    expires_in: Annotated[int, Field(ge=60, le=7 * 86_400), WHOLE] | None = None
    """Seconds. Afterwards no node gets it any more, and the value is removed. If left out: a day
    for a session's, and for an app's as long as the instance is there."""
    rotate: bool = False
    """Put a new value in the place of the one that the instance has. Once in an operation."""


class RuntimeSecretRead(Output):
    id: RuntimeSecretId
    org_id: OrgId
    project_id: ProjectId
    operation_id: OperationId
    name: str
    purpose: Purpose
    instance_id: InstanceId | None
    generation: int
    """Counts the values that the instance has had under this name."""
    expires_at: Moment | None
    version: int
    created_at: Moment
