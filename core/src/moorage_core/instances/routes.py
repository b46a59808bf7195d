"""HTTP in, one command, HTTP out: instances."""

from typing import Annotated, Any

from fastapi import Query, Response

from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound
from moorage_core.http import etag
from moorage_core.http.routing import Ctx, Routes
from moorage_core.instances import changing, deploying, plans, reading, rules
from moorage_core.instances.models import Asked, Revision, Status
from moorage_core.instances.schemas import (
    BreakGlass,
    ChangePlanWrite,
    ConfigureWrite,
    DecommissionWrite,
    DeployPlanWrite,
    InstanceCreate,
    InstanceRead,
    PlanRead,
    RepairWrite,
    RestartWrite,
    RevisionRead,
    RollbackWrite,
    RotateWrite,
    StartWrite,
    StopWrite,
    UpgradeWrite,
)
from moorage_core.kit.ids import ArtifactId, InstanceId, PlanId, ProjectId
from moorage_core.kit.pagination import Page, PageRead, Paging
from moorage_core.members import commands as members
from moorage_core.operations.models import Operation
from moorage_core.operations.shapes import OperationRead
from moorage_core.policy.commands import PolicyRefused

routes = Routes(tag="instances")

CREATE, READ = Permission.APPS_INSTANCE_CREATE, Permission.APPS_INSTANCE_READ
UPDATE, DELETE = Permission.APPS_INSTANCE_UPDATE, Permission.APPS_INSTANCE_DELETE
DEPLOY_ERRORS = (
    NotFound,
    PolicyRefused,
    rules.InvalidConfig,
    rules.InvalidPlacement,
    rules.ModeNotSupported,
    rules.NameTaken,
    rules.OperatorUnfit,
    rules.PlanStale,
    rules.ScopeNotAvailable,
    *members.PLACE_ERRORS,
    *members.ALLOCATION_ERRORS,
)
CHANGE_ERRORS = (NotFound, PolicyRefused, rules.InvalidTransition, rules.PlanStale)
REVISE_ERRORS = (
    *CHANGE_ERRORS,
    rules.ChangePending,
    rules.InvalidConfig,
    rules.NothingChanges,
)
App = Annotated[str | None, Query(max_length=100, description="Only of this app: its slug or id.")]
Number = Annotated[str | None, Query(max_length=100, description="Only of this version.")]
State = Annotated[Status | None, Query(description="Only those in this state.")]
Deleted = Annotated[bool, Query(description="Those that are gone, too.")]

# Deploying


@routes.mutation(
    "POST",
    "/v1/projects/{project}/instances",
    key=CREATE,
    status_code=202,
    response_model=InstanceRead,
    answers=DEPLOY_ERRORS,
)
async def create_instance(
    project: ProjectId, new: InstanceCreate, ctx: Ctx, response: Response
) -> dict[str, Any]:
    """Deploy an app into a project. Returns at once; watch its last operation."""
    return _read(response, await deploying.deploy(ctx, project, new))


@routes.mutation(
    "POST",
    "/v1/projects/{project}/plans",
    key=CREATE,
    status_code=201,
    response_model=PlanRead,
    answers=DEPLOY_ERRORS,
)
async def plan_instance(project: ProjectId, new: DeployPlanWrite, ctx: Ctx) -> dict[str, Any]:
    """What a deployment would do: members, policy, cost. Nothing is changed."""
    return await deploying.plan_deployment(ctx, project, new)


# Looking


@routes.read(
    "/v1/projects/{project}/instances",
    key=READ,
    response_model=PageRead[InstanceRead],
    answers=(NotFound,),
)
async def list_instances(
    project: ProjectId,
    ctx: Ctx,
    page: Paging,
    app: App = None,
    version: Number = None,
    status: State = None,
    deleted: Deleted = False,
) -> Page[dict[str, Any]]:
    """What is deployed in a project."""
    return await reading.list_in_project(
        ctx, project, page, app=app, number=version, status=status, deleted=deleted
    )


