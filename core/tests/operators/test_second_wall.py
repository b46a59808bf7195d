"""What the database itself refuses, whatever a statement above it forgets."""

import psycopg
import pytest

from core.tests.factories import catalog
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site
from moorage_core.kit.db import org_scope
from moorage_core.kit.ids import AppOperatorId

REGISTER = """
    INSERT INTO app_operators (id, app_id, org_id, project_id, app_slug, service_account_id, name,
        serves, created_at, updated_at)
    VALUES (%s, %s, %s, %s, 'x', %s, 'x', %s, now(), now())
    """


async def write_operator(site: Site, tenant: Tenant, app: str, *, serves: str) -> None:
    """As the tenant, past every check of ours."""
    account = await catalog.make_operator_account(tenant)
    scope = org_scope(tenant.org.id, principal=tenant.admin.id)
    row = (AppOperatorId.new(), app, tenant.org.id, tenant.project.id, account, serves)
    async with await psycopg.AsyncConnection.connect(site.urls.app) as connection:
        await connection.execute(scope.sql().encode())
        await connection.execute(REGISTER, row)
        await connection.rollback()


async def test_a_publishers_operator_lives_in_the_apps_own_project(site: Site) -> None:
    publisher, other = await make_tenant(site), await make_tenant(site)
    app = await publisher.id("app")

    await write_operator(site, publisher, app, serves="publisher")
    await write_operator(site, other, app, serves="project")
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        await write_operator(site, other, app, serves="publisher")
