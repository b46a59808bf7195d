"""An operation that is held, and an instance that is watched, in a test's world."""

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from moorage.controller.briefs import Brief
from moorage.controller.holds import Ended, Purpose, Rows, Stream, Wish
from moorage.controller.outcomes import Fail
from moorage.controller.reports import Observed, Report, Usage
from moorage.testing import hosts
from moorage.testing.hosts import Host, Played
from moorage.testing.script import Killed, Script
from moorage.testing.worlds import Operation, World
from moorage_manifest import Manifest


class Keeper(Protocol):
    """Who takes reports."""

    @property
    def script(self) -> Script: ...

    def apply(self, operation: Operation, said: Report) -> None: ...


class SimulatedHold:
    """One operation, held by the only replica there is."""

    def __init__(
        self, world: World, manifest: Manifest, operation: Operation, brief: Brief, keeper: Keeper
    ) -> None:
        self._world = world
        self._manifest = manifest
        self._operation = operation
        self._keeper = keeper
        self._brief = brief
        self._cancel = asyncio.Event()
        self._outputs: dict[str, Played] = {}
        if operation.cancel_requested and operation.phase != "finish":
            self._cancel.set()

    @property
    def brief(self) -> Brief:
        return self._brief

    async def report(self, said: Report) -> None:
        event = self._keeper.script.enter()
        for step in said.steps:
            if step.status == "succeeded" and step.name in self._world.crashes:
                self._world.crashes.remove(step.name)
                raise Killed
        await self._strike(event, after_effect=False)
        self._keeper.apply(self._operation, said)
        for step in said.steps:
            if step.status == "running" and step.name in self._world.cancels:
                self._world.cancels.remove(step.name)
                await self._ask_to_stop()
        await self._strike(event, after_effect=True)

    async def task(self, wish: Wish) -> Ended:
        event = self._keeper.script.enter()
        await self._strike(event, after_effect=False)
        played = self._play(wish)
        self._outputs[played.ended.id] = played
        await self._strike(event, after_effect=True)
        return played.ended

    async def output(self, task: str, stream: Stream) -> bytes:
        return self._outputs[task].output.get(stream, b"")

    async def cancel_asked(self) -> None:
        await self._cancel.wait()

    async def settle(self, *, stop: bool) -> None:
        """Tasks of this world end at once."""

    async def put_secret(
        self, name: str, *, purpose: Purpose, value: str | None, generate: int | None, rotate: bool
    ) -> None:
        if purpose not in self._manifest.secrets:
            raise Fail("secret_not_declared", f"The manifest declares no secrets for {purpose}.")
        if rotate and not self._may_rotate():
            raise Fail("rotation_not_here", f"{self._operation.kind} rotates no secrets.")
        known, put = self._world.secrets.get(name, 0), self._operation.secrets
        if not known or (rotate and name not in put):
            self._world.secrets[name] = known + 1
            put.add(name)

    def _may_rotate(self) -> bool:
        kind, lost = self._operation.kind, self._operation.input.get("lost")
        return kind in ("credential.rotate", "instance.deploy") or (
            kind == "member.remove" and bool(lost)
        )

    async def principals(self) -> list[dict[str, Any]]:
        return self._world.principals

    async def observe(self, observed: Observed) -> None:
        keep_observed(self._world, observed)

    # Inside

    def _play(self, wish: Wish) -> Played:
        """What was asked for before is not done again."""
        name = (self._operation.id, wish.key, wish.allocation, wish.attempt)
        ledger = self._world.tasks
        if name not in ledger:
            host = self._host(wish)
            self._check(wish)
            id = f"tsk_{len(ledger) + 1}"
            if not host.reachable:
                message = f"{host.name} does not answer."
                ledger[name] = Played(Ended(id, "timed_out", None, {}, "timed_out", message))
            else:
                ledger[name] = hosts.play(host, wish, id=id, secrets=self._world.secrets)
                if host.forgets:
                    host.forgets -= 1
                    ledger[name] = Played(Ended(id, "unknown"))
        return ledger[name]

    def _host(self, wish: Wish) -> Host:
        for host in self._world.hosts:
            if host.allocation == wish.allocation:
                return host
        raise Fail("allocation_foreign", f"{wish.allocation} is not one of the operation's.")

    def _check(self, wish: Wish) -> None:
        """What the platform takes: the target or what the manifest says is touched, declared."""
        brief, declared = self._brief, self._manifest.tasks
        if wish.kind not in declared.kinds:
            raise Fail("task_kind_not_allowed", f"The manifest declares no tasks of {wish.kind}.")
        if wish.kind == "exec" and wish.run_as not in declared.run_as:
            raise Fail("task_kind_not_allowed", f"The manifest declares no run_as {wish.run_as}.")
        told = {m.allocation_id: m for m in brief.instance.members}
        member = told.get(wish.allocation)
        touches: Mapping[str, list[str]] = {**self._manifest.touches}
        touched = touches.get(brief.kind, [])
        own = brief.member is not None and brief.member.allocation_id == wish.allocation
        if not own and (member is None or member.component not in touched):
            where = wish.allocation if member is None else member.name
            raise Fail(
                "allocation_foreign",
                f"{where} is not the target of {brief.kind}, and its component does not stand in "
                "the manifest's touches.",
            )

    async def _strike(self, event: int, *, after_effect: bool) -> None:
        script = self._keeper.script
        if not script.strikes(event, after_effect=after_effect):
            return
        if script.what == "kill":
            raise Killed
        await self._ask_to_stop()

    async def _ask_to_stop(self) -> None:
        """Somebody cancels, and the engine hears of it before anything else happens."""
        if any(step.no_return for step in self._operation.steps):
            return
        self._operation.cancel_requested = True
        self._cancel.set()
        for _ in range(10):
            await asyncio.sleep(0)


