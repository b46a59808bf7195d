"""Operations, the sessions among them in which people work on machines, and their secrets."""

from collections.abc import Sequence
from typing import Literal

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import HasId, id_of
from moorage._operation import Arguments
from moorage.models import (
    LeaseRenew,
    OperationEnd,
    OperationRead,
    OperationStepRead,
    ProjectRead,
    RuntimeSecretCreate,
    RuntimeSecretRead,
    SessionCreate,
    SessionIssued,
    VerbCreate,
)

Status = Literal[
    "pending",
    "ready",
    "running",
    "waiting",
    "blocked",
    "undoing",
    "succeeded",
    "failed",
    "cancelled",
    "abandoned",
]
WAIT_SECONDS = 30.0
Purpose = Literal["artifact_pull", "cluster_key", "join", "database"]


class NodeSessions(Group):
    """Sessions on machines: an admin's work, for a reason and a time."""

    @call(operations.CREATE_NODE_SESSION, SessionIssued)
    def create(
        self,
        project: ProjectRead | str,
        *,
        allocations: Sequence[str],
        reason: str,
        lease: int = 3600,
    ) -> Arguments:
        """Open a session on machines of a project.

        Its token is shown once; a client with `moorage.AccessToken(session.token)` may then have
        tasks done there, until the session ends.
        """
        return Arguments(
            path={"project": id_of(project)},
            body=SessionCreate(allocations=[*allocations], reason=reason, lease=lease),
        )

    @listing(operations.LIST_NODE_SESSIONS, OperationRead)
    def list(
        self,
        project: ProjectRead | str,
        *,
        status: Status | None = None,
        page_size: int | None = None,
    ) -> Arguments:
        """The sessions on a project's machines, newest first."""
        query = {"status": status, "limit": page_size}
        return Arguments(path={"project": id_of(project)}, query=query)


class Operations(Group):
    """Operations: durable wishes to change something."""

    @listing(operations.LIST_OPERATIONS, OperationRead)
    def list(
        self,
        *,
        project: HasId | str | None = None,
        instance: HasId | str | None = None,
        member: HasId | str | None = None,
        parent: OperationRead | str | None = None,
        kind: str | None = None,
        status: Status | None = None,
        page_size: int | None = None,
    ) -> Arguments:
        """The operations that you may see, newest first; of one thing, where you name it."""
        named = {"project": project, "instance": instance, "member": member, "parent": parent}
        ids = {name: id_of(thing) for name, thing in named.items() if thing is not None}
        return Arguments(query={**ids, "kind": kind, "status": status, "limit": page_size})

    @call(operations.GET_OPERATION, OperationRead)
    def get(
        self,
        operation: OperationRead | str,
        *,
        since_version: int | None = None,
        wait: float = 0,
    ) -> Arguments:
        """One operation. With `wait`, once it is beyond a version or, without one, has ended."""
        return Arguments(
            path={"operation": id_of(operation)},
            query={"since_version": since_version, "wait": wait or None},
            wait=wait,
        )

    async def wait(self, operation: OperationRead | str) -> OperationRead:
        """The operation once it has ended, however long that takes.

        One that is blocked does not end before somebody does something about it.
        """
        while True:
            found = await self.get(operation, wait=WAIT_SECONDS)
            if found.ended_at is not None:
                return found

    @listing(operations.LIST_OPERATION_STEPS, OperationStepRead)
    def steps(self, operation: OperationRead | str) -> Arguments:
        """What was done so far, in order."""
        return Arguments(path={"operation": id_of(operation)})

    @listing(operations.LIST_OPERATION_CHILDREN, OperationRead)
    def children(
        self,
        operation: OperationRead | str,
        *,
        status: Status | None = None,
        page_size: int | None = None,
    ) -> Arguments:
        """The operations below one: a part for each member."""
        return Arguments(
            path={"operation": id_of(operation)}, query={"status": status, "limit": page_size}
        )

    @call(operations.CANCEL_OPERATION, OperationRead)
    def cancel(self, operation: OperationRead | str, *, reason: str) -> Arguments:
        """Stop it and take back what it did. One that nobody began ends at once."""
        return Arguments(path={"operation": id_of(operation)}, body=VerbCreate(reason=reason))

    @call(operations.RETRY_OPERATION, OperationRead)
    def retry(self, operation: OperationRead | str, *, reason: str) -> Arguments:
        """Try it again, from the first step that is not done."""
        return Arguments(path={"operation": id_of(operation)}, body=VerbCreate(reason=reason))

    @call(operations.RESUME_OPERATION, OperationRead)
    def resume(self, operation: OperationRead | str, *, reason: str) -> Arguments:
        """Let a blocked one go on, once what blocked it is mended."""
        return Arguments(path={"operation": id_of(operation)}, body=VerbCreate(reason=reason))

    @call(operations.ABANDON_OPERATION, OperationRead)
    def abandon(self, operation: OperationRead | str, *, reason: str) -> Arguments:
        """End it without its controller. What is left on machines is unknown then."""
        return Arguments(path={"operation": id_of(operation)}, body=VerbCreate(reason=reason))

    @call(operations.RENEW_OPERATION, OperationRead)
    def renew(self, operation: OperationRead | str, *, lease: int = 3600) -> Arguments:
        """Let a session go on for longer. Its token stays the same."""
        return Arguments(path={"operation": id_of(operation)}, body=LeaseRenew(lease=lease))

    @call(operations.END_OPERATION, OperationRead)
    def end(
        self,
        operation: OperationRead | str,
        *,
        outcome: Literal["succeeded", "failed"] = "succeeded",
        message: str | None = None,
    ) -> Arguments:
        """End a session. Its token opens nothing from then on, and its tasks are stopped."""
        return Arguments(
            path={"operation": id_of(operation)},
            body=OperationEnd(outcome=outcome, message=message),
        )

    @call(operations.CREATE_OPERATION_SECRET, RuntimeSecretRead)
    def put_secret(
        self,
        operation: OperationRead | str,
        *,
        name: str,
        purpose: Purpose,
        value: str | None = None,
        encoding: Literal["text", "base64"] = "text",
        generate: int | None = None,
        expires_in: int | None = None,
        rotate: bool = False,
    ) -> Arguments:
        """Put a secret into custody for the operation's tasks to name. Needs its token.

        Give the value, or have one made of so many random bytes. Nobody can read it back. A secret
        that an instance has already stays as it is, unless you `rotate` it.
        """
        return Arguments(
            path={"operation": id_of(operation)},
            body=RuntimeSecretCreate(
                name=name,
                purpose=purpose,
                value=value,
                encoding=encoding,
                generate=generate,
                expires_in=expires_in,
                rotate=rotate,
            ),
        )
