"""Operations, the sessions among them in which people work on machines, and their secrets."""

from collections.abc import Sequence
from typing import Literal

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of
from moorage._operation import Arguments
from moorage.models import (
    LeaseRenew,
    OperationEnd,
    OperationRead,
    ProjectRead,
    RuntimeSecretCreate,
    RuntimeSecretRead,
    SessionCreate,
    SessionIssued,
)

Status = Literal["running", "succeeded", "failed", "cancelled"]
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
        project: ProjectRead | str | None = None,
        status: Status | None = None,
        page_size: int | None = None,
    ) -> Arguments:
        """The operations that you may see, newest first; of one project, where you name it."""
        named = None if project is None else id_of(project)
        return Arguments(query={"project": named, "status": status, "limit": page_size})

    @call(operations.GET_OPERATION, OperationRead)
    def get(self, operation: OperationRead | str) -> Arguments:
        """One operation."""
        return Arguments(path={"operation": id_of(operation)})

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
        expires_in: int = 86_400,
    ) -> Arguments:
        """Put a secret into custody for the operation's tasks to name. Needs its token.

        Give the value, or have one made of so many random bytes. Nobody can read it back.
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
            ),
        )
