"""A tenant with a thing of every kind that a route can name.

Routes name things by their path parameters; FACTORIES makes a real one for each. Where a new route
brings a new parameter, add its factory.
"""

import functools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import argon2
import httpx2

from core.tests.callers import Bearer, Caller
from core.tests.factories import (
    agentless,
    artifacts,
    catalog,
    controllers,
    entitlements,
    families,
    instances,
    machines,
    members,
    operations,
    pulls,
)
from core.tests.factories.tenancy import OrgRow, ProjectRow, make_org, make_project
from core.tests.site import Site, fresh
from moorage_core.authz.roles import SERVICE_ACCOUNT_PERMISSIONS
from moorage_core.kit import tokens
from moorage_core.kit.ids import DeliveryId, OidcProviderId, SessionId

PASSWORD = "correct horse battery staple"
ACCOUNT_PERMISSIONS = sorted(str(key) for key in SERVICE_ACCOUNT_PERMISSIONS)


@dataclass(frozen=True)
class Tenant:
    site: Site
    org: OrgRow
    project: ProjectRow
    admin: Caller
    """Its tenant admin. Sessions and personal tokens among the ids are this person's."""
    ids: dict[str, str] = field(default_factory=dict[str, str])
    """Things by the name of the path parameter that names them."""
    secrets: dict[str, str] = field(default_factory=dict[str, str])

    async def id(self, name: str) -> str:
        """The thing of that name, made when it is first asked for."""
        assert name in FACTORIES, (
            f"A route has the path parameter {name!r}, of which tests know no thing. "
            "Add a factory for it in core/tests/factories/tenants.py."
        )
        if name not in self.ids:
            self.ids[name] = await FACTORIES[name](self)
        return self.ids[name]

    async def fill(self, *names: str) -> "Tenant":
        """Make the named things, or one of every kind."""
        for name in names or FACTORIES:
            await self.id(name)
        return self


async def make_tenant(site: Site) -> Tenant:
    org = await make_org(site.sql, f"org-{fresh()}")
    project = await make_project(site.sql, org, f"prj-{fresh()}")
    admin = await site.actor("tenant_admin", org=org)
    await give_password(site, admin)
    return Tenant(site, org, project, admin)


async def give_password(site: Site, caller: Caller) -> None:
    await site.sql.execute(
        "UPDATE users SET password_hash = %s WHERE id = %s", (_password_hash(), caller.id)
    )


async def mint(tenant: Tenant) -> Bearer:
    """The tenant's service account with a token of minutes, ready to call."""
    await tenant.fill("key")
    proof = {
        "service_account": tenant.ids["account"],
        "key": tenant.ids["key"],
        "client_secret": tenant.secrets["key"],
    }
    answer = await tenant.site.client.post("/v1/auth/token", json=proof)
    assert answer.status_code == 200, answer.text
    return Bearer(tenant.site.client, answer.json()["access_token"])


async def make_account(tenant: Tenant, *permissions: str) -> Bearer:
    """A service account of the project that holds these keys and no other, ready to call."""
    path = f"/v1/projects/{tenant.project.id}/service-accounts"
    body = {"name": f"account {fresh()}", "permissions": list(permissions)}
    account = (await _made(tenant.admin, path, body))["id"]
    key = await _made(tenant.admin, f"/v1/service-accounts/{account}/keys", {})
    proof = {"service_account": account, "key": key["id"], "client_secret": key["secret"]}
    answer = await tenant.site.client.post("/v1/auth/token", json=proof)
    assert answer.status_code == 200, answer.text
    return Bearer(tenant.site.client, answer.json()["access_token"])


class Holder(Bearer):
    """Whoever holds the token of an operation, and acts as it."""

    kind = "operation"

    def __init__(self, client: httpx2.AsyncClient, token: str, operation: str) -> None:
        super().__init__(client, token)
        self.operation = operation

    @property
    def id(self) -> str:
        return self.operation


@functools.cache
def _password_hash() -> str:
    """A cheap one: what it costs to check stands in the hash itself."""
    return argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)


