"""The list of routers, one line each."""

from fastapi.routing import APIRoute

from moorage_core.access.routes import routes as access
from moorage_core.actions.routes import routes as actions
from moorage_core.agents.routes import routes as agents
from moorage_core.allocations.routes import routes as allocations
from moorage_core.artifacts.routes import routes as artifacts
from moorage_core.audit.routes import routes as audit
from moorage_core.catalog.routes import routes as catalog
from moorage_core.controllers.routes import routes as controllers
from moorage_core.credentials.routes import routes as credentials
from moorage_core.device_codes.routes import routes as device_codes
from moorage_core.entitlements.routes import routes as entitlements
from moorage_core.events.routes import routes as events
from moorage_core.families.routes import routes as families
from moorage_core.fleet.routes import routes as fleet
from moorage_core.http.routing import Routes, RouteSpec
from moorage_core.http.status import routes as status
from moorage_core.instances.routes import routes as instances
from moorage_core.members.routes import routes as members
from moorage_core.nodes.routes import routes as nodes
from moorage_core.oidc.routes import routes as oidc
from moorage_core.operations.routes import routes as operations
from moorage_core.operators.routes import routes as operators
from moorage_core.people.routes import routes as people
from moorage_core.policy.routes import routes as policy
from moorage_core.pulls.routes import routes as pulls
from moorage_core.runtime_secrets.routes import routes as runtime_secrets
from moorage_core.service_accounts.routes import routes as service_accounts
from moorage_core.signing.routes import routes as signing
from moorage_core.sources.routes import routes as sources
from moorage_core.tasks.routes import routes as tasks
from moorage_core.tenancy.routes import routes as tenancy
from moorage_core.triage.routes import routes as triage
from moorage_core.views.routes import routes as views
from moorage_core.webhooks.routes import routes as webhooks

ROUTERS: tuple[Routes, ...] = (
    status,
    people,
    oidc,
    device_codes,
    tenancy,
    service_accounts,
    signing,
    audit,
    events,
    webhooks,
    artifacts,
    families,
    sources,
    catalog,
    operators,
    entitlements,
    policy,
    allocations,
    instances,
    members,
    pulls,
    operations,
    controllers,
    actions,
    views,
    triage,
    tasks,
    runtime_secrets,
    access,
    credentials,
    fleet,
    nodes,
    agents,
)


def routes() -> list[APIRoute]:
    """Every route of the platform, as the framework knows it."""
    every = (route for router in ROUTERS for route in router.router.routes)
    return [route for route in every if isinstance(route, APIRoute)]


def specs() -> list[RouteSpec]:
    """Every route of the platform, as it declares itself."""
    return [spec for router in ROUTERS for spec in router.specs]