@routes.read("/v1/instances", key=READ, response_model=PageRead[InstanceRead])
async def list_all_instances(
    ctx: Ctx,
    page: Paging,
    app: App = None,
    version: Number = None,
    status: State = None,
    deleted: Deleted = False,
) -> Page[dict[str, Any]]:
    """What is deployed wherever you may look."""
    return await reading.list_everywhere(
        ctx, page, app=app, number=version, status=status, deleted=deleted
    )


@routes.read("/v1/instances/{instance}", key=READ, response_model=InstanceRead, answers=(NotFound,))
async def get_instance(instance: InstanceId, ctx: Ctx, response: Response) -> dict[str, Any]:
    """One instance: its state, its health, and what it is to be."""
    return _read(response, await reading.read(ctx, instance))


@routes.read(
    "/v1/instances/{instance}/revisions",
    key=READ,
    response_model=PageRead[RevisionRead],
    answers=(NotFound,),
)
async def list_revisions(instance: InstanceId, ctx: Ctx, page: Paging) -> Page[Revision]:
    """What the instance was to be, each time that changed; newest first."""
    return await reading.list_revisions(ctx, instance, page)


@routes.read(
    "/v1/instances/{instance}/operations",
    key=Permission.APPS_OPERATION_READ,
    response_model=PageRead[OperationRead],
    answers=(NotFound,),
)
async def list_instance_operations(instance: InstanceId, ctx: Ctx, page: Paging) -> Page[Operation]:
    """What was asked of an instance and its members, and what became of it."""
    return await reading.list_operations(ctx, instance, page)


@routes.read(
    "/v1/artifacts/{artifact}/instances",
    key=READ,
    response_model=PageRead[InstanceRead],
    answers=(NotFound,),
)
async def list_artifact_instances(
    artifact: ArtifactId, ctx: Ctx, page: Paging
) -> Page[dict[str, Any]]:
    """Your instances whose version uses an artifact: whom its revocation concerns."""
    return await reading.list_using_artifact(ctx, artifact, page)


# Changing


@routes.mutation(
    "POST",
    "/v1/instances/{instance}/plans",
    key=UPDATE,
    status_code=201,
    response_model=PlanRead,
    answers=(*REVISE_ERRORS, rules.NotAnUpgrade, rules.RollbackUnsupported),
)
async def plan_change(instance: InstanceId, given: ChangePlanWrite, ctx: Ctx) -> dict[str, Any]:
    """What a change would do: members, effects, policy, cost, losses. Nothing is changed."""
    override = None if given.override is None else given.override.reason
    fields = given.model_dump(exclude={"override"})
    return await plans.plan_change(ctx, instance, Asked(**fields, override=override))


@routes.read("/v1/plans/{plan}", key=READ, response_model=PlanRead, answers=(NotFound,))
async def get_plan(plan: PlanId, ctx: Ctx) -> dict[str, Any]:
    """A plan, as it was made."""
    return await plans.read(ctx, plan)


@routes.mutation(
    "POST",
    "/v1/instances/{instance}/configure",
    key=UPDATE,
    status_code=202,
    response_model=OperationRead,
    answers=REVISE_ERRORS,
)
async def configure_instance(instance: InstanceId, given: ConfigureWrite, ctx: Ctx) -> Operation:
    """Give an instance another configuration."""
    return await changing.change(ctx, instance, Asked("instance.configure", **given.model_dump()))


@routes.mutation(
    "POST",
    "/v1/instances/{instance}/upgrade",
    key=UPDATE,
    status_code=202,
    response_model=OperationRead,
    answers=(*REVISE_ERRORS, rules.NotAnUpgrade, rules.ModeNotSupported),
)
async def upgrade_instance(instance: InstanceId, given: UpgradeWrite, ctx: Ctx) -> Operation:
    """Bring an instance to another version."""
    return await changing.change(ctx, instance, Asked("instance.upgrade", **given.model_dump()))


@routes.mutation(
    "POST",
    "/v1/instances/{instance}/rollback",
    key=UPDATE,
    status_code=202,
    response_model=OperationRead,
    answers=(*REVISE_ERRORS, rules.RollbackUnsupported, rules.LossesNotAccepted),
)
async def rollback_instance(instance: InstanceId, given: RollbackWrite, ctx: Ctx) -> Operation:
    """Bring an instance back to what it was. What that loses has to be accepted."""
    override = None if given.override is None else given.override.reason
    fields = given.model_dump(exclude={"override"})
    return await changing.change(
        ctx, instance, Asked("instance.rollback", **fields, override=override)
    )


