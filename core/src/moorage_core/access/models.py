"""Rows of logins, access grants, certificates, authorities, and of what nodes should have."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Login:
    id: str
    org_id: str
    user_id: str
    login: str
    uid: int
    version: int
    created_at: datetime


@dataclass(frozen=True)
class NewLogin:
    """A name and a number that nobody in the org has had, for one person."""

    user_id: str
    login: str
    uid: int


@dataclass(frozen=True)
class AccessGrant:
    id: str
    org_id: str
    project_id: str
    allocation_id: str
    user_id: str
    login_id: str
    login: str
    uid: int
    principal: str
    sudo: bool
    forwarding: bool
    reason: str | None
    granted_by: str
    expires_at: datetime
    ended_at: datetime | None
    ended_because: str | None
    version: int
    created_at: datetime
    updated_at: datetime
    carried_out: bool
    """The node has said so: with this grant in its list, or without it once it ended."""
    problem: str | None
    """Why the node could not do so, where it said why."""
    user_name: str | None = None
    granted_by_name: str | None = None


@dataclass(frozen=True)
class Certificate:
    serial: int
    org_id: str
    project_id: str
    grant_id: str
    key_id: str
    fingerprint: str
    correlation_id: str
    issued_at: datetime
    expires_at: datetime


@dataclass(frozen=True)
class Authority:
    """A key that signs people's certificates. Its private half is in the secret store."""

    id: str
    org_id: str
    public_key: str
    fingerprint: str
    secret_id: str | None
    generation: int
    created_at: datetime
    retired_at: datetime | None


@dataclass(frozen=True)
class Person:
    """Somebody with a role in the project or its org."""

    id: str
    email: str
    name: str
    disabled: bool
    roles: list[str]


@dataclass(frozen=True)
class Machine:
    """What access needs to know of an allocation."""

    id: str
    org_id: str
    project_id: str
    node_id: str
    status: str


@dataclass(frozen=True)
class Contact:
    """How a node is reached, partly as its operator says, partly as the host itself says."""

    node_name: str
    address: str | None
    ssh_port: int | None
    nics: Any
    host_keys: Any


@dataclass(frozen=True)
class Standing:
    """A live grant, and what may have ended it meanwhile."""

    id: str
    project_id: str
    allocation_id: str
    expires_at: datetime
    allocation_status: str
    disabled: bool
    roles: list[str]


@dataclass(frozen=True)
class Behind:
    """A node whose list of people is older than it should be."""

    org_id: str
    project_id: str
    allocation_id: str
    residents: bool
    """Everybody of the project has an account there."""


@dataclass(frozen=True)
class NodeAccess:
    """What the list of people on a node should be, and how far the node has come."""

    allocation_id: str
    node_id: str
    org_id: str
    project_id: str
    wanted: int
    sent: int
    sent_generation: int
    confirmed: int
    confirmed_generation: int
    operation_id: str | None
    task_id: str | None
    tries: int
    retry_at: datetime | None
    allocation_status: str
    told: bool
    """The node still gets lists: it is held, or was taken back or given back without a wipe."""
    task_status: str | None
    task_ended_at: datetime | None
    task_result: dict[str, Any] | None
    task_error_code: str | None
    task_error_message: str | None


@dataclass(frozen=True)
class Listed:
    """One person as a node's list has them."""

    login: str
    uid: int
    name: str
    sudo: bool
    forwarding: bool
    principal: str | None
    """None of a resident without a grant, who has an account there and no way in."""
