"""The machines of a run, as somebody with root sees them: in a session of the kit's own."""

import asyncio
import base64
import contextlib
import itertools
from collections.abc import AsyncGenerator, Sequence
from typing import Any, Literal

from moorage import AccessToken, Client, MoorageError
from moorage.models import TaskCreate, TaskRead
from moorage_conformance.findings import CannotRun
from moorage_conformance.plan import Command, Traces
from moorage_conformance.tenant import Tenant

REASON = "A conformance run looks at what the app leaves on its machines."
LEASE = 3600
THERE = "there"
Kind = Literal["exec", "put"]
Traced = dict[str, str]
"""What is on one host: each file with its digest, each unit with its state."""


class Hosts:
    """Machines, in the order in which the run holds them."""

    def __init__(self, client: Client, session: str, machines: Sequence[str], traces: Traces):
        self.machines = tuple(machines)
        self._client, self._session, self._traces = client, session, traces
        self._numbers = itertools.count(1)

    async def look(self) -> list[Traced]:
        """What is on every host at this moment."""
        find = ["find", *self._traces.paths, "-type", "f", "-exec", "sha256sum", "{}", ";"]
        show = ["systemctl", "show", "--property=Id,LoadState,ActiveState,UnitFileState", "--"]
        files = await self._everywhere(find)
        units = [""] * len(files)
        if self._traces.units:
            units = await self._everywhere([*show, *self._traces.units])
        return [self._files(f) | _units(u) for f, u in zip(files, units, strict=True)]

    async def put(self, machine: str, path: str, content: bytes) -> None:
        given = {"path": path, "content": base64.b64encode(content).decode(), "parents": True}
        await self._one(machine, "put", given)

    async def clear(self, machine: str, *paths: str) -> None:
        await self._one(machine, "exec", {"argv": ["rm", "-rf", "--", *paths]})

    async def run(self, machine: str, command: Command) -> None:
        given: dict[str, Any] = {"argv": command.argv}
        await self._one(
            machine, "exec", given | ({"stdin": command.stdin} if command.stdin else {})
        )

    async def _one(self, machine: str, kind: Kind, given: dict[str, Any]) -> None:
        task = await self._client.tasks.wait((await self._ask([machine], kind, given))[0])
        if task.status != "succeeded":
            raise CannotRun(f"{kind} on allocation {machine}: {task.error_message or task.status}.")

    async def _everywhere(self, argv: list[str]) -> list[str]:
        tasks = await self._ask(self.machines, "exec", {"argv": argv})
        return [*await asyncio.gather(*map(self._said, tasks))]

    async def _ask(
        self, machines: Sequence[str], kind: Kind, given: dict[str, Any]
    ) -> list[TaskRead]:
        key = f"look/{next(self._numbers)}"
        wishes = [TaskCreate(key=key, kind=kind, allocation=m, input=given) for m in machines]
        return await self._client.tasks.create(self._session, wishes)

    async def _said(self, task: TaskRead) -> str:
        """What a look printed. That something is not there is an answer too."""
        ended = await self._client.tasks.wait(task)
        if ended.status != "succeeded" and ended.error_code != "exit_nonzero":
            raise CannotRun(
                f"The kit cannot look at allocation {ended.allocation_id}: "
                f"{ended.error_message or ended.status}."
            )
        if not ended.stdout_bytes:
            return ""
        return b"".join([p async for p in self._client.tasks.follow(ended)]).decode()

    def _files(self, printed: str) -> Traced:
        found: Traced = {}
        for line in printed.splitlines():
            digest, _, path = line.partition("  ")
            found[path] = THERE if self._varies(path) else digest
        return found

    def _varies(self, path: str) -> bool:
        return any(path == each or path.startswith(f"{each}/") for each in self._traces.varying)


def _units(printed: str) -> Traced:
    found: Traced = {}
    for block in printed.split("\n\n"):
        pairs = [line.partition("=") for line in block.splitlines()]
        said = {name: value for name, _, value in pairs}
        if said.get("LoadState", "not-found") != "not-found":
            found[said["Id"]] = f"{said['ActiveState']}, {said.get('UnitFileState') or 'static'}"
    return found


@contextlib.asynccontextmanager
async def opened(tenant: Tenant, machines: Sequence[str], traces: Traces) -> AsyncGenerator[Hosts]:
    """Look at machines, for as long as the block goes on."""
    session = await tenant.client.node_sessions.create(
        tenant.project, allocations=[*machines], reason=REASON, lease=LEASE
    )
    acting = tenant.client.acting(
        AccessToken(session.token), correlation_id=session.correlation_id, traceparent=None
    )
    try:
        yield Hosts(acting, session.id, machines, traces)
    finally:
        with contextlib.suppress(MoorageError):
            await tenant.client.operations.end(session.id)
