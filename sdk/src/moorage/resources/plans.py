"""Plans: what a change would do, before it is asked for."""

from collections.abc import Mapping
from typing import Any, Literal

from moorage import _operations as operations
from moorage._calls import Group, call
from moorage._model import id_of
from moorage._operation import Arguments
from moorage.models import (
    AppOperatorRead,
    AppRead,
    ChangePlanWrite,
    DeployPlanWrite,
    InstanceRead,
    Override,
    PlacementWrite,
    PlanRead,
    ProjectRead,
)
from moorage.resources.instances import Scope

Kind = Literal[
    "instance.configure",
    "instance.upgrade",
    "instance.rollback",
    "instance.stop",
    "instance.start",
    "instance.restart",
    "instance.decommission",
]


class Plans(Group):
    """Plans. Whoever applies one names it: it is refused where what it was made from has moved."""

    @call(operations.PLAN_INSTANCE, PlanRead)
    def create_deployment(
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
        kind: Literal["instance.deploy"] = "instance.deploy",
    ) -> Arguments:
        """What a deployment would make, what it costs, and what policy says."""
        return Arguments(
            path={"project": id_of(project)},
            body=DeployPlanWrite(
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
                kind=kind,
            ),
        )

    @call(operations.PLAN_CHANGE, PlanRead)
    def create(
        self,
        instance: InstanceRead | str,
        *,
        kind: Kind,
        config: Mapping[str, Any] | None = None,
        version: str | None = None,
        to_revision: int | None = None,
        override: str | None = None,
        preempt: bool = False,
        keep_allocations: bool = False,
    ) -> Arguments:
        """What a change of an instance would do. A kind takes what its own call takes."""
        return Arguments(
            path={"instance": id_of(instance)},
            body=ChangePlanWrite(
                kind=kind,
                config=None if config is None else dict(config),
                version=version,
                to_revision=to_revision,
                override=None if override is None else Override(reason=override),
                preempt=preempt,
                keep_allocations=keep_allocations,
            ),
        )

    @call(operations.GET_PLAN, PlanRead)
    def get(self, plan: PlanRead | str) -> Arguments:
        """One plan."""
        return Arguments(path={"plan": id_of(plan)})
