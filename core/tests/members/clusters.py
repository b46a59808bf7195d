"""An app with a signed artifact, published by somebody else, that runs in a tenant's project."""

from dataclasses import dataclass
from typing import Any

from core.tests.factories import catalog, entitlements
from core.tests.factories.instances import CLUSTER, Echo
from core.tests.factories.members import Running, running
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.policy.places import Publisher, make_publisher
from core.tests.site import Site, fresh


@dataclass(frozen=True)
class Cluster:
    publisher: Publisher
    tenant: Tenant
    version: dict[str, Any]
    """With the id of its artifact."""
    entitlement: dict[str, Any]
    app: Running


async def make_cluster(site: Site, *, replicas: int = 1) -> Cluster:
    publisher, tenant = await make_publisher(site), await make_tenant(site)
    version = await publisher.publish("1.0.0", more=CLUSTER)
    entitlement = await entitlements.entitle(tenant.admin, tenant.project.id, publisher.app["id"])
    account = await catalog.make_operator_account(publisher.tenant)
    operator = await catalog.made(
        publisher.tenant.admin,
        f"/v1/projects/{publisher.tenant.project.id}/app-operators",
        {"app": publisher.app["id"], "service_account": account, "name": f"operator {fresh()}"},
    )
    echo = Echo(tenant, publisher.app, version, operator["id"], account)
    app = await running(echo, replicas=replicas)
    return Cluster(publisher, tenant, version, entitlement, app)
