"""An instance whose operations tests ask for, claim and report, with targets that only listen."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from core.tests.factories import machines
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import TimedSite, fresh
from moorage_core import unit
from moorage_core.context import Context
from moorage_core.errors import ApiError, Conflict
from moorage_core.kit.ids import InstanceId, MemberId, ReplicaId
from moorage_core.operations import claims, commands, reports
from moorage_core.operations.models import (
    Circumstances,
    Move,
    NewChild,
    NewOperation,
    Operation,
    Said,
)
from moorage_core.operations.report_shapes import ReportCreate
from moorage_core.operations.sweeps import ExpireLeases, StopLate, WakeDue
from moorage_core.platform import Platform

LOCKS = {"member": "shared", "action": "none"}


@dataclass
class Listener:
    """A target that notes what it is told, and refuses what a test names."""

    moves: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    said: list[Said] = field(default_factory=list[Said])
    refuses: ApiError | None = None
    cannot_begin: set[str] = field(default_factory=set[str])
    """Operations whose beginning it cannot follow."""
    cannot_end: set[str] = field(default_factory=set[str])

    async def moved(self, ctx: Context, moves: Sequence[Move]) -> None:
        for move in moves:
            if move.operation.status == "running" and move.operation.id in self.cannot_begin:
                raise Conflict("It is not in the state for that.")
            if move.operation.status == "succeeded" and move.operation.id in self.cannot_end:
                raise Conflict("It is not in the state for that.")
        for move in moves:
            self.moves.append((move.operation.id, move.before, move.operation.status))

    async def reported(self, ctx: Context, said: Sequence[Said]) -> None:
        self.said.extend(said)

    async def admit(self, ctx: Context, operation: Operation) -> None:
        if self.refuses is not None:
            raise self.refuses

    async def authorize(self, ctx: Context, operation: Operation) -> None:
        """Whoever may try again at all may try all of it again."""

    async def list_barred(
        self, ctx: Context, operations: Sequence[Operation], around: Mapping[str, Circumstances]
    ) -> set[str]:
        return set()

    async def list_withheld(self, ctx: Context, operations: Sequence[Operation]) -> set[str]:
        return set()

    def of(self, id: str) -> list[str]:
        """The states that an operation went through."""
        return [after for moved, _, after in self.moves if moved == id]


@dataclass
class Queue:
    """One instance, its operator's replicas, and the operations between them."""

    site: TimedSite
    tenant: Tenant
    instance: str
    operator: str
    version: str
    target: Listener
    numbers: dict[str, int] = field(default_factory=dict[str, int])
    members: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def platform(self) -> Platform:
        return self.site.platform

    async def member(self, name: str) -> str:
        """A member of that name, made when it is first named."""
        if name not in self.members:
            self.members[name] = await _make_member(self, name)
        return self.members[name]

    async def ask(self, kind: str, *members: str, **wish: Any) -> str:
        """Ask for something. Of several members it is a bulk, of which each has a child."""
        lock = LOCKS.get(kind.partition(".")[0], "exclusive")
        ids = [await self.member(name) for name in members]
        wish = {"lock": lock, "timeout": 3600, "reason": "a test wants it"} | wish
        if kind == "instance.repair":
            wish |= {"lock": "shared", "members": tuple(ids)}
        elif ids and not wish.pop("alone", False):
            child = wish.pop("child", {"kind": kind})
            wish["children"] = tuple(NewChild(member=id, **child) for id in ids)
        elif ids:
            wish["member"] = ids[0]
        async with unit.work(self.platform, self.tenant.org.id) as ctx:
            ref = await commands.lock_instance(ctx, self.instance, org=self.tenant.org.id)
            operation = await commands.request(ctx, NewOperation(kind, ref, **wish))
        return operation.id

    async def replica(self, name: str = "one") -> str:
        """A replica of the operator that listens."""
        found = await self.site.rows(
            "SELECT id FROM controller_replicas WHERE operator_id = %s AND name = %s",
            self.operator,
            name,
        )
        if found:
            return found[0][0]
        now = self.platform.clock.now()
        return await machines.insert(
            self.site,
            "controller_replicas",
            id=ReplicaId.new(),
            operator_id=self.operator,
            org_id=self.tenant.org.id,
            project_id=self.tenant.project.id,
            name=name,
            lease_expires_at=now + timedelta(seconds=30),
            last_seen_at=now,
            created_at=now,
        )

    async def claim(self, replica: str = "one", *, limit: int = 100) -> list[dict[str, Any]]:
        """What a replica gets now."""
        return await self.tell(await self.reserve(replica, limit=limit), replica)

    async def reserve(self, replica: str = "one", *, limit: int = 100) -> list[str]:
        """The first half of a claim: what is a replica's from now on, and was not told yet."""
        id, platform = await self.replica(replica), self.platform
        first = self.numbers.get(replica, 0) + 1
        async with platform.database.sweep() as db:
            found = await claims.reserve(
                db,
                operator=self.operator,
                replica=id,
                first=first,
                limit=limit,
                now=platform.clock.now(),
            )
        self.numbers[replica] = first - 1 + len(found)
        return [each.id for each in found]

    async def tell(self, ids: list[str], replica: str = "one") -> list[dict[str, Any]]:
        id, org = await self.replica(replica), self.tenant.org.id
        async with unit.work(self.platform, org) as ctx:
            return await claims.hand_over(ctx, ids, org=org, replica=id)

    async def take(self, replica: str = "one") -> dict[str, Any]:
        """The one operation that there is to claim."""
        (brief,) = await self.claim(replica)
        return brief

    async def say(self, brief: dict[str, Any], state: str, **said: Any) -> Operation | ApiError:
        """Report as whoever was given the brief."""
        number = said.pop("sequence", brief.get("said", 0) + 1)
        brief["said"] = max(number, brief.get("said", 0))
        given = {"fence": brief["fence"], "sequence": number, "state": state} | said
        entry = reports.Entry(brief["id"], brief["grant"], ReportCreate.model_validate(given))
        (answer,) = await reports.take(self.platform, [entry])
        return answer

    async def done(self, brief: dict[str, Any], state: str, **said: Any) -> Operation:
        """Report, and be heard."""
        answer = await self.say(brief, state, **said)
        assert not isinstance(answer, ApiError), answer.detail
        return answer

    async def finish(self, *, replica: str = "one") -> list[str]:
        """Do whatever there is to do until nothing is left; the kinds and phases, in order."""
        did: list[str] = []
        while briefs := await self.claim(replica):
            for brief in briefs:
                did.append(f"{brief['kind']} {brief['phase'] or ''}".strip())
                undoes = brief["direction"] == "undo"
                await self.done(brief, "cancelled" if undoes else "succeeded")
        return did

    async def get(self, id: str) -> dict[str, Any]:
        """As people see it."""
        answer = await self.tenant.admin.get(f"/v1/operations/{id}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def status(self, id: str) -> str:
        return (await self.get(id))["status"]

    async def statuses(self, *ids: str) -> list[str]:
        return [await self.status(id) for id in ids]

    async def children(self, id: str) -> dict[str, dict[str, Any]]:
        """By the name of the member."""
        names = {member: name for name, member in self.members.items()}
        answer = await self.tenant.admin.get(f"/v1/operations/{id}/children?limit=100")
        return {names[each["member_id"]]: each for each in answer.json()["items"]}

    async def child_statuses(self, id: str) -> dict[str, str]:
        return {name: each["status"] for name, each in sorted((await self.children(id)).items())}

    async def verb(self, id: str, verb: str, *, status: int = 200) -> dict[str, Any]:
        path = f"/v1/operations/{id}/{verb}"
        answer = await self.tenant.admin.post(path, {"reason": "a test says so"})
        assert answer.status_code == status, answer.text
        return answer.json()

    async def pass_time(self, seconds: float) -> None:
        """Let time pass, and what happens by itself happen."""
        await ExpireLeases(self.platform).activate()
        self.site.clock.move(timedelta(seconds=seconds))
        async with self.platform.database.sweep() as db:
            # The control plane was there all the time.
            await db.run("UPDATE pulse SET at = %s", (self.platform.clock.now(),))
        await self.sweep()

    async def sweep(self) -> None:
        for sweep in (ExpireLeases, WakeDue, StopLate):
            await sweep(self.platform).activate()


async def make_queue(timed: TimedSite, tenant: Tenant | None = None) -> Queue:
    """An instance of a published app, with an operator that serves it."""
    target = Listener()
    targets = dict.fromkeys(("instance", "member", "action", "credential"), target)
    platform = dataclasses.replace(timed.platform, targets=targets)
    site = dataclasses.replace(timed, platform=platform)
    timed.api.state.platform = platform
    # Each test has a time of its own; the pulse is the module's.
    await site.sql.execute("DELETE FROM pulse")
    tenant = tenant or await make_tenant(site)
    await tenant.fill("app", "version", "operator")
    operator, version = tenant.ids["operator"], tenant.ids["version"]
    now = platform.clock.now()
    instance = await machines.insert(
        site,
        "instances",
        id=InstanceId.new(),
        org_id=tenant.org.id,
        project_id=tenant.project.id,
        app_id=tenant.ids["app"],
        app_slug=tenant.ids["slug"],
        name=f"i-{fresh()}",
        status="running",
        settled="running",
        operator_id=operator,
        operating_mode="standard",
        control_plane_scope="project",
        runtime_backend="example",
        version_id=version,
        app_version="1.0.0",
        config={},
        turn_at=now,
        requested_by=tenant.admin.id,
        correlation_id="test",
        created_at=now,
        updated_at=now,
    )
    return Queue(site, tenant, instance, operator, version, target)


async def _make_member(queue: Queue, name: str) -> str:
    now, tenant = queue.platform.clock.now(), queue.tenant
    return await machines.insert(
        queue.site,
        "members",
        id=MemberId.new(),
        org_id=tenant.org.id,
        project_id=tenant.project.id,
        instance_id=queue.instance,
        component="worker",
        name=name,
        status="ready",
        source_project_id=tenant.project.id,
        version_id=queue.version,
        app_version="1.0.0",
        correlation_id="test",
        created_at=now,
        updated_at=now,
    )
