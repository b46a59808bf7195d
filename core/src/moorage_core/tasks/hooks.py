"""Kinds of task in which another slice has a say. `main` puts them together by kind."""

from typing import TYPE_CHECKING, Any, Protocol

from moorage_core.tasks.models import Task

if TYPE_CHECKING:
    from moorage_core.context import Context


class Hook(Protocol):
    """A slice that makes a kind's input when a node takes it, so that the newest always goes.

    Both are called in the transaction that records it, inside the task's org.
    """

    async def render(self, ctx: "Context", task: Task) -> dict[str, Any]:
        """The input that goes to the node. What is stored of the task stays as it is."""
        ...

    async def ended(self, ctx: "Context", task: Task) -> None:
        """The task has ended. It may publish events; the node did it, so nothing is audited."""
        ...
