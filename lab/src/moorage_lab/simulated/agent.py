"""One simulated agent: enrols, proves itself, polls, does tasks and reports them.

What a real agent has on its disk before it matters is on this one's `Disk`: it may be killed
anywhere, and the one that is started after it goes on from there.
"""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from random import Random
from typing import Any, Literal

from moorage_lab.simulated import identity as identities
from moorage_lab.simulated import inventory as inventories
from moorage_lab.simulated.http1 import Line, Refused, Server, Unreachable
from moorage_lab.simulated.identity import Identity
from moorage_lab.simulated.inventory import Machine
from moorage_lab.simulated.script import KINDS, Behaviour, Memory, Reaction, Script, Task, scripted
from moorage_lab.simulated.tally import Tally

VERSION = "0.1.0"
WAIT = 15
CHUNK = 256 * 1024
PAUSES = (1.0, 2.0, 4.0, 8.0, 10.0)
REFUSED_PAUSE = 60.0

State = Literal["new", "working", "silent", "conflict", "refused", "retired"]


@dataclass
class Begun:
    """A task that was begun, and what came of it."""

    task: Task
    reaction: Reaction
    ended: bool = False
    answered: bool = False
    """The platform has heard of its end."""


@dataclass
class Disk:
    """What outlives an agent: who it is, what it has begun, the highest fence of each operation."""

    identity: Identity = field(default_factory=Identity)
    begun: dict[str, Begun] = field(default_factory=dict[str, Begun])
    fences: dict[str, int] = field(default_factory=dict[str, int])
    reader: "Agent | None" = None
    """Whose it is. No two agents run on one disk."""


class ImpossibleWorld(Exception):
    """What a test arranges cannot happen to a host."""


@dataclass
class Held:
    """A task that the agent has."""

    task: Task
    state: str = "received"
    work: "asyncio.Task[None] | None" = None
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)


