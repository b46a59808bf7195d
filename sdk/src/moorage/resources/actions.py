"""Actions: apps' own verbs."""

from collections.abc import Mapping
from typing import Any

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import HasId, id_of
from moorage._operation import Arguments
from moorage.models import ActionRead, ActionRun, InstanceRead, OperationRead

Instance = InstanceRead | str


class Actions(Group):
    """Actions: what an app lets people do with its instances, besides what every app does."""

    @listing(operations.LIST_ACTIONS, ActionRead)
    def list(self, instance: Instance) -> Arguments:
        """The actions that an instance's version declares."""
        return Arguments(path={"instance": id_of(instance)})

    @call(operations.RUN_ACTION, OperationRead)
    def run(
        self,
        instance: Instance,
        action: str,
        *,
        input: Mapping[str, Any] | None = None,  # noqa: A002 - the contract's name
        member: HasId | str | None = None,
        reason: str | None = None,
        wait: float = 0,
    ) -> Arguments:
        """Run an action. With `wait`, answers when it has ended, or after so many seconds."""
        return Arguments(
            path={"instance": id_of(instance), "action": action},
            headers={"Prefer": f"wait={wait:g}"} if wait else {},
            body=ActionRun(
                input=dict(input or {}),
                member=None if member is None else id_of(member),
                reason=reason,
            ),
            wait=wait,
        )
