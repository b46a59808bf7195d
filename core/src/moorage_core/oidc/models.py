"""Rows of the sign-in tables."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Provider:
    id: str
    slug: str
    name: str
    issuer: str
    client_id: str
    secret_id: str
    domains: list[str]
    enabled: bool
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class LoginProvider:
    """What signing in needs to know of an enabled provider."""

    id: str
    slug: str
    name: str
    issuer: str
    client_id: str
    secret_id: str
    domains: list[str]


@dataclass(frozen=True)
class Standing:
    """What makes an account more than an address that somebody wrote down."""

    has_password: bool
    runs_platform: bool
    linked_elsewhere: bool


@dataclass(frozen=True)
class LinkedUser:
    """The account behind an identity at a provider."""

    id: str
    name: str
    disabled_at: datetime | None
