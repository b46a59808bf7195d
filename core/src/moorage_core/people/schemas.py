"""Wire shapes of people, sessions and tokens."""

from typing import Annotated

from pydantic import Field, StringConstraints

from moorage_core.kit.ids import AccessTokenId, OrgId, ProjectId, SessionId, UserId
from moorage_core.kit.wire import WHOLE, Email, Input, Moment, Name, Output, PermissionKey, Reason

Password = Annotated[
    str,
    StringConstraints(min_length=12, max_length=200),
    Field(json_schema_extra={"format": "password"}),
]
GivenPassword = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200),
    Field(json_schema_extra={"format": "password"}),
]


class Login(Input):
    email: Email
    password: GivenPassword


class PasswordSet(Input):
    code: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    """The one-time code that a platform admin gave you."""
    password: Password


class PasswordChange(Input):
    current: GivenPassword
    password: Password


class UserCreate(Input):
    email: Email
    name: Name


class UserUpdate(Input):
    name: Name | None = None
    disabled: bool | None = None


class UserRead(Output):
    id: UserId
    email: str
    name: str
    has_password: bool
    disabled: bool
    version: int
    created_at: Moment
    updated_at: Moment


class PasswordCodeIssue(Input):
    reason: Reason | None = None
    """Needed where the person has used the account and has roles in orgs, which are told then."""


class PasswordCodeRead(Output):
    user_id: UserId
    code: str
    """Shown once. Whoever has it can set the account's password."""
    expires_at: Moment


class SessionRead(Output):
    id: SessionId
    user_agent: str
    created_at: Moment
    seen_at: Moment
    expires_at: Moment


class LoginRead(Output):
    user_id: UserId
    session_id: SessionId
    csrf_token: str
    """Send it back in the header X-CSRF-Token with every change."""
    expires_at: Moment


class AccessTokenCreate(Input):
    name: Name
    expires_in: Annotated[int, Field(ge=60, description="Seconds from now."), WHOLE]
    permissions: Annotated[list[PermissionKey], Field(max_length=200)] | None = None
    """Only these keys. Left out: all that you hold."""
    org: OrgId | None = None
    """Only in this org."""
    project: ProjectId | None = None
    """Only in this project."""


class AccessTokenRead(Output):
    id: AccessTokenId
    name: str
    permissions: list[str] | None
    org_id: OrgId | None
    project_id: ProjectId | None
    created_at: Moment
    expires_at: Moment
    revoked_at: Moment | None


class AccessTokenIssued(AccessTokenRead):
    token: str
    """Shown once."""


class GrantRead(Output):
    org_id: OrgId
    org_slug: str
    org_name: str
    project_id: ProjectId | None
    project_slug: str | None
    project_name: str | None
    permissions: list[str]


class MeRead(Output):
    kind: str
    id: str
    name: str
    session_id: SessionId | None
    csrf_token: str | None
    grants: list[GrantRead]
    own_permissions: list[str]
