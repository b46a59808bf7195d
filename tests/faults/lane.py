"""A life that is led while faults happen to it: its hosts, its controllers, its roads, its agenda.

Everything that its controllers and agents say to the platform passes `meet`. Where a delivery is at
a point of the agenda, the fault happens while the delivery is held: before the platform has heard
of it, or after, and before anybody has heard the answer.
"""

import asyncio
import contextlib
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from moorage_echo import cluster
from moorage_echo.simulated import Network, Seat
from moorage_lab.simulated import Agent, Host, Ran
from moorage_lab.simulated.http1 import Server
from tests.e2e import work
from tests.e2e.callers import wait_until
from tests.e2e.world import REGION, SKU
from tests.faults import road
from tests.faults.cells import Cell, Fault, Hit, Moment, Point, Step
from tests.faults.processes import Process
from tests.faults.road import Answer, Delivery, Lost, Road
from tests.faults.sight import Sight
from tests.faults.stage import Operator, Stage

HOSTS = 4
LEASE = 31.0
"""Seconds after which a silent controller has lost what it held."""
TAKEN_OVER_WITHIN = 10.0
AWAY = 0.3
"""Seconds that a road stays cut, at most."""
HEARD_WITHIN = 0.02
"""Seconds in which an answer has arrived."""
STALE_AFTER = 2
"""Deliveries after which the copy of an earlier one arrives."""

Meeting = Callable[["Lane", Fault], Awaitable[None]]
"""Waits for a fault that happens to every life at once."""
Handled = Callable[[Hit, Delivery, Answer | None], Awaitable[Answer | None]]


@dataclass(eq=False)
class Replica:
    """One process of the controller, and its own road."""

    name: str
    release: int
    road: Road
    process: Process


@dataclass(eq=False)
class Stale:
    """A copy of a delivery that arrives when others have."""

    delivery: Delivery
    after: int = STALE_AFTER