class SimulatedWatch:
    """The instance of a world, watched."""

    def __init__(self, world: World, manifest: Manifest) -> None:
        self._world = world
        self._manifest = manifest

    async def probe(self, name: str, member: str) -> tuple[Ended, bytes]:
        (probe,) = (known for known in self._manifest.probes if known.name == name)
        (found,) = (m for m in self._world.members if member in (m.id, m.name))
        host = self._world.host_of(found.name)
        if found.component != probe.component:
            raise Fail("probe_misplaced", f"{name} does not run on a {found.component}.")
        if not host.reachable:
            return Ended("tsk_probe", "timed_out", error_code="timed_out"), b""
        wish = Wish("probe", "probe", host.allocation, {"argv": [*probe.command]})
        played = hosts.play(host, wish, id="tsk_probe", secrets=self._world.secrets)
        return played.ended, played.output.get("stdout", b"")

    async def observe(self, observed: Observed) -> None:
        keep_observed(self._world, observed)

    async def put_view(self, name: str, rows: Rows) -> None:
        (view,) = (known for known in self._manifest.views if known.name == name)
        known = {} if rows.complete else self._world.views.get(name, {})
        kept = {key: row for key, row in known.items() if key not in rows.deletes}
        self._world.views[name] = kept | {str(row[view.key]): row for row in rows.upserts}

    async def principals(self) -> list[dict[str, Any]]:
        return self._world.principals

    async def usage(self, records: list[Usage]) -> None:
        declared = {meter.name for meter in self._manifest.meters}
        for record in records:
            if record.meter not in declared:
                raise Fail("meter_unknown", f"The manifest declares no meter {record.meter}.")
            self._world.usage.setdefault((record.meter, record.key), record.quantity)

    async def request_repair(self, reason: str, members: list[str]) -> None:
        self._world.repairs.append(reason)


def keep_observed(world: World, observed: Observed) -> None:
    """Health is kept; no state is set."""
    world.observed = observed
    for member in world.members:
        if (seen := observed.members.get(member.id)) is not None:
            member.health, member.reasons = seen.health, seen.reasons
