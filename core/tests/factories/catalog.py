"""Apps, versions and operators for tests, made through the API."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from core.tests.callers import Caller
from core.tests.site import fresh
from moorage_core.authz.permissions import Permission

if TYPE_CHECKING:
    from core.tests.factories.tenants import Tenant


def manifest(
    slug: str, version: str = "1.0.0", *, artifacts: Sequence[dict[str, Any]] = (), more: str = ""
) -> str:
    """A manifest as somebody would write it. `more` is YAML at its top level."""
    listed = "".join(
        f"  - {{name: {each['name']}, digest: '{each['digest']}', size: {each['size']},"
        f" media_type: {each['media_type']}}}\n"
        for each in artifacts
    )
    return (
        "contract: 1\n"
        f"slug: {slug}\n"
        f"version: '{version}'\n"
        "name: Example\n"
        "summary: An app for tests.\n"
        "modes:\n"
        "  - {operating_mode: standard, scope: project}\n"
        + (f"artifacts:\n{listed}" if listed else "")
        + more
    )


def new_app(slug: str | None = None, **fields: Any) -> dict[str, Any]:
    """What registers an app."""
    shown = {"name": "Example", "summary": "An app for tests."}
    return {"slug": slug or f"a-{fresh()}", **shown, **fields}


async def made(caller: Caller, path: str, body: Any, *, status: int = 201) -> dict[str, Any]:
    answer = await caller.post(path, body)
    assert answer.status_code == status, answer.text
    return answer.json()


async def draft(caller: Caller, app: dict[str, Any], **parts: Any) -> dict[str, Any]:
    body = {"manifest": manifest(app["slug"], **parts)}
    return await made(caller, f"/v1/apps/{app['id']}/versions", body)


async def publish(caller: Caller, app: dict[str, Any], **parts: Any) -> dict[str, Any]:
    version = await draft(caller, app, **parts)
    return await made(caller, f"/v1/app-versions/{version['id']}/publish", {}, status=200)


async def make_app(tenant: "Tenant") -> str:
    path = f"/v1/projects/{tenant.project.id}/apps"
    app = await made(tenant.admin, path, new_app())
    tenant.ids["slug"] = app["slug"]
    return app["id"]


async def make_version(tenant: "Tenant") -> str:
    """A draft."""
    await tenant.id("app")
    app = {"id": tenant.ids["app"], "slug": tenant.ids["slug"]}
    return (await draft(tenant.admin, app))["id"]


async def published(tenant: "Tenant") -> None:
    """The tenant's version, published if it is a draft."""
    path = f"/v1/app-versions/{await tenant.id('version')}"
    if (await tenant.admin.get(path)).json()["status"] == "draft":
        await made(tenant.admin, f"{path}/publish", {}, status=200)


async def deprecated(tenant: "Tenant") -> None:
    await published(tenant)
    path = f"/v1/app-versions/{tenant.ids['version']}/deprecate"
    await made(tenant.admin, path, {"note": "Use another one."}, status=200)


async def make_promotion(tenant: "Tenant") -> str:
    """Of a version of its own: the tenant's may stay a draft."""
    await tenant.id("app")
    app = {"id": tenant.ids["app"], "slug": tenant.ids["slug"]}
    version = await publish(tenant.admin, app, version=f"0.0.0-{fresh()}")
    body = {"channel": "dev", "version": version["id"]}
    return (await made(tenant.admin, f"/v1/apps/{app['id']}/promotions", body))["id"]


async def make_channel(tenant: "Tenant") -> str:
    await make_promotion(tenant)
    return "dev"


async def filled_channel(tenant: "Tenant") -> None:
    """The tenant's channel points to a version."""
    await make_promotion(tenant)


async def make_operator_account(tenant: "Tenant") -> str:
    """A service account that may claim and nothing else."""
    body = {"name": f"operator {fresh()}", "permissions": [Permission.APPS_OPERATION_CLAIM]}
    path = f"/v1/projects/{tenant.project.id}/service-accounts"
    return (await made(tenant.admin, path, body))["id"]


async def await_operator(tenant: "Tenant") -> None:
    """An app and an account that can be registered as its operator."""
    await tenant.fill("app")
    tenant.ids["operator_account"] = await make_operator_account(tenant)


async def make_operator(tenant: "Tenant") -> str:
    await await_operator(tenant)
    body = {
        "app": tenant.ids["app"],
        "service_account": tenant.ids["operator_account"],
        "name": f"operator {fresh()}",
    }
    path = f"/v1/projects/{tenant.project.id}/app-operators"
    return (await made(tenant.admin, path, body))["id"]
