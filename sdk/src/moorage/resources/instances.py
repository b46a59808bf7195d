"""Instances: deployed apps."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import HasId, Model, id_of
from moorage._operation import Arguments
from moorage.models import (
    AppOperatorRead,
    AppRead,
    ArtifactRead,
    BreakGlass,
    ConfigureWrite,
    DecommissionWrite,
    InstanceCreate,
    InstanceRead,
    OperationRead,
    Override,
    PlacementWrite,
    PlanRead,
    ProjectRead,
    RepairWrite,
    RestartWrite,
    RevisionRead,
    RollbackWrite,
    RotateWrite,
    StartWrite,
    StopWrite,
    UpgradeWrite,
)
from moorage.resources.members import DrainPolicy

Instance = InstanceRead | str
Plan = PlanRead | str
Scope = Literal["project", "tenant", "platform"]
Status = Literal[
    "requested",
    "deploying",
    "running",
    "stopping",
    "stopped",
    "starting",
    "restarting",
    "configuring",
    "upgrading",
    "rolling_back",
    "rotating",
    "failed",
    "deleting",
    "delete_failed",
    "deleted",
]


class Instances(Group):
    """Instances: deployed apps. A change answers at once with the operation that does it."""

    @listing(operations.LIST_ALL_INSTANCES, InstanceRead)
    def list(
        self,
        *,
        app: str | None = None,
        version: str | None = None,
        status: Status | None = None,
        deleted: bool = False,
        page_size: int | None = None,
    ) -> Arguments:
        """The instances that you may see, of all projects; with `deleted`, those gone too."""
        return Arguments(query=_query(app, version, status, deleted, page_size))

    @listing(operations.LIST_INSTANCES, InstanceRead)
    def list_in_project(
        self,
        project: ProjectRead | str,
        *,
        app: str | None = None,
        version: str | None = None,
        status: Status | None = None,
        deleted: bool = False,
        page_size: int | None = None,
    ) -> Arguments:
        """The instances of a project; with `deleted`, those gone too."""
        return Arguments(
            path={"project": id_of(project)},
            query=_query(app, version, status, deleted, page_size),
        )

    @listing(operations.LIST_ARTIFACT_INSTANCES, InstanceRead)
    def list_using(
        self, artifact: ArtifactRead | str, *, page_size: int | None = None
    ) -> Arguments:
        """Your instances whose version uses an artifact: whom its revocation concerns."""
        return Arguments(path={"artifact": id_of(artifact)}, query={"limit": page_size})

    @call(operations.CREATE_INSTANCE, InstanceRead)
    def deploy(
        self,
        project: ProjectRead | str,
        *,
        name: str,
        app: AppRead | str,
        operator: AppOperatorRead | str,
        components: Mapping[str, PlacementWrite] | None = None,
        version: str | None = None,
        channel: str | None = None,
        config: Mapping[str, Any] | None = None,
        operating_mode: str | None = None,
        control_plane_scope: Scope = "project",
        max_parallel: int = 10,
        plan: Plan | None = None,
    ) -> Arguments:
        """Deploy an app, its members where `components` say. `last_operation` does it.

        Without version and channel, the entitlement says which version. `operator` acts for it.
        """
        return Arguments(
            path={"project": id_of(project)},
            body=InstanceCreate(
                name=name,
                app=id_of(app),
                operator=id_of(operator),
                components=dict(components or {}),
                version=version,
                channel=channel,
                config=dict(config or {}),
                operating_mode=operating_mode,
                control_plane_scope=control_plane_scope,
                max_parallel=max_parallel,
                plan=_plan(plan),
            ),
        )

    @call(operations.GET_INSTANCE, InstanceRead)
    def get(self, instance: Instance) -> Arguments:
        """One instance: what is being done to it, how it is, who acts for it."""
        return Arguments(path={"instance": id_of(instance)})

    @listing(operations.LIST_REVISIONS, RevisionRead)
    def revisions(self, instance: Instance, *, page_size: int | None = None) -> Arguments:
        """What it was to be, each time that changed, newest first."""
        return Arguments(path={"instance": id_of(instance)}, query={"limit": page_size})

    @listing(operations.LIST_INSTANCE_OPERATIONS, OperationRead)
    def list_operations(self, instance: Instance, *, page_size: int | None = None) -> Arguments:
        """What was asked of it, newest first."""
        return Arguments(path={"instance": id_of(instance)}, query={"limit": page_size})

    @call(operations.CONFIGURE_INSTANCE, OperationRead)
    def configure(
        self, instance: Instance, *, config: Mapping[str, Any], plan: Plan | None = None
    ) -> Arguments:
        """Change the configuration: the whole of it, in place of what it was."""
        return _change(instance, ConfigureWrite(config=dict(config), plan=_plan(plan)))

    @call(operations.UPGRADE_INSTANCE, OperationRead)
    def upgrade(
        self,
        instance: Instance,
        *,
        version: str,
        config: Mapping[str, Any] | None = None,
        plan: Plan | None = None,
    ) -> Arguments:
        """Bring it to another version; with a configuration where the present one does not fit."""
        whole = None if config is None else dict(config)
        return _change(instance, UpgradeWrite(version=version, config=whole, plan=_plan(plan)))

    @call(operations.ROLLBACK_INSTANCE, OperationRead)
    def rollback(
        self,
        instance: Instance,
        *,
        to_revision: int | None = None,
        accept_losses: bool = False,
        override: str | None = None,
        policy: DrainPolicy = "wait",
        deadline: int | None = None,
        plan: Plan | None = None,
    ) -> Arguments:
        """Bring it back to an earlier revision; left out, to the one that ran before.

        `override` is the reason for going on where an artifact of it was revoked. `policy` says
        what becomes of work that cannot go on across it, and `deadline` is in seconds.
        """
        return _change(
            instance,
            RollbackWrite(
                to_revision=to_revision,
                accept_losses=accept_losses,
                override=None if override is None else Override(reason=override),
                policy=policy,
                deadline=deadline,
                plan=_plan(plan),
            ),
        )

    @call(operations.STOP_INSTANCE, OperationRead)
    def stop(
        self,
        instance: Instance,
        *,
        reason: str | None = None,
        preempt: bool = False,
        plan: Plan | None = None,
    ) -> Arguments:
        """Stop it. It keeps its machines and its data."""
        return _change(instance, StopWrite(reason=reason, preempt=preempt, plan=_plan(plan)))

    @call(operations.START_INSTANCE, OperationRead)
    def start(
        self, instance: Instance, *, reason: str | None = None, plan: Plan | None = None
    ) -> Arguments:
        """Start it again."""
        return _change(instance, StartWrite(reason=reason, plan=_plan(plan)))

    @call(operations.RESTART_INSTANCE, OperationRead)
    def restart(
        self, instance: Instance, *, reason: str | None = None, plan: Plan | None = None
    ) -> Arguments:
        """Restart what it runs."""
        return _change(instance, RestartWrite(reason=reason, plan=_plan(plan)))

    @call(operations.REPAIR_INSTANCE, OperationRead)
    def repair(
        self, instance: Instance, *, reason: str, members: Sequence[HasId | str] = ()
    ) -> Arguments:
        """Have it made what it should be; of some members only, where you name them."""
        ids = [id_of(member) for member in members]
        return _change(instance, RepairWrite(reason=reason, members=ids))

    @call(operations.ROTATE_CREDENTIALS, OperationRead)
    def rotate(self, instance: Instance, *, reason: str) -> Arguments:
        """Give it new secrets of its own."""
        return _change(instance, RotateWrite(reason=reason))

    @call(operations.DECOMMISSION_INSTANCE, OperationRead)
    def decommission(
        self,
        instance: Instance,
        *,
        reason: str | None = None,
        preempt: bool = False,
        keep_allocations: bool = False,
        plan: Plan | None = None,
    ) -> Arguments:
        """Take it off its machines. The operation's `residue` says what is left."""
        return _change(
            instance,
            DecommissionWrite(
                reason=reason,
                preempt=preempt,
                keep_allocations=keep_allocations,
                plan=_plan(plan),
            ),
        )

    @call(operations.FORCE_DECOMMISSION_INSTANCE, OperationRead)
    def force_decommission(self, instance: Instance, *, reason: str) -> Arguments:
        """Break-glass: have a tenant's instance taken down by its app. The tenant is told."""
        return _change(instance, BreakGlass(reason=reason))

    @call(operations.ABANDON_INSTANCE, InstanceRead)
    def force_abandon(self, instance: Instance, *, reason: str) -> Arguments:
        """Break-glass: end a tenant's instance without its app. The tenant is told."""
        return _change(instance, BreakGlass(reason=reason))


def _query(
    app: str | None, version: str | None, status: str | None, deleted: bool, limit: int | None
) -> dict[str, Any]:
    return {
        "app": app,
        "version": version,
        "status": status,
        "deleted": deleted or None,
        "limit": limit,
    }


def _change(instance: Instance, body: Model) -> Arguments:
    return Arguments(path={"instance": id_of(instance)}, body=body)


def _plan(plan: Plan | None) -> str | None:
    return None if plan is None else id_of(plan)
