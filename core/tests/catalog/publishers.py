"""Publishers for tests: a project that publishes, those around it, and robots with exact keys."""

from dataclasses import dataclass
from typing import Any

from core.tests.callers import Caller
from core.tests.factories import artifacts, catalog
from core.tests.factories.tenancy import ProjectRow, make_project
from core.tests.factories.tenants import Bearer, Tenant, make_tenant
from core.tests.site import Site, fresh


@dataclass(frozen=True)
class Street:
    """A publishing project and those who look at it."""

    site: Site
    tenant: Tenant
    publisher: Caller
    """Project admin of the publishing project."""
    colleague: Caller
    """Viewer of the publishing project."""
    sibling: Caller
    """Project admin of another project of the same org."""
    sibling_project: ProjectRow
    stranger: Tenant
    """Another org."""

    @property
    def project(self) -> str:
        return self.tenant.project.id

    async def app(self, **fields: Any) -> dict[str, Any]:
        path = f"/v1/projects/{self.project}/apps"
        return await catalog.made(self.publisher, path, catalog.new_app(**fields))

    async def artifact(self, content: bytes | None = None) -> dict[str, Any]:
        """Uploaded, unsigned, as a manifest names it."""
        uploaded = await artifacts.upload(self.publisher, self.project, content or fresh().encode())
        return uploaded | {"name": "thing.tar"}


async def make_street(site: Site) -> Street:
    tenant = await make_tenant(site)
    beside = await make_project(site.sql, tenant.org, f"prj-{fresh()}")
    return Street(
        site=site,
        tenant=tenant,
        publisher=await site.actor("project_admin", project=tenant.project),
        colleague=await site.actor("viewer", project=tenant.project),
        sibling=await site.actor("project_admin", project=beside),
        sibling_project=beside,
        stranger=await make_tenant(site),
    )


async def robot(admin: Caller, project: str, permissions: list[str]) -> Bearer:
    """A service account with exactly these keys, and a token."""
    body = {"name": f"robot {fresh()}", "permissions": permissions}
    account = await catalog.made(admin, f"/v1/projects/{project}/service-accounts", body)
    key = await catalog.made(admin, f"/v1/service-accounts/{account['id']}/keys", {})
    proof = {
        "service_account": account["id"],
        "key": key["id"],
        "client_secret": key["secret"],
    }
    answer = await admin.client.post("/v1/auth/token", json=proof)
    assert answer.status_code == 200, answer.text
    return Bearer(admin.client, answer.json()["access_token"])