@dataclass(eq=False)
class Lane:
    """One life at a time, on four hosts of its own."""

    stage: Stage
    number: int
    operator: Operator
    together: Meeting
    """For faults that happen to all lives at once."""
    machines: list[str] = field(default_factory=list[str])
    hosts: list[Host] = field(default_factory=list[Host])
    agents_road: Road | None = None
    """Real agents take a road of their own, which nobody watches."""
    replicas: list[Replica] = field(default_factory=list[Replica])
    sight: Sight = field(default_factory=Sight)
    record: list[Point] = field(default_factory=list[Point])
    done: list[Cell] = field(default_factory=list[Cell])
    odd: Counter[str] = field(default_factory=Counter[str])
    """Answers that say that something is wrong with the platform."""
    _agenda: dict[Point, Hit] = field(default_factory=dict[Point, Hit])
    _agents: list[tuple[Agent, "asyncio.Task[None]"]] = field(
        default_factory=list[tuple[Agent, "asyncio.Task[None]"]]
    )
    _holders: dict[str, str] = field(default_factory=dict[str, str])
    """Operations, and whose they were last."""
    _stale: list[Stale] = field(default_factory=list[Stale])
    _passed: asyncio.Event = field(default_factory=asyncio.Event)
    _happening: set["asyncio.Task[Answer | None]"] = field(
        default_factory=set["asyncio.Task[Answer | None]"]
    )
    _leaving: "asyncio.Task[None] | None" = None
    _started: int = 0
    _release: int = 0
    _stack: contextlib.AsyncExitStack = field(default_factory=contextlib.AsyncExitStack)

    @property
    def nodes(self) -> dict[str, str]:
        """The machines by the parts that they have in a life."""
        return {host.name: f"host-{at}" for at, host in enumerate(self.hosts, start=1)}

    # --- before and after -----------------------------------------------------------------------

    async def open(self, tokens: Sequence[str]) -> None:
        """Let the agents run."""
        entered = road.laid(self.stage.port, self.meet, name="agents")
        self.agents_road = await self._stack.enter_async_context(entered)
        server = Server(self.agents_road.url)
        for host, token in zip(self.hosts, tokens, strict=True):
            self._begin(
                Agent(server, token=token, hostname=host.name, script=host.play, pause=_briefly)
            )

    async def close(self) -> None:
        await self.settle()
        for replica in [*self.replicas]:
            await self._end(replica)
        for _, running in self._agents:
            running.cancel()
        await asyncio.gather(*(running for _, running in self._agents), return_exceptions=True)
        await self._stack.aclose()

    def _begin(self, agent: Agent) -> None:
        self._agents.append((agent, asyncio.get_running_loop().create_task(agent.run())))

    async def prepare(self, hits: Iterable[Hit], *, controllers: int = 1) -> None:
        """For a life of its own: an agenda, nothing known, so many controllers."""
        self._agenda = {hit.point: hit for hit in hits}
        self.sight, self.record, self._stale = Sight(), [], []
        self._holders.clear()
        while len(self.replicas) < controllers:
            await self._start(self._release)
        while len(self.replicas) > controllers:
            await self._end(self.replicas[-1])

    def begin_act(self, kind: str) -> None:
        self.sight.act = kind

    def pulse(self) -> int:
        """Something else whenever something has passed by."""
        if self.stage.broken is not None:
            raise self.stage.broken
        return len(self.record)

    def left(self) -> list[Cell]:
        """What of the agenda has not happened."""
        return [hit.cell for hit in self._agenda.values()]

    def look(self) -> dict[str, Any]:
        """What is on the hosts, and what has happened to them since the life began."""
        return {
            self.nodes[host.name]: {
                "files": {path: _content(path, raw) for path, raw in sorted(host.files.items())},
                "units": {name: [u.active, u.enabled] for name, u in sorted(host.units.items())},
                "effects": {what: n for what, n in sorted(host.effects.items()) if n},
            }
            for host in self.hosts
        }

    # --- controllers ----------------------------------------------------------------------------

    async def _start(self, release: int, *, name: str = "") -> Replica:
        self._started += 1
        name = name or f"lane-{self.number}-{self._started}"
        laid = await self._stack.enter_async_context(
            road.laid(self.stage.port, self.meet, name=name)
        )
        environment = self.operator.environment(laid.url, name)
        log = self.stage.place / f"controller-{self.number}.log"
        process = await asyncio.to_thread(
            self.stage.forge.controller, environment, f"0.1.{release}", log
        )
        replica = Replica(name, release, laid, process)
        self.replicas.append(replica)
        return replica

    async def _end(self, replica: Replica) -> None:
        """Kill it."""
        self.replicas.remove(replica)
        await asyncio.to_thread(replica.process.kill)
        replica.process.close()
        replica.road.close()

    def _replica(self, delivery: Delivery, hit: Hit) -> Replica:
        """Who sent it; of what an agent sent, who waits for it."""
        names = {delivery.road.name, *(self._holders.get(id, "") for id in self._about(delivery))}
        found = [replica for replica in self.replicas if replica.name in names]
        return (found or self.replicas)[0]

    def _about(self, delivery: Delivery) -> set[str]:
        """The operations that a delivery is of."""
        document = delivery.document
        if delivery.path == "/v1/controller/reports":
            return {said["operation"] for said in document["reports"]}
        if delivery.path == "/v1/agent/reports":
            tasks = [self.sight.tasks_of.get(said["task"], "") for said in document["reports"]]
            return {id for id in tasks if id}
        return {id for id in [self.sight.tokens.get(delivery.token, "")] if id}

    # --- deliveries -----------------------------------------------------------------------------

    async def meet(self, delivery: Delivery) -> Answer | None:
        points = self.sight.asked(delivery)
        hit = self._take(points)
        if hit is not None:
            return await self._begin_fault(hit, delivery, None)
        answer = await self._pass(delivery)
        hit = self._take(self._learn(delivery, answer))
        if hit is not None:
            return await self._begin_fault(hit, delivery, answer)
        await self._deliver_stale(delivery)
        return answer

    def _take(self, points: Sequence[Point]) -> Hit | None:
        """The fault that is due at one of the points; all cells that it is one of are done."""
        self.record += points
        due = [self._agenda[point] for point in points if point in self._agenda]
        if not due:
            return None
        for hit in due:
            if hit.cell.fault is due[0].cell.fault:
                del self._agenda[hit.point]
                self.done.append(hit.cell)
        return due[0]

    async def _pass(self, delivery: Delivery) -> Answer:
        answer = await delivery.pass_on()
        if answer.status >= 500:
            self.odd[f"{answer.status} {delivery.method} {delivery.path}"] += 1
        self._passed.set()
        return answer

    def _learn(self, delivery: Delivery, answer: Answer) -> list[Point]:
        points = self.sight.answered(delivery, answer)
        if delivery.path == "/v1/controller/claims" and answer.status < 300:
            for brief in answer.document["operations"]:
                self._holders[brief["id"]] = delivery.road.name
        return points

    async def _deliver_stale(self, delivery: Delivery) -> None:
        mine = [stale for stale in self._stale if stale.delivery.road is delivery.road]
        for stale in mine:
            stale.after -= 1
        due = [stale for stale in mine if stale.after <= 0]
        self._stale = [stale for stale in self._stale if stale not in due]
        for stale in due:
            await self._again(stale.delivery)

    # --- faults ---------------------------------------------------------------------------------

    async def _begin_fault(
        self, hit: Hit, delivery: Delivery, answer: Answer | None
    ) -> Answer | None:
        """It takes its course, whether or not anybody still waits for the delivery."""
        course = asyncio.create_task(self._happen(hit, delivery, answer))
        self._happening.add(course)
        course.add_done_callback(self._happening.discard)
        return await asyncio.shield(course)

    async def settle(self) -> None:
        """Let every fault that has begun take its course."""
        while self._happening:
            await asyncio.wait(self._happening)
        if self._leaving is not None:
            await asyncio.wait({self._leaving})

    async def _happen(self, hit: Hit, delivery: Delivery, answer: Answer | None) -> Answer | None:
        late = hit.cell.moment is Moment.ENDS or (
            hit.cell.moment is Moment.INSIDE and hit.luck < 0.5
        )
        apart = (Fault.DUPLICATE, Fault.REORDER)
        if late and answer is None and hit.cell.fault not in apart:
            answer = await self._pass(delivery)
            self._learn(delivery, answer)
        does: dict[Fault, Handled] = {
            Fault.KILL_CONTROLLER: self._kill_controller,
            Fault.KILL_AGENT: self._kill_agents,
            Fault.CUT_CONTROLLER: self._cut_controllers,
            Fault.CUT_AGENT: self._cut_agents,
            Fault.DUPLICATE: self._duplicate,
            Fault.REORDER: self._reorder,
            Fault.NEXT_RELEASE: self._next_release,
            Fault.TWO_CONTROLLERS: self._two_controllers,
            Fault.KILL_SERVER: self._all_at_once,
            Fault.KILL_DATABASE: self._all_at_once,
        }
        return await does[hit.cell.fault](hit, delivery, answer)

    async def _go_on(self, delivery: Delivery, answer: Answer | None) -> Answer:
        """The delivery was not what the fault hit."""
        if answer is not None:
            return answer
        answer = await self._pass(delivery)
        self._learn(delivery, answer)
        return answer

    async def _kill_controller(
        self, hit: Hit, delivery: Delivery, answer: Answer | None
    ) -> Answer | None:
        replica = self._replica(delivery, hit)
        await self._end(replica)
        await self._start(replica.release, name=replica.name)
        if delivery.road is self.agents_road:
            return await self._go_on(delivery, answer)
        return None

    async def _kill_agents(
        self, hit: Hit, delivery: Delivery, answer: Answer | None
    ) -> Answer | None:
        killed = self._agents
        self._agents = []
        for _, running in killed:
            running.cancel()
        await asyncio.gather(*(running for _, running in killed), return_exceptions=True)
        for agent, _ in killed:
            self._begin(agent.successor())
        if delivery.road is self.agents_road:
            return None
        return await self._go_on(delivery, answer)

    async def _cut_controllers(
        self, hit: Hit, delivery: Delivery, answer: Answer | None
    ) -> Answer | None:
        return await self._cut([each.road for each in self.replicas], hit, delivery, answer)

    async def _cut_agents(
        self, hit: Hit, delivery: Delivery, answer: Answer | None
    ) -> Answer | None:
        assert self.agents_road is not None, "real hosts are cut off one by one"
        return await self._cut([self.agents_road], hit, delivery, answer)

    async def _cut(
        self, roads: Sequence[Road], hit: Hit, delivery: Delivery, answer: Answer | None
    ) -> Answer | None:
        for each in roads:
            each.cut()
        await asyncio.sleep(AWAY * hit.luck)
        for each in roads:
            each.mend()
        return None if delivery.road in roads else await self._go_on(delivery, answer)

    async def _duplicate(self, hit: Hit, delivery: Delivery, answer: Answer | None) -> Answer:
        """Twice at the same time, or one after the other."""
        if answer is None and hit.luck < 0.5:
            answer, _ = await asyncio.gather(self._go_on(delivery, None), self._again(delivery))
            return answer
        answer = await self._go_on(delivery, answer)
        await self._again(delivery)
        return answer

    async def _again(self, delivery: Delivery) -> None:
        with contextlib.suppress(Lost, TimeoutError):
            async with asyncio.timeout(2):
                await self._pass(delivery)

    async def _reorder(self, hit: Hit, delivery: Delivery, answer: Answer | None) -> Answer:
        """After something that was sent later; and a copy of it comes later still."""
        self._passed.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(AWAY * hit.luck):
                await self._passed.wait()
        answer = await self._go_on(delivery, answer)
        self._stale.append(Stale(delivery))
        return answer

    async def _next_release(
        self, hit: Hit, delivery: Delivery, answer: Answer | None
    ) -> Answer | None:
        """The next release is started and this one told to stop, as in every roll-out.

        One that has just been handed something hears of it first: it would not know otherwise
        that it has anything to give back, and its lease would have to run out.
        """
        before = self._replica(delivery, hit)
        self._release += 1
        await self._start(self._release)
        self.replicas.remove(before)
        if hit.cell.moment is Moment.HANDED:
            self._leaving = asyncio.create_task(self._leave(before, after=HEARD_WITHIN))
            return answer
        await self._leave(before)
        if delivery.road is self.agents_road:
            return await self._go_on(delivery, answer)
        return None

    async def _leave(self, replica: Replica, *, after: float = 0) -> None:
        await asyncio.sleep(after)
        replica.process.signal(signal.SIGTERM)
        await asyncio.to_thread(replica.process.join)
        replica.process.close()
        replica.road.close()

    async def _two_controllers(
        self, hit: Hit, delivery: Delivery, answer: Answer | None
    ) -> Answer | None:
        """One stands still until another has taken over; then both act."""
        frozen = self._replica(delivery, hit)
        about = self._about(delivery)
        if answer is not None and delivery.path == "/v1/controller/claims":
            about = {brief["id"] for brief in answer.document["operations"]}
        held = {id for id in about if self._holders.get(id) == frozen.name}
        frozen.process.signal(signal.SIGSTOP)
        try:
            await self.together(self, hit.cell.fault)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TAKEN_OVER_WITHIN):
                    while any(self._holders.get(id) == frozen.name for id in held):
                        await asyncio.sleep(0.01)
        finally:
            frozen.process.signal(signal.SIGCONT)
        return await self._go_on(delivery, answer)

    async def _all_at_once(
        self, hit: Hit, delivery: Delivery, answer: Answer | None
    ) -> Answer | None:
        await self.together(self, hit.cell.fault)
        return None