async def _made(caller: Caller, path: str, body: Any) -> dict[str, Any]:
    answer = await caller.post(path, body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def _org(tenant: Tenant) -> str:
    return tenant.org.id


async def _project(tenant: Tenant) -> str:
    return tenant.project.id


async def _membership(tenant: Tenant) -> str:
    body = {"email": f"member-{fresh()}@example.org", "role": "project_member"}
    path = f"/v1/projects/{tenant.project.id}/memberships"
    membership = await _made(tenant.admin, path, body)
    tenant.ids["user"] = membership["user_id"]
    return membership["id"]


async def _user(tenant: Tenant) -> str:
    await tenant.id("membership")
    return tenant.ids["user"]


async def _account(tenant: Tenant) -> str:
    body = {"name": f"robot {fresh()}", "permissions": ACCOUNT_PERMISSIONS}
    path = f"/v1/projects/{tenant.project.id}/service-accounts"
    return (await _made(tenant.admin, path, body))["id"]


async def _key(tenant: Tenant) -> str:
    path = f"/v1/service-accounts/{await tenant.id('account')}/keys"
    key = await _made(tenant.admin, path, {})
    tenant.secrets["key"] = key["secret"]
    return key["id"]


async def _token(tenant: Tenant) -> str:
    """Narrowed to the project, so that its row names an org."""
    body = {"name": "spare", "expires_in": 3600, "project": tenant.project.id}
    return (await _made(tenant.admin, "/v1/access-tokens", body))["id"]


async def _session(tenant: Tenant) -> str:
    id = SessionId.new()
    await tenant.site.sql.execute(
        """
        INSERT INTO sessions (id, user_id, token_hash, user_agent, created_at, seen_at, expires_at)
        VALUES (%s, %s, %s, 'test', now(), now(), now() + interval '1 hour')
        """,
        (id, tenant.admin.id, tokens.digest(tokens.new(tokens.SESSION))),
    )
    return id


async def _user_code(tenant: Tenant) -> str:
    body = {"client": "moor on a host", "token_expires_in": 3600}
    answer = await tenant.site.client.post("/v1/auth/device-codes", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()["user_code"]


async def _webhook(tenant: Tenant) -> str:
    body = {
        "org": tenant.org.id,
        "project": tenant.project.id,
        "url": "https://example.org/in",
        "types": ["iam.*"],
    }
    return (await _made(tenant.admin, "/v1/webhooks", body))["id"]


async def _delivery(tenant: Tenant) -> str:
    """One that ended, so that it can be sent again."""
    id, webhook = DeliveryId.new(), await tenant.id("webhook")
    await tenant.site.number()
    await tenant.site.sql.execute(
        """
        INSERT INTO webhook_deliveries (id, org_id, project_id, webhook_id, event_seq, event_id,
            event_type, status, attempts, created_at, ended_at)
        SELECT %s, org_id, project_id, %s, seq, id, type, 'dead', 3, now(), now() FROM events
        WHERE project_id = %s ORDER BY seq LIMIT 1
        """,
        (id, webhook, tenant.project.id),
    )
    return id


async def _entry(tenant: Tenant) -> str:
    await tenant.id("account")
    await tenant.site.number()
    rows = await tenant.site.rows(
        "SELECT id FROM audit_entries WHERE project_id = %s ORDER BY seq LIMIT 1",
        tenant.project.id,
    )
    return rows[0][0]


async def _provider(tenant: Tenant) -> str:
    """A sign-in provider with which the tenant's user has signed in."""
    id, user = OidcProviderId.new(), await tenant.id("user")
    slug = f"idp-{fresh()}"
    await tenant.site.sql.execute(
        """
        INSERT INTO oidc_providers (id, slug, name, issuer, client_id, secret_id, domains, enabled,
            created_at, updated_at)
        VALUES (%s, %s, 'Example', 'https://id.example.org', 'moorage', 'none', '{example.org}',
            false, now(), now())
        """,
        (id, slug),
    )
    await tenant.site.sql.execute(
        "INSERT INTO oidc_identities VALUES (%s, %s, %s, now())", (id, fresh(), user)
    )
    return id


FACTORIES: dict[str, Callable[[Tenant], Awaitable[str]]] = {
    "org": _org,
    "project": _project,
    "membership": _membership,
    "user": _user,
    "account": _account,
    "key": _key,
    "token": _token,
    "session": _session,
    "user_code": _user_code,
    "webhook": _webhook,
    "delivery": _delivery,
    "entry": _entry,
    "provider": _provider,
    "app": catalog.make_app,
    "version": catalog.make_version,
    "operator": catalog.make_operator,
    "promotion": catalog.make_promotion,
    "channel": catalog.make_channel,
    "artifact": artifacts.make_artifact,
    "publisher_key": artifacts.make_publisher_key,
    "entitlement": entitlements.make_entitlement,
    "family": families.make_family,
    "source": families.make_source,
    "pull": pulls.make_pull,
    **machines.FACTORIES,
    **members.FACTORIES,
    **instances.FACTORIES,
    **controllers.FACTORIES,
}

STATES: dict[str, Callable[[Tenant], Awaitable[None]]] = {
    "create_pull": pulls.await_pull,
    "complete_artifact": artifacts.await_completion,
    "put_artifact_content": artifacts.await_bytes,
    "sign_artifact": artifacts.await_signature,
    "create_entitlement": entitlements.await_offer,
    "get_offer": entitlements.await_offer,
    "deprecate_app_version": catalog.published,
    "restore_app_version": catalog.deprecated,
    "retire_app_version": catalog.published,
    "promote_app_version": catalog.published,
    "clear_app_channel": catalog.filled_channel,
    "register_app_operator": catalog.await_operator,
    "create_node": machines.await_place,
    "create_nodes": machines.await_place,
    "resume_node": machines.set_aside,
    "create_login": machines.await_login,
    "create_allocations": machines.await_capacity,
    "create_node_session": machines.await_machine,
    "create_tasks": machines.await_machine,
    "get_ssh_host": agentless.reached_by_ssh,
    "set_ssh_host": agentless.reached_by_ssh,
    "scan_ssh_host": agentless.set_up,
    "confirm_ssh_host": agentless.scanned,
    **members.STATES,
    **instances.STATES,
    **controllers.STATES,
    **operations.STATES,
}
"""By route: what brings the tenant's things into the state in which the route succeeds."""
