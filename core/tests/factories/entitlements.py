"""Entitlements for tests: as rules see them, without a database, and made through the API."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from core.tests.callers import Caller
from core.tests.factories import catalog
from moorage_core.catalog.models import Version
from moorage_core.entitlements.models import Entitlement
from moorage_manifest.declarations import Declaration

if TYPE_CHECKING:
    from core.tests.factories.tenants import Tenant

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SMALL = Declaration(keys={"echo.greeting.read": ("project_member", "viewer")})
LARGE = SMALL.model_copy(update={"scopes": ("usage.report",)})
"""What SMALL asks for, and one thing more."""


def version(
    number: str, asks: Declaration = SMALL, *, status: str = "published", id: str | None = None
) -> Version:
    return Version(
        id=id or f"ver_{number}",
        app_id="app_echo",
        org_id="org_publisher",
        project_id="prj_publisher",
        number=number,
        status=status,
        manifest_digest="sha256:" + "0" * 64,
        declaration_digest=asks.digest,
        note=None,
        version=1,
        created_at=NOW,
        updated_at=NOW,
        published_at=NOW,
        deprecated_at=None,
        retired_at=None,
    )


def entitlement(accepted: Declaration = SMALL, **fields: Any) -> Entitlement:
    made = Entitlement(
        id="ent_1",
        org_id="org_a",
        project_id="prj_a",
        app_id="app_echo",
        app_slug="echo",
        channel=None,
        versions="*",
        enabled=True,
        accepted=accepted.model_dump(mode="json"),
        accepted_digest=accepted.digest,
        accepted_version_id="ver_1.0.0",
        accepted_by="usr_a",
        accepted_at=NOW,
        version=1,
        created_at=NOW,
        updated_at=NOW,
        admitted=[],
    )
    return replace(made, **fields)


# Through the API


def permissions(slug: str, **grants: str) -> str:
    """YAML of an app's own keys: `read="viewer, project_admin"` is `<namespace>.greeting.read`."""
    lines = "".join(
        f"  - key: {key_of(slug, verb)}\n"
        f"    description: May {verb} greetings.\n"
        f"    grants: [{roles}]\n"
        for verb, roles in grants.items()
    )
    return f"permissions:\n{lines}"


def key_of(slug: str, verb: str) -> str:
    return f"{slug.replace('-', '_')}.greeting.{verb}"


async def make_app(caller: Caller, project: str, **fields: Any) -> dict[str, Any]:
    """An app of which nothing is published yet."""
    return await catalog.made(caller, f"/v1/projects/{project}/apps", catalog.new_app(**fields))


async def offer(caller: Caller, project: str, app: str, **query: str) -> dict[str, Any]:
    answer = await caller.get(f"/v1/projects/{project}/offers/{app}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def entitle(caller: Caller, project: str, app: str, **wish: str) -> dict[str, Any]:
    """Entitle a project, accepting whatever is asked for."""
    consent = (await offer(caller, project, app, **wish))["consent"]
    body = {"app": app, "consent": consent, **wish}
    return await catalog.made(caller, f"/v1/projects/{project}/entitlements", body)


async def await_offer(tenant: "Tenant") -> None:
    """An app of the tenant's that its project is not entitled to yet, and what it asks for."""
    app = await make_app(tenant.admin, tenant.project.id)
    await catalog.publish(tenant.admin, app)
    tenant.ids["app"] = app["id"]
    found = await offer(tenant.admin, tenant.project.id, app["id"])
    tenant.ids["consent"] = found["consent"]


async def make_entitlement(tenant: "Tenant") -> str:
    """To an app of the tenant's own, which asks for nothing."""
    app = await make_app(tenant.admin, tenant.project.id)
    await catalog.publish(tenant.admin, app)
    made = await entitle(tenant.admin, tenant.project.id, app["id"])
    tenant.ids["consent"] = made["accepted_digest"]
    return made["id"]