@routes.mutation(
    "POST",
    "/v1/instances/{instance}/stop",
    key=UPDATE,
    status_code=202,
    response_model=OperationRead,
    answers=CHANGE_ERRORS,
)
async def stop_instance(instance: InstanceId, given: StopWrite, ctx: Ctx) -> Operation:
    """Stop an instance. Its machines and what is on them stay."""
    return await changing.change(ctx, instance, Asked("instance.stop", **given.model_dump()))


@routes.mutation(
    "POST",
    "/v1/instances/{instance}/start",
    key=UPDATE,
    status_code=202,
    response_model=OperationRead,
    answers=CHANGE_ERRORS,
)
async def start_instance(instance: InstanceId, given: StartWrite, ctx: Ctx) -> Operation:
    """Start an instance that was stopped."""
    return await changing.change(ctx, instance, Asked("instance.start", **given.model_dump()))


@routes.mutation(
    "POST",
    "/v1/instances/{instance}/restart",
    key=UPDATE,
    status_code=202,
    response_model=OperationRead,
    answers=CHANGE_ERRORS,
)
async def restart_instance(instance: InstanceId, given: RestartWrite, ctx: Ctx) -> Operation:
    """Stop and start an instance."""
    return await changing.change(ctx, instance, Asked("instance.restart", **given.model_dump()))


@routes.mutation(
    "POST",
    "/v1/instances/{instance}/repair",
    key=UPDATE,
    status_code=202,
    response_model=OperationRead,
    answers=(*CHANGE_ERRORS, rules.TooManyRepairs),
)
async def repair_instance(instance: InstanceId, given: RepairWrite, ctx: Ctx) -> Operation:
    """Let the app make an instance what it should be. It yields to everything else."""
    return await changing.repair(ctx, instance, given)


@routes.mutation(
    "POST",
    "/v1/instances/{instance}/rotate",
    key=UPDATE,
    status_code=202,
    response_model=OperationRead,
    answers=CHANGE_ERRORS,
)
async def rotate_credentials(instance: InstanceId, given: RotateWrite, ctx: Ctx) -> Operation:
    """Let the app replace the secrets of an instance."""
    return await changing.rotate(ctx, instance, given)


@routes.mutation(
    "POST",
    "/v1/instances/{instance}/decommission",
    key=DELETE,
    status_code=202,
    response_model=OperationRead,
    answers=CHANGE_ERRORS,
)
async def decommission_instance(
    instance: InstanceId, given: DecommissionWrite, ctx: Ctx
) -> Operation:
    """Take an instance down. The operation's residue says what is left of it, if anything is."""
    asked = Asked("instance.decommission", **given.model_dump())
    return await deploying.decommission(ctx, instance, asked)


# Break-glass


@routes.mutation(
    "POST",
    "/v1/platform/instances/{instance}/decommission",
    key=Permission.PLATFORM_INSTANCE_DECOMMISSION,
    status_code=202,
    response_model=OperationRead,
    answers=(NotFound, rules.InvalidTransition),
)
async def force_decommission_instance(
    instance: InstanceId, given: BreakGlass, ctx: Ctx
) -> Operation:
    """Break-glass: take a tenant's instance down by its app. The tenant sees who did, and why."""
    return await deploying.force_decommission(ctx, instance, reason=given.reason)


@routes.mutation(
    "POST",
    "/v1/platform/instances/{instance}/abandon",
    key=Permission.PLATFORM_INSTANCE_ABANDON,
    response_model=InstanceRead,
    answers=(NotFound, rules.InvalidTransition),
)
async def abandon_instance(
    instance: InstanceId, given: BreakGlass, ctx: Ctx, response: Response
) -> dict[str, Any]:
    """Break-glass: give a tenant's instance up without its app. Its machines are dirty then."""
    return _read(response, await deploying.abandon(ctx, instance, reason=given.reason))


def _read(response: Response, found: dict[str, Any]) -> dict[str, Any]:
    etag.put(response, found["version"])
    return found
