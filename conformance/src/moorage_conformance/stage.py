"""Everything that a pass needs, put together: the app, its operator, its machines and its road."""

import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

from moorage import Client
from moorage_conformance import replica
from moorage_conformance.hosts import Hosts
from moorage_conformance.namespace import Namespace
from moorage_conformance.plan import Plan
from moorage_conformance.publishing import Published
from moorage_conformance.replica import Program, Replica
from moorage_conformance.road import Road
from moorage_conformance.tenant import Tenant

DOORS = 2
"""How many replicas there are at most."""


@dataclass(frozen=True)
class Stage:
    """Where the app is seen."""

    plan: Plan
    tenant: Tenant
    app: Published
    operator: Client
    """The operator's own account, as its controller uses it."""
    hosts: Hosts
    road: Road
    inside: Namespace
    log: Path
    """What the controllers write."""
    crashes: int | None = None
    """How often one operation is crashed at most; None: at every call."""
    cancels: int | None = None
    """How often one operation is cancelled at most; None: at every step."""
    ca: str | None = None
    """The certificate of the platform's own authority."""
    acts: frozenset[str] | None = None
    """What of a life is lived between its beginning and its end; None: all of it."""

    @property
    def client(self) -> Client:
        return self.tenant.client

    def replica(self, door: int = 0) -> Replica:
        """A replica that does not run yet."""
        program = Program(
            tuple(self.plan.said.controller),
            self.plan.path,
            self.app.account,
            self.app.key,
            self.app.secret_file,
            self.log,
        )
        return Replica(program, door, self.inside, self.road)

    @contextlib.asynccontextmanager
    async def acting(self, door: int = 0) -> AsyncGenerator[Replica]:
        """A replica that acts for the app, for as long as the block goes on."""
        async with replica.running(self.replica(door)) as made:
            yield made
