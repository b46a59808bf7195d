"""One process at work on one host without agent: it lets itself in and does the host's tasks.

It stands in for the host's agent: it asks for tasks as an agent's poll does, says what became of
them, and sends their output. At most one process does that for a host, under a lease; who loses the
lease breaks off. On the host a broken connection ends the task and all it started, and so does one
on which nothing is heard: nothing runs there twice. What became of such a task nobody knows, and it
is `unknown`. A task that was not begun when the connection broke is handed over again.

Transaction-less: it opens its own, each for one statement or two, and speaks to hosts in between.
"""

import asyncio
import base64
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar, cast

import asyncssh
import psycopg
import structlog

from moorage_core.credentials import remote, rules, ssh, store
from moorage_core.credentials.models import AccessCredential, OpenWork, SshHost
from moorage_core.credentials.remote import Conversation, Garbled
from moorage_core.credentials.ssh import Door, NotLetIn
from moorage_core.errors import ApiError, Busy
from moorage_core.kit import endings, logs
from moorage_core.kit.db import org_scope
from moorage_core.kit.wakeups import Waiter
from moorage_core.operations import commands as operations
from moorage_core.platform import Platform
from moorage_core.secrets import commands as custody
from moorage_core.secrets.models import SealedSecret
from moorage_core.tasks import commands as tasks
from moorage_core.tasks.models import Answered, HandedTask, Hold, Report

LEASE = timedelta(seconds=30)
LONGEST_HOLD = 5
"""Seconds that renewing may take."""
STEADY_SECONDS = 15
"""So long after the last renewal the lease surely lasts, whatever renewing and looking take."""
RETRY_SECONDS = 0.5
PATIENCE_SECONDS = 20
"""How long a report or a piece of output waits for a database that is away."""
LOOK_SECONDS = 5.0
"""How often the lease is renewed and the host looked at, at least."""
BEGIN_SECONDS = 30
"""For the host to start the agent for a task."""
ALIVE_SECONDS = 5
"""How often the host is told that we are there. It ends the task after 30 s without a word."""
BEYOND = timedelta(seconds=30)
"""How long after its time limit a task may still say how it ended."""
AWAY = (psycopg.Error, OSError, ApiError)
"""What is raised when database or secret store cannot be asked right now."""
BROKEN = (asyncssh.Error, OSError, TimeoutError, Garbled)

T = TypeVar("T")
log = structlog.get_logger()


class LeaseLost(Exception):
    """Another process does this host's tasks now."""


@dataclass(frozen=True)
class Facts:
    """What is set for a host at one moment."""

    host: SshHost | None
    credential: AccessCredential | None

    def still_open(self, entered: "Facts", now: datetime) -> bool:
        """Whether what was entered by those facts may be stayed in by these."""
        if self.credential is None or entered.credential is None:
            return False
        by = entered.credential.secret_id
        return self.where == entered.where and by in rules.usable_keys(self.credential, now)

    @property
    def where(self) -> object:
        host = self.host
        return host and (host.address, host.port, host.host_key, host.credential_id)