def _content(path: str, raw: bytes) -> str:
    """What a file says; not what is secret, and another one each time."""
    return "the key" if path == cluster.KEY else raw.decode()


async def _briefly(seconds: float) -> None:
    """Agents that wait for long have nothing to show."""
    await asyncio.sleep(min(seconds, 0.1))


# --- making them ----------------------------------------------------------------------------------


def make(stage: Stage, count: int, together: Meeting) -> list[Lane]:
    """Lanes with hosts that are nodes, and machines that the tenant holds."""
    lanes = [_make(stage, number, together) for number in range(1, count + 1)]
    place = {"region": REGION, "sku": SKU}
    nodes = [
        {"name": host.name, "address": host.address} | place
        for lane in lanes
        for host in lane.hosts
    ]
    items = stage.admin.post("/v1/node-batches", {"nodes": nodes})["items"]
    for at, lane in enumerate(lanes):
        mine = items[at * HOSTS : (at + 1) * HOSTS]
        stage.run(lane.open([item["enrolment"]["token"] for item in mine]))
    wait_until(lambda: _available(stage) == len(nodes))
    held = stage.admin.get("/v1/nodes?limit=200")["items"]
    ids = {node["name"]: node["id"] for node in held}
    for lane in lanes:
        for host in lane.hosts:
            wish = {"project": stage.tenant.project, "reason": "A life is led on it."}
            made = stage.admin.post(f"/v1/nodes/{ids[host.name]}/allocations", wish)
            lane.machines.append(made["allocations"][0]["id"])
    for lane in lanes:
        for machine in lane.machines:
            work.until_active(stage.tenant, machine)
    return lanes


def _available(stage: Stage) -> int:
    return len(stage.admin.get("/v1/nodes?status=available&limit=200")["items"])


def _make(stage: Stage, number: int, together: Meeting) -> Lane:
    operator = stage.run(stage.register(f"lane-{number}"))
    lane = Lane(stage, number, operator, together)
    network = Network()
    lane.hosts = [_host(network, f"lane-{number}-{at}", at) for at in range(1, HOSTS + 1)]
    return lane


def _host(network: Network, name: str, number: int) -> Host:
    def program(host: Host, argv: Sequence[str], stdin: str) -> Ran | None:
        ended = network.command(host.address, argv, stdin)
        return None if ended is None else Ran(*ended)

    host = Host(name, f"192.0.2.{number}", program=program)
    network.add(
        Seat(
            host.address,
            read=host.files.get,
            write=host.files.__setitem__,
            starts=lambda: host.starts(cluster.UNIT),
        )
    )
    return host


def reset(lane: Lane) -> None:
    """What has happened to the hosts so far is not counted."""
    for host in lane.hosts:
        host.effects.clear()


def steps_of(record: Iterable[Point]) -> list[Step]:
    """The steps that were seen, each once."""
    return [*dict.fromkeys(point.step for point in record if point.step.number)]
