"""Plans: what a change would do, before it is asked for."""

from collections.abc import Mapping
from typing import Any, Literal

from moorage import _operations as operations
from moorage._calls import Group, call
from moorage._model import id_of
from moorage._operation import Arguments
from moorage.models import (
    ChangePlanWrite,
    DeployPlanWrite,
    InstanceCreate,
    InstanceRead,
    Override,
    PlanRead,
    ProjectRead,
)

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
    def create_deployment(self, project: ProjectRead | str, wanted: InstanceCreate) -> Arguments:
        """What a deployment would make, what it costs, and what policy says."""
        asked = DeployPlanWrite.model_validate(wanted.model_dump(exclude={"plan"}))
        return Arguments(path={"project": id_of(project)}, body=asked)

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
