"""What the database itself refuses, whatever a statement above it forgets."""

import psycopg
import pytest

from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site
from moorage_core.kit.db import org_scope

SIGN = """
    INSERT INTO artifact_signatures
        (artifact_id, key_id, org_id, project_id, signature, public_key, created_at)
    VALUES (%s, %s, %s, %s, '', '{}', now())
    """


async def write_signature(site: Site, tenant: Tenant, artifact: str, key: str) -> None:
    """As the tenant, past every check of ours."""
    scope = org_scope(tenant.org.id, principal=tenant.admin.id)
    row = (artifact, key, tenant.org.id, tenant.project.id)
    async with await psycopg.AsyncConnection.connect(site.urls.app) as connection:
        await connection.execute(scope.sql().encode())
        await connection.execute(SIGN, row)
        await connection.rollback()


async def test_a_signature_belongs_to_an_artifact_and_a_key_of_one_project(
    site: Site, tenant: Tenant
) -> None:
    other = await make_tenant(site)
    artifact, key = await tenant.id("artifact"), await tenant.id("publisher_key")
    foreign_artifact, foreign_key = await other.id("artifact"), await other.id("publisher_key")

    await write_signature(site, tenant, artifact, key)
    for pair in ((foreign_artifact, key), (artifact, foreign_key)):
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            await write_signature(site, tenant, *pair)