class Agent:
    """One agent. `run` goes on until it is cancelled or the node is retired."""

    def __init__(
        self,
        server: Server,
        *,
        token: str = "",
        hostname: str = "simulated",
        machine: Machine | None = None,
        behaviour: Behaviour | None = None,
        script: Script | None = None,
        tally: Tally | None = None,
        disk: Disk | None = None,
        pause: Callable[[float], Any] = asyncio.sleep,
    ) -> None:
        self.disk = disk or Disk()
        if self.disk.reader is not None:
            raise ImpossibleWorld(f"An agent runs on the disk of {hostname} already.")
        self.disk.reader = self
        self.hostname = hostname
        self.state: State = "new"
        self.binding: dict[str, Any] | None = None
        self.holds: dict[str, Held] = {}
        self.tally = tally or Tally()
        self.machine = machine or Machine()
        self.script = script or scripted(behaviour or Behaviour())
        self._server = server
        self._line = Line(server)
        self._enrolment = token
        self._token, self._renew_at = "", 0.0
        self._boot, self._run_id = secrets.token_hex(16), secrets.token_hex(8)
        self._inventory = inventories.of(self.machine, hostname=hostname)
        self._memory = Memory(self._inventory, Random(hostname))  # noqa: S311 - the same each run
        self._says_inventory = True
        self._speaks = asyncio.Event()
        self._speaks.set()
        self._poll: asyncio.Task[dict[str, Any]] | None = None
        self._pause = pause
        self._failures = 0

    # --- what tests do to it -------------------------------------------------------------------

    def fall_silent(self) -> None:
        """Say nothing from now on, as a host that was cut off. Tasks go on."""
        self._speaks.clear()
        if self.state == "working":
            self.state = "silent"
        if self._poll:
            self._poll.cancel()

    def speak(self) -> None:
        """Be heard again."""
        self._speaks.set()

    def clone(self) -> "Agent":
        """A second host with the identity of this one, as a copied disk makes it."""
        return self._another(Disk(replace(self.identity)))

    def successor(self) -> "Agent":
        """The agent that is started when this one was killed: on its disk, with nothing else."""
        if self.disk.reader is not None:
            raise ImpossibleWorld(f"The agent of {self.hostname} has not ended.")
        return self._another(self.disk)

    def _another(self, disk: Disk) -> "Agent":
        return Agent(
            self._server,
            hostname=self.hostname,
            machine=self.machine,
            script=self.script,
            tally=self.tally,
            disk=disk,
            pause=self._pause,
        )

    @property
    def identity(self) -> Identity:
        return self.disk.identity

    @identity.setter
    def identity(self, identity: Identity) -> None:
        self.disk.identity = identity

    # --- its life ------------------------------------------------------------------------------

    async def begin(self) -> float:
        """Enrol and get a token, if the platform lets it; seconds to wait before going on."""
        pause = 0.0
        for _ in range(2):
            if self.state == "new" and not pause:
                pause = await self._step()
        return pause

    async def run(self) -> None:
        """Do what an agent does, for ever."""
        self._take_up()
        try:
            while self.state != "retired":
                await self._speaks.wait()
                pause = await self._step()
                if pause:
                    await self._pause(pause)
        finally:
            await self.stop()

    async def stop(self) -> None:
        """End as a killed agent ends: without a word."""
        works = [held.work for held in self.holds.values() if held.work]
        for work in works:
            work.cancel()
        await asyncio.gather(*works, return_exceptions=True)
        self._line.close()
        self.disk.reader = None

    async def _step(self) -> float:
        """Enrol, exchange or poll, whatever is next; seconds to wait before the next step."""
        try:
            if not self.identity.node_id:
                await self.enrol()
            elif asyncio.get_running_loop().time() >= self._renew_at:
                await self.exchange()
            else:
                await self._poll_once()
            self._failures = 0
        except Unreachable:
            self.tally.unreachable += 1
            return self._backoff()
        except Refused as err:
            return self._refused(err)
        return 0

    def _backoff(self) -> float:
        pause = PAUSES[min(self._failures, len(PAUSES) - 1)]
        self._failures += 1
        return pause * self._memory.chance.uniform(0.5, 1.0)

    def _refused(self, err: Refused) -> float:
        self.tally.refused(err.code)
        if err.code == "node_retired":
            self.state = "retired"
            return 0
        if err.status in (429, 503):
            return max(err.retry_after, self._backoff())
        if err.code == "identity_conflict":
            self.state, self._renew_at = "conflict", 0
            return REFUSED_PAUSE
        if err.code in ("assertion_refused", "enrolment_refused"):
            self.state = "refused"
            return REFUSED_PAUSE
        if err.status == 401:
            self._renew_at = 0
            return 0
        return self._backoff()

    async def enrol(self) -> None:
        """Trade the enrolment's token for an identity."""
        answer = await self._line.call(
            "POST",
            "/v1/agent/enrol",
            {
                **identities.enrolment(self.identity, self._enrolment),
                "agent_version": VERSION,
                "hostname": self.hostname,
                "machine_id": self._boot,
                "boot_id": self._boot,
                "inventory": self._inventory,
            },
        )
        self.identity = self.identity.enrolled(answer)
        self._renew_at = 0

    async def exchange(self) -> None:
        """A new token for an assertion over the last nonce."""
        self.identity = self.identity.asserting()
        body = {"node_id": self.identity.node_id, "assertion": self.identity.pending}
        answer = await self._line.call("POST", "/v1/agent/token", body)
        self.identity = self.identity.answered(answer["nonce"])
        self._token = answer["token"]
        self._renew_at = asyncio.get_running_loop().time() + answer["expires_in"] * 2 / 3
        self.state = "working"
        self.tally.exchanges += 1

    # --- polls ---------------------------------------------------------------------------------

    async def _poll_once(self) -> None:
        self._poll = asyncio.create_task(self._call("POST", "/v1/agent/poll", self._question()))
        try:
            answer = await self._poll
        except asyncio.CancelledError:
            if self._speaks.is_set():  # the agent itself is stopped
                raise
            return
        finally:
            self._poll.cancel()
        self.tally.polls += 1
        self.state = "working"
        self._says_inventory = bool(answer.get("want_inventory"))
        self.binding = answer["binding"]
        self._take(answer)

    def _question(self) -> dict[str, Any]:
        held = [{"task": name, "state": held.state} for name, held in self.holds.items()]
        question: dict[str, Any] = {
            "wait": WAIT,
            "run_id": self._run_id,
            "boot_id": self._boot,
            "agent_version": VERSION,
            "trust": None,
            "holds": held,
        }
        return question | ({"inventory": self._inventory} if self._says_inventory else {})

    def _take(self, answer: dict[str, Any]) -> None:
        for name in answer["forget"]:
            self.holds.pop(name, None)
            self.disk.begun.pop(name, None)
        for name in answer["cancel"]:
            if name in self.holds:
                self.holds[name].cancelled.set()
        for task in answer["tasks"]:
            if task["id"] not in self.holds:
                self.tally.received += 1
                held = self.holds[task["id"]] = Held(task)
                held.work = asyncio.create_task(self._do(held))

    # --- tasks ---------------------------------------------------------------------------------

    def _take_up(self) -> None:
        """Go on with what an agent before this one has begun. Nothing is begun again."""
        for name, begun in self.disk.begun.items():
            held = self.holds[name] = Held(begun.task, "running")
            if begun.answered:
                held.state = begun.reaction.state
                continue
            if not begun.ended and begun.task["kind"] != "exec":
                begun.reaction = _not_known("The agent was started anew while it did this.")
            held.work = asyncio.create_task(self._see_through(held, begun.reaction))

    async def _do(self, held: Held) -> None:
        reaction = self._refusal(held.task) or self._begin(held.task)
        await self._see_through(held, reaction)

    def _begin(self, task: Task) -> Reaction:
        if task["id"] in self.disk.begun:
            raise ImpossibleWorld(f"Task {task['id']} was begun on {self.hostname} before.")
        reaction = self.script(task, self._memory)
        self.disk.begun[task["id"]] = Begun(task, reaction, ended=not reaction.seconds)
        return reaction

    async def _see_through(self, held: Held, reaction: Reaction) -> None:
        if reaction.seconds:
            held.state = "running"
            await self._tell(held, {"state": "running"})
        elif reaction.state == "succeeded":
            held.state = "running"
        reaction = await self._wait_and_write(held, reaction)
        held.state = reaction.state
        begun = self.disk.begun.get(held.task["id"])
        if begun is not None:
            begun.reaction, begun.ended = replace(reaction, seconds=0), True
        end = {"state": reaction.state, "changed": reaction.changed, "result": reaction.result}
        await self._tell(held, end | {"error": reaction.error})
        if begun is not None:
            begun.answered = True
        self.tally.ended(reaction.state)

    def _refusal(self, task: Task) -> Reaction | None:
        """Why the agent does not do it, as the protocol has it."""
        highest = self.disk.fences.get(task["operation_id"], task["fence"])
        self.disk.fences[task["operation_id"]] = max(highest, task["fence"])
        bound = (self.binding or {}).get("allocation_id")
        if task["fence"] < highest:
            return _not_done("stale_fence", f"The agent has seen the fence {highest}.")
        if task["allocation_id"] not in (None, bound):
            return _not_done("wrong_allocation", f"The node is held by {bound}.")
        if task["kind"] not in KINDS:
            return _not_done("unknown_kind", f"This agent knows no {task['kind']!r}.")
        return None

    async def _wait_and_write(self, held: Held, reaction: Reaction) -> Reaction:
        """Let the time pass and the output come; the reaction, or that it was cut short."""
        pieces = reaction.output or (b"",)
        offset = 0
        for piece in pieces:
            if await _is_set(held.cancelled, within=reaction.seconds / len(pieces)):
                said = {"code": "cancelled", "message": "The platform asked for it."}
                return Reaction(state="cancelled", error=said)
            room = held.task["output_limit"] - offset
            offset = await self._ship(held, reaction.stream, piece[:room], offset)
        return reaction

    async def _ship(self, held: Held, stream: str, data: bytes, offset: int) -> int:
        start = offset
        while offset < start + len(data):
            chunk = data[offset - start : offset - start + CHUNK]
            path = f"/v1/agent/tasks/{held.task['id']}/output/{stream}?offset={offset}"
            answer = await self._insist("PUT", path, chunk)
            offset = int(answer["next_offset"])
        return offset

    async def _tell(self, held: Held, said: dict[str, Any]) -> None:
        about = {"task": held.task["id"], "fence": held.task["fence"]}
        report = about | {"at": datetime.now(UTC).isoformat()} | said
        await self._insist("POST", "/v1/agent/reports", {"reports": [report]})
        self.tally.reports += 1

    async def _insist(self, method: str, path: str, body: dict[str, Any] | bytes) -> dict[str, Any]:
        """Say it until it was heard: tasks do not get lost on the way."""
        while True:
            await self._speaks.wait()
            try:
                return await self._call(method, path, body)
            except Unreachable:
                self.tally.unreachable += 1
                await self._pause(self._backoff())
            except Refused as err:
                if err.code == "output_offset":
                    return {"next_offset": err.errors[0]["message"]}
                if err.status not in (401, 429, 503):
                    self.tally.refused(err.code)
                    return {"next_offset": 1 << 62}
                await self._pause(max(err.retry_after, self._backoff()))

    async def _call(self, method: str, path: str, body: dict[str, Any] | bytes) -> dict[str, Any]:
        return await self._line.call(method, path, body, token=self._token)


def _not_done(code: str, message: str) -> Reaction:
    return Reaction(state="failed", error={"code": code, "message": message})


def _not_known(message: str) -> Reaction:
    return Reaction(state="unknown", error={"code": "lost", "message": message})


async def _is_set(event: asyncio.Event, *, within: float) -> bool:
    if not within:
        return event.is_set()
    try:
        async with asyncio.timeout(within):
            await event.wait()
    except TimeoutError:
        return False
    return True
