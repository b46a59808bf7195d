"""The client: one platform, one caller, everything that can be asked."""

from pathlib import Path
from types import TracebackType
from typing import Self

from moorage._operation import Options
from moorage._transport import Transport
from moorage._version import __version__
from moorage.auth import Auth
from moorage.resources.access import Grants, Logins, SshAuthorities
from moorage.resources.access_credentials import AccessCredentials, SshHosts
from moorage.resources.actions import Actions
from moorage.resources.allocations import Allocations
from moorage.resources.apps import Apps
from moorage.resources.artifacts import Artifacts
from moorage.resources.audit import Audit
from moorage.resources.controllers import Controllers
from moorage.resources.entitlements import Entitlements
from moorage.resources.events import Events
from moorage.resources.families import Families
from moorage.resources.fleet import Regions, Skus
from moorage.resources.instances import Instances
from moorage.resources.members import Members
from moorage.resources.memberships import Memberships, Roles
from moorage.resources.nodes import Enrolments, Nodes
from moorage.resources.oidc_providers import OidcProviders
from moorage.resources.operations import NodeSessions, Operations
from moorage.resources.operators import Operators
from moorage.resources.orgs import Orgs
from moorage.resources.people import AccessTokens, Me, Sessions, Users
from moorage.resources.plans import Plans
from moorage.resources.platform import Platform
from moorage.resources.policy import Policy
from moorage.resources.projects import Projects
from moorage.resources.publisher_keys import PublisherKeys
from moorage.resources.pulls import Pulls
from moorage.resources.service_accounts import ServiceAccounts
from moorage.resources.signing_in import SigningIn
from moorage.resources.sources import Sources
from moorage.resources.tasks import Tasks
from moorage.resources.triage import Triage
from moorage.resources.views import Views
from moorage.resources.webhooks import Webhooks

PATIENCE = 30.0


class Client:
    """A platform as one caller sees it.

        auth = moorage.AccessToken(token)
        async with moorage.Client("https://moorage.example.org", auth=auth) as client:
            async for org in client.orgs.list():
                print(org.slug)

    Args:
        url: The platform's address. Plain HTTP is for this machine only.
        auth: How to prove who calls: `AccessToken`, `ServiceAccount` or `Password`. None: nobody.
        ca: The certificate of the authority to trust, and no other: a file, or PEM text.
        patience: For how many seconds a call goes on trying while the platform cannot be reached.
        agent: How the program calls itself.
    """

    def __init__(
        self,
        url: str,
        *,
        auth: Auth | None = None,
        ca: str | Path | None = None,
        patience: float = PATIENCE,
        agent: str = f"moorage-sdk/{__version__}",
    ) -> None:
        self._bind(Transport(url, auth=auth, ca=ca, patience=patience, agent=agent), Options())

    def _bind(self, transport: Transport, options: Options) -> None:
        self._transport = transport
        held = transport, options
        self.access_credentials = AccessCredentials(*held)
        self.access_tokens = AccessTokens(*held)
        self.actions = Actions(*held)
        self.allocations = Allocations(*held)
        self.apps = Apps(*held)
        self.artifacts = Artifacts(*held)
        self.audit = Audit(*held)
        self.controllers = Controllers(*held)
        self.enrolments = Enrolments(*held)
        self.entitlements = Entitlements(*held)
        self.events = Events(*held)
        self.families = Families(*held)
        self.grants = Grants(*held)
        self.logins = Logins(*held)
        self.me = Me(*held)
        self.instances = Instances(*held)
        self.members = Members(*held)
        self.memberships = Memberships(*held)
        self.node_sessions = NodeSessions(*held)
        self.nodes = Nodes(*held)
        self.oidc_providers = OidcProviders(*held)
        self.operations = Operations(*held)
        self.operators = Operators(*held)
        self.orgs = Orgs(*held)
        self.plans = Plans(*held)
        self.platform = Platform(*held)
        self.policy = Policy(*held)
        self.projects = Projects(*held)
        self.publisher_keys = PublisherKeys(*held)
        self.pulls = Pulls(*held)
        self.regions = Regions(*held)
        self.roles = Roles(*held)
        self.service_accounts = ServiceAccounts(*held)
        self.sessions = Sessions(*held)
        self.signing_in = SigningIn(*held)
        self.skus = Skus(*held)
        self.sources = Sources(*held)
        self.ssh_authorities = SshAuthorities(*held)
        self.ssh_hosts = SshHosts(*held)
        self.tasks = Tasks(*held)
        self.triage = Triage(*held)
        self.users = Users(*held)
        self.views = Views(*held)
        self.webhooks = Webhooks(*held)

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    @property
    def url(self) -> str:
        return self._transport.url

    def using(
        self,
        *,
        idempotency_key: str | None = None,
        correlation_id: str | None = None,
        traceparent: str | None = None,
    ) -> "Client":
        """The same client with these sent along. An idempotency key is for one change."""
        other = Client.__new__(Client)
        options = Options(idempotency_key, correlation_id, traceparent)
        other._bind(self._transport, options)  # noqa: SLF001 - one of our own
        return other

    def acting(self, auth: Auth, *, correlation_id: str, traceparent: str | None) -> "Client":
        """The same connections for another caller, as part of what has this correlation id."""
        other = Client.__new__(Client)
        options = Options(correlation_id=correlation_id, traceparent=traceparent)
        other._bind(self._transport.acting(auth), options)  # noqa: SLF001 - one of our own
        return other

    async def close(self) -> None:
        """End what was opened for this client. `async with` does it by itself."""
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
