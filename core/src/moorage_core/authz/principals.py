"""Who calls: a person, a service account, the platform itself, or nobody known."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from moorage_core.kit.db import Scope
from moorage_core.kit.ids import PLATFORM_ORG


class Kind(StrEnum):
    USER = "user"
    SERVICE_ACCOUNT = "service_account"
    SYSTEM = "system"
    NODE = "node"
    OPERATION = "operation"
    WATCH = "watch"
    ANONYMOUS = "anonymous"


@dataclass(frozen=True)
class Grant:
    """Keys held in one place: a project, or a whole org with all its projects."""

    org: str
    project: str | None
    permissions: frozenset[str]
    role: str | None = None
    """The role that brings the keys. Apps grant their own keys to roles; the core never asks."""
    only: frozenset[str] | None = None
    """For tokens with a list of permissions: no key of an app but these. None: as the role has."""


@dataclass(frozen=True)
class Place:
    """A whole org, or one project of it."""

    org: str
    project: str | None


@dataclass(frozen=True)
class Principal:
    kind: Kind
    id: str
    name: str
    grants: tuple[Grant, ...] = ()
    own: frozenset[str] = frozenset()
    """Keys that the principal holds on itself."""
    credential: str | None = None
    """The id of the session, token or key that proved it."""
    restricted_by: str | None = None
    """The token that holds less than its owner: what it may see is not what its owner may."""
    until: datetime | None = None
    """When the credential ends, where that limits what can be made with it."""
    instance: str | None = None
    """For tokens of an app's operations and of watches: the one instance that they are about."""
    operation: str | None = None
    """For the same: the one operation whose tasks they see."""
    fence: int | None = None
    """For the same: the number of their turn. A later turn ends them."""
    cookie: bool = field(default=False, compare=False)
    """Proved by a cookie, which a browser sends by itself: changes need the CSRF token too."""

    @cached_property
    def scope(self) -> Scope:
        if self.kind is Kind.NODE:
            # Whoever is root on the host has its token: it sees what is its own, in no org at all.
            return Scope(principal=self.id)
        return Scope(
            principal=self.id,
            orgs=frozenset(grant.org for grant in self.grants),
            whole_orgs=frozenset(grant.org for grant in self.grants if grant.project is None),
            projects=frozenset(grant.project for grant in self.grants if grant.project),
        )

    @property
    def home_org(self) -> str:
        """Where a refusal is noted when the thing asked for belongs to nobody the caller knows."""
        orgs = self.scope.orgs
        return next(iter(orgs)) if len(orgs) == 1 else PLATFORM_ORG

    def orgs_with(self, key: str) -> list[str]:
        """Orgs that are wholly covered by this key."""
        return sorted({g.org for g in self.grants if g.project is None and key in g.permissions})

    def projects_with(self, key: str) -> list[str]:
        """Projects in which this key is held by a grant on the project itself."""
        return sorted({g.project for g in self.grants if g.project and key in g.permissions})

    def places(
        self, key: str, *, org: str | None = None, project: str | None = None
    ) -> list[Place]:
        """Where this key is held, as far as it was asked for. No place lies within another."""
        grants = [g for g in self.grants if key in g.permissions and org in (None, g.org)]
        whole = {grant.org for grant in grants if grant.project is None}
        if project is not None:
            single = {(held, project) for held in whole}
            single |= {(g.org, project) for g in grants if g.project == project}
            return [Place(*pair) for pair in sorted(single)]
        parts = {(g.org, g.project) for g in grants if g.project and g.org not in whole}
        return [Place(held, None) for held in sorted(whole)] + [
            Place(*pair) for pair in sorted(parts)
        ]

    def narrowed(
        self, permissions: Iterable[str] | None, *, org: str | None, project: str | None
    ) -> tuple[Grant, ...]:
        """The grants of a token of this principal: never more than the principal's own."""
        keys = None if permissions is None else frozenset(permissions)
        narrow: list[Grant] = []
        for grant in self.grants:
            if org is not None and grant.org != org:
                continue
            if project is not None and grant.project not in (None, project):
                continue
            kept = grant.permissions if keys is None else grant.permissions & keys
            only = (
                grant.only if keys is None else keys & (keys if grant.only is None else grant.only)
            )
            narrow.append(Grant(grant.org, project or grant.project, kept, grant.role, only))
        return tuple(narrow)


ANONYMOUS = Principal(Kind.ANONYMOUS, "anonymous", "anonymous")
SYSTEM = Principal(Kind.SYSTEM, "system", "system")