class Worker:
    """The work on one host."""

    def __init__(self, platform: Platform, work: OpenWork, *, name: str, linger: timedelta) -> None:
        self._platform, self._work, self._name = platform, work, name
        self._linger = linger.total_seconds()
        self._running: dict[str, Errand] = {}
        self._held_at = time.monotonic()

    async def serve(self) -> str:
        """Do what there is to do. What happened, in a word, for the log."""
        if not await self._hold():
            return "held_elsewhere"
        try:
            return await self._serve()
        except NotLetIn as err:
            await self._note(str(err))
            await tasks.refuse(self._platform, self._work.node_id, code=err.code, message=str(err))
            return err.code
        finally:
            await self._let_go()

    async def _serve(self) -> str:
        facts = await self._facts()
        door = await self._door(facts)
        agent, digest = self._agent()
        async with ssh.connected(self._platform, door) as connection:
            await _bring(connection, door, agent, digest)
            await self._note(None)
            try:
                return await self._go_on(connection, facts, Place(door.username, digest))
            finally:
                await self._break_off()

    async def _go_on(
        self, connection: asyncssh.SSHClientConnection, facts: Facts, place: "Place"
    ) -> str:
        """Until there is nothing to do for a while, or we are not to be here any more."""
        topics = (operations.SSH_TASKS, f"node:{self._work.node_id}")
        busy_at = time.monotonic()
        closed = asyncio.create_task(connection.wait_closed())
        try:
            with self._platform.hub.watch(topics) as waiter:
                while not connection.is_closed():
                    if await self._renew():
                        present = await self._facts()
                        if not present.still_open(facts, self._platform.clock.now()):
                            return "done"
                    await self._look(connection, place)
                    if self._running:
                        busy_at = time.monotonic()
                    elif time.monotonic() - busy_at >= self._linger:
                        return "done"
                    await self._wait(waiter, closed)
            await self._hear_ends()
        finally:
            closed.cancel()
        return "connection_lost"

    async def _hear_ends(self) -> None:
        """The connection is gone: what ran says so by itself."""
        if self._running:
            busy = [errand.work for errand in self._running.values()]
            await asyncio.wait(busy, timeout=LOOK_SECONDS)

    async def _look(self, connection: asyncssh.SSHClientConnection, place: "Place") -> None:
        """Take what is to be done and what is to be stopped."""
        for id in [id for id, errand in self._running.items() if errand.ended]:
            self._running.pop(id).finish()
        holds = [Hold(id, "running") for id in self._running]
        try:
            handed = await tasks.for_poll(self._platform, self._work.node_id, holds, reach="ssh")
        except AWAY as err:
            # The secret store, say. What runs goes on; what is new is asked for again.
            log.warning("ssh.no_tasks", allocation=self._work.allocation_id, error=logs.named(err))
            return
        for id in handed.cancel:
            if id in self._running:
                self._running[id].cancel()
        for task in handed.tasks:
            self._running[task.id] = Errand(self._platform, self._work, connection, place, task)

    async def _wait(self, waiter: Waiter, closed: "asyncio.Task[None]") -> None:
        """For an end, for news, or for the time to renew the lease."""
        woken = asyncio.create_task(waiter.wait(LOOK_SECONDS))
        try:
            busy = {errand.work for errand in self._running.values()}
            await asyncio.wait({woken, closed, *busy}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            woken.cancel()

    async def _break_off(self) -> None:
        await endings.end(errand.work for errand in self._running.values())
        self._running.clear()

    # What is set

    async def _facts(self) -> Facts:
        org = self._work.org_id
        async with self._platform.database.transaction(org_scope(org), read_only=True) as db:
            host = await store.find_host(db, self._work.allocation_id, org=org)
            if host is None:
                return Facts(None, None)
            credential = await store.find(db, host.credential_id, orgs=[org])
            return Facts(host, credential)

    async def _door(self, facts: Facts) -> Door:
        host, credential = facts.host, facts.credential
        if host is None or credential is None:
            raise NotLetIn(
                "ssh_host_not_set",
                f"Nobody has said how the host of allocation {self._work.allocation_id} is "
                "reached. Set a credential for it, scan it and confirm its key.",
            )
        if host.host_key is None:
            raise NotLetIn(
                "host_not_confirmed",
                f"The key of the host of allocation {host.allocation_id} is not confirmed. "
                "Scan it, compare, confirm.",
            )
        if credential.revoked_at is not None:
            raise NotLetIn(
                "credential_revoked",
                f"The credential {credential.id} was revoked. Set another one for the host.",
            )
        keys = [await custody.reveal(self._platform, each) for each in await self._keys(credential)]
        return Door(host.address, host.port, credential.username, host.host_key, keys)

    async def _keys(self, credential: AccessCredential) -> Sequence[SealedSecret]:
        ids = rules.usable_keys(credential, self._platform.clock.now())
        org = credential.org_id
        async with self._platform.database.transaction(org_scope(org), read_only=True) as db:
            found = await custody.find_many(db, ids, org=org)
        return [found[id] for id in ids if id in found]

    def _agent(self) -> tuple[bytes, str]:
        handout = self._platform.handout
        if handout.agent is None or handout.agent_digest is None:
            raise NotLetIn("agent_absent", "The platform has no agent to bring to hosts.")
        return handout.agent, handout.agent_digest

    # The lease

    async def _renew(self) -> bool:
        """False: the database is away, and the lease lasts. What runs may go on meanwhile."""
        try:
            if not await self._hold():
                raise LeaseLost
        except AWAY as err:
            if time.monotonic() - self._held_at > STEADY_SECONDS:
                raise LeaseLost from err
            log.warning(
                "ssh.not_renewed", allocation=self._work.allocation_id, error=logs.named(err)
            )
            return False
        return True

    async def _hold(self) -> bool:
        now, scope = self._platform.clock.now(), org_scope(self._work.org_id)
        asked_at = time.monotonic()
        async with asyncio.timeout(LONGEST_HOLD), self._platform.database.transaction(scope) as db:
            held = await store.hold(db, self._work, worker=self._name, now=now, until=now + LEASE)
        self._held_at = asked_at
        return held

    async def _let_go(self) -> None:
        async with self._platform.database.transaction(org_scope(self._work.org_id)) as db:
            await store.let_go(db, self._work, worker=self._name)

    async def _note(self, problem: str | None) -> None:
        org = self._work.org_id
        async with self._platform.database.transaction(org_scope(org)) as db:
            await store.note_problem(db, self._work.allocation_id, org=org, problem=problem)


@dataclass(frozen=True)
class Place:
    """How things are started on the host."""

    username: str
    digest: str


class Errand:
    """One task on its way through the host."""

    def __init__(
        self,
        platform: Platform,
        work: OpenWork,
        connection: asyncssh.SSHClientConnection,
        place: Place,
        task: HandedTask,
    ) -> None:
        self._platform, self._node, self._task = platform, work.node_id, task
        self._connection, self._place = connection, place
        self._stop = asyncio.Event()
        self._offsets = dict[str, int]()
        self.work = asyncio.create_task(self._run(), name=f"ssh.{task.id}")

    @property
    def ended(self) -> bool:
        return self.work.done()

    def finish(self) -> None:
        """Raise what went wrong beside the task itself."""
        self.work.result()

    def cancel(self) -> None:
        self._stop.set()

    async def _run(self) -> None:
        process = await self._begin()
        if process is None:
            # Nothing of it was sent. Nobody holds it now, so it is handed over again.
            return
        try:
            # What is said to run may run: from here on it is not handed over again.
            if await self._say(Report(self._task.id, self._task.fence, "running")):
                await self._say(await self._see_through(process))
        finally:
            # What the pipe fed ends with it, on the host too.
            process.close()

    async def _begin(self) -> "asyncssh.SSHClientProcess[bytes] | None":
        """Start the agent there; None where it could not be. A host may have no free channel."""
        try:
            async with asyncio.timeout(BEGIN_SECONDS):
                while not self._stop.is_set():
                    try:
                        return await remote.begin(
                            self._connection,
                            username=self._place.username,
                            digest=self._place.digest,
                        )
                    except asyncssh.ChannelOpenError:
                        if self._connection.is_closed():
                            raise
                        await asyncio.sleep(RETRY_SECONDS)
        except (asyncssh.Error, OSError, TimeoutError) as err:
            log.warning("ssh.not_begun", task=self._task.id, error=logs.named(err))
        return None

    async def _see_through(self, process: "asyncssh.SSHClientProcess[bytes]") -> Report:
        """How it ended."""
        limit = timedelta(seconds=self._task.timeout) + BEYOND
        try:
            async with asyncio.timeout(limit.total_seconds()):
                return await self._do(Conversation(process))
        except TimeoutError:
            return self._failure("timed_out", "timed_out", "The host did not end it in time.")
        except Garbled as err:
            log.warning("ssh.garbled", task=self._task.id)
            return self._failure("unknown", "agent_failed", str(err))
        except BROKEN as err:
            log.warning("ssh.broken_off", task=self._task.id, error=logs.named(err))
            return self._failure(
                "unknown", "connection_lost", "The connection to the host broke while it ran."
            )

    async def _do(self, talk: Conversation) -> Report:
        """Hand it to the agent there, and listen."""
        await talk.say(_wire(self._task))
        beside = [
            asyncio.create_task(self._pass_on_stop(talk)),
            asyncio.create_task(_stay_alive(talk)),
            asyncio.create_task(talk.hear_complaints()),
        ]
        if self._task.input.get("digest"):
            beside.append(asyncio.create_task(self._send_content(talk)))
        try:
            return await self._hear(talk)
        finally:
            await endings.end(beside)

    async def _hear(self, talk: Conversation) -> Report:
        async for said in talk.lines():
            if "report" in said:
                return _report(self._task, said["report"])
            if "output" in said:
                await self._keep(*remote.read_output(said))
        end = await talk.find_end()
        if end is None or self._connection.is_closed():
            raise ConnectionError
        raise Garbled(end)

    async def _keep(self, stream: str, content: bytes) -> None:
        """Output goes up in pieces, in order. What is beyond the limit is dropped there."""
        if stream not in ("stdout", "stderr", "content"):
            raise Garbled("an unknown stream")
        for start in range(0, len(content), remote.PIECE):
            piece = content[start : start + remote.PIECE]
            await _patiently(lambda piece=piece: self._append(stream, piece))

    async def _append(self, stream: str, piece: bytes) -> None:
        try:
            self._offsets[stream] = await tasks.append_output(
                self._platform,
                self._node,
                self._task.id,
                stream,
                offset=self._offsets.get(stream, 0),
                content=piece,
            )
        except tasks.OUTPUT_ERRORS as err:
            if err.code == "output_offset":
                # It was kept, and the answer got lost.
                self._offsets[stream] = int(err.errors[0].message)

    async def _send_content(self, talk: Conversation) -> None:
        """The bytes of the artifact that the task names. Where they end early, so does the task."""
        try:
            content = await tasks.open_content(self._platform, self._node, self._task.id)
            async with contextlib.aclosing(content.chunks) as chunks:
                async for chunk in chunks:
                    for start in range(0, len(chunk), remote.PIECE):
                        piece = base64.b64encode(chunk[start : start + remote.PIECE])
                        await talk.say({"content": piece.decode()})
        except ApiError as err:
            log.warning("ssh.no_content", task=self._task.id, error=err.code)
        await talk.say({"content": None})

    async def _pass_on_stop(self, talk: Conversation) -> None:
        await self._stop.wait()
        await talk.say({"cancel": True})

    async def _say(self, said: Report) -> bool:
        """Tell the platform; whether it takes our word."""
        tries = 0

        async def report() -> Sequence[Answered]:
            nonlocal tries
            tries += 1
            return await tasks.report(self._platform, self._node, [said])

        (answered,) = await _patiently(report)
        return rules.is_believed(answered.outcome, tries=tries)

    def _failure(self, state: str, code: str, message: str) -> Report:
        return Report(
            self._task.id, self._task.fence, state, error_code=code, error_message=message
        )


async def _stay_alive(talk: Conversation) -> None:
    """A network that is cut closes nothing: the host goes by our silence."""
    while True:
        await asyncio.sleep(ALIVE_SECONDS)
        await talk.say({"alive": True})


async def _patiently(call: Callable[[], Awaitable[T]]) -> T:
    """Once more, and once more, while the database is away. The host waits meanwhile."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return await call()
        except (psycopg.Error, OSError, Busy):
            if time.monotonic() > until:
                raise
            await asyncio.sleep(RETRY_SECONDS)


async def _bring(
    connection: asyncssh.SSHClientConnection, door: Door, agent: bytes, digest: str
) -> None:
    try:
        await remote.bring_agent(connection, username=door.username, agent=agent, digest=digest)
    except Garbled as err:
        said = f"The agent could not be put on the host: {err}."
        raise NotLetIn("agent_not_placed", said) from err
    except (asyncssh.Error, OSError, TimeoutError) as err:
        raise NotLetIn(
            "host_unreachable",
            f"{door.address} port {door.port} let us in, and then broke off: {type(err).__name__}.",
        ) from err


def _wire(task: HandedTask) -> dict[str, Any]:
    """As agents get it. The values of secrets go through the pipe and nowhere else."""
    return {
        "id": task.id,
        "kind": task.kind,
        "key": task.key,
        "operation_id": task.operation_id,
        "fence": task.fence,
        "allocation_id": task.allocation_id,
        "correlation_id": task.correlation_id,
        "traceparent": task.traceparent,
        "run_as": task.run_as,
        "timeout": task.timeout,
        "output_limit": task.output_limit,
        "input": task.input,
        "secrets": task.secrets,
    }


def _report(task: HandedTask, said: Any) -> Report:
    """What the host says of the end. Its shape is not to be trusted."""
    if not isinstance(said, dict):
        raise Garbled("a report that is none")
    given = cast(dict[str, Any], said)
    state, changed, result = given.get("state"), given.get("changed"), given.get("result")
    if state not in ("succeeded", "failed", "cancelled", "timed_out", "unknown"):
        raise Garbled("a report without an end")
    error: Any = given.get("error")
    problem = cast(dict[str, Any], error) if isinstance(error, dict) else {}
    return Report(
        task.id,
        task.fence,
        str(state),
        changed=changed if isinstance(changed, bool) else None,
        result=cast(dict[str, Any], result) if isinstance(result, dict) else None,
        error_code=_text(problem.get("code")),
        error_message=_text(problem.get("message")),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
