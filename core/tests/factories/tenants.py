"""A whole tenant: an org with one thing of every kind that a route can name.

A route names things by its path parameters. `Tenant.ids` has one real thing for each; where a new
route brings a new parameter, add its thing in `fill`.
"""

import base64
import functools
from dataclasses import dataclass
from typing import Any

import argon2
import httpx2

from core.tests.callers import Caller
from core.tests.factories.tenancy import OrgRow, ProjectRow, make_org, make_project
from core.tests.site import Site, fresh
from moorage_core.authz.roles import SERVICE_ACCOUNT_PERMISSIONS
from moorage_core.kit import tokens
from moorage_core.kit.ids import DeliveryId, OidcProviderId, SessionId

PASSWORD = "correct horse battery staple"
ACCOUNT_PERMISSIONS = sorted(str(key) for key in SERVICE_ACCOUNT_PERMISSIONS)


@dataclass(frozen=True)
class Tenant:
    org: OrgRow
    project: ProjectRow
    admin: Caller
    """Its tenant admin. The session and the personal token among the ids are this person's."""
    ids: dict[str, str]
    """One thing for each path parameter."""
    account_secret: str
    """The secret of the service account's key."""


async def make_tenant(site: Site) -> Tenant:
    org = await make_org(site.sql, f"org-{fresh()}")
    project = await make_project(site.sql, org, f"prj-{fresh()}")
    admin = await site.actor("tenant_admin", org=org)
    await give_password(site, admin)
    return await fill(site, project, admin)


async def fill(site: Site, project: ProjectRow, admin: Caller) -> Tenant:
    """Put one thing of every kind into a project."""
    org = project.org
    member = await _made(
        admin,
        f"/v1/projects/{project.id}/members",
        {"email": f"member-{fresh()}@example.org", "role": "project_member"},
    )
    account = await _made(
        admin,
        f"/v1/projects/{project.id}/service-accounts",
        {"name": f"robot {fresh()}", "permissions": ACCOUNT_PERMISSIONS},
    )
    key = await _made(admin, f"/v1/service-accounts/{account['id']}/keys", {})
    token = await _made(admin, "/v1/access-tokens", {"name": "spare", "expires_in": 3600})
    webhook = await _made(
        admin,
        "/v1/webhooks",
        {"org": org.id, "project": project.id, "url": "https://example.org/in", "types": ["iam.*"]},
    )
    await site.number()
    ids = {
        "org": org.id,
        "project": project.id,
        "member": member["id"],
        "user": member["user_id"],
        "account": account["id"],
        "key": key["id"],
        "token": token["id"],
        "session": await _session(site, admin),
        "webhook": webhook["id"],
        "delivery": await _delivery(site, project, webhook["id"]),
        "entry": await _entry(site, project),
        "provider": await _provider(site),
    }
    return Tenant(org, project, admin, ids, key["secret"])


async def give_password(site: Site, caller: Caller) -> None:
    await site.sql.execute(
        "UPDATE users SET password_hash = %s WHERE id = %s", (_password_hash(), caller.id)
    )


async def mint(site: Site, tenant: Tenant) -> Caller:
    """The tenant's service account with a token of minutes, ready to call."""
    answer = await site.client.post("/v1/auth/token", json=proof(tenant))
    assert answer.status_code == 200, answer.text
    return Bearer(site.client, answer.json()["access_token"])


def proof(tenant: Tenant) -> dict[str, str]:
    return {
        "service_account": tenant.ids["account"],
        "key": tenant.ids["key"],
        "client_secret": tenant.account_secret,
    }


class Bearer(Caller):
    """Whoever holds a token, person or not."""

    def __init__(self, client: httpx2.AsyncClient, token: str) -> None:
        super().__init__(client, None)
        self.token = token

    @property
    def proof(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"}


@functools.cache
def _password_hash() -> str:
    return argon2.PasswordHasher().hash(PASSWORD)


async def _made(caller: Caller, path: str, body: Any) -> dict[str, Any]:
    answer = await caller.post(path, body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def _session(site: Site, person: Caller) -> str:
    id = SessionId.new()
    await site.sql.execute(
        """
        INSERT INTO sessions (id, user_id, token_hash, user_agent, created_at, seen_at, expires_at)
        VALUES (%s, %s, %s, 'test', now(), now(), now() + interval '1 hour')
        """,
        (id, person.id, tokens.digest(tokens.new(tokens.SESSION))),
    )
    return id


async def _delivery(site: Site, project: ProjectRow, webhook: str) -> str:
    """One that ended, so that it can be sent again."""
    id = DeliveryId.new()
    await site.sql.execute(
        """
        INSERT INTO webhook_deliveries (id, org_id, project_id, webhook_id, event_seq, event_id,
            event_type, status, attempts, created_at, ended_at)
        SELECT %s, org_id, project_id, %s, seq, id, type, 'dead', 3, now(), now() FROM events
        WHERE project_id = %s ORDER BY seq LIMIT 1
        """,
        (id, webhook, project.id),
    )
    return id


async def _entry(site: Site, project: ProjectRow) -> str:
    rows = await site.rows(
        "SELECT id FROM audit_entries WHERE project_id = %s ORDER BY seq LIMIT 1", project.id
    )
    return rows[0][0]


async def _provider(site: Site) -> str:
    id = OidcProviderId.new()
    await site.sql.execute(
        """
        INSERT INTO oidc_providers (id, slug, name, issuer, client_id, secret_id, enabled,
            created_at, updated_at)
        VALUES (%s, %s, 'Example', 'https://id.example.org', 'moorage', %s, true, now(), now())
        """,
        (id, f"idp-{fresh()}", "sec_" + base64.b32encode(id.encode()).decode().lower()[:26]),
    )
    return id
