"""Wire shapes of codes."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from moorage_core.kit.ids import AccessTokenId, UserId
from moorage_core.kit.wire import WHOLE, Input, Moment, Name, Output

Seconds = Annotated[int, Field(ge=60, description="Seconds for which the token lives."), WHOLE]


class DeviceCodeCreate(Input):
    client: Name
    """What asks, as the person who decides is to read it: `moor on build-7`."""
    token_expires_in: Seconds


class DeviceCodeIssued(Output):
    device_code: str
    """The program's own secret: what it waits with."""
    user_code: str
    """What the person types in."""
    verification_uri: str
    verification_uri_complete: str
    """The same with the code filled in."""
    expires_in: int
    interval: int
    """Seconds between two questions of a program that does not `wait`."""


class DeviceCodeRead(Output):
    client: str
    address: str
    """Where it asks from."""
    status: Literal["pending", "approved", "denied"]
    token_expires_in: int
    created_at: Moment
    expires_at: Moment


class DeviceTokenRequest(Input):
    device_code: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    wait: Annotated[float, Field(ge=0, le=30, description="Seconds to wait for a decision.")] = 0


class DeviceTokenRead(Output):
    status: Literal["pending", "approved"]
    token: str | None = None
    """A personal access token, given once; null while nobody has decided."""
    token_id: AccessTokenId | None = None
    expires_at: Moment | None = None
    user_id: UserId | None = None
