"""The platform of a test's world: orders operations, hands them over, keeps what it is told.

One replica does one operation after the other, and time passes only where the test lets it.
Children start when their parent has prepared; failures, deadlines and budgets follow the contract.
"""

from collections.abc import Iterator, Mapping

from moorage._problem import Unprocessable
from moorage.controller import engine
from moorage.controller.app import App
from moorage.controller.briefs import Artifact, Brief, Children, Component, Instance, Previous
from moorage.controller.briefs import Member as MemberBrief
from moorage.controller.outcomes import Lost
from moorage.controller.reports import Report
from moorage.testing import targets
from moorage.testing.holds import SimulatedHold
from moorage.testing.script import Script
from moorage.testing.worlds import Member, Operation, World
from moorage_manifest import Manifest, config_faults

AUTOMATIC_TRIES = 5
BACK_OFF, LONGEST_BACK_OFF = 5.0, 300.0
DEADLINE = 3600.0
PARENTS = ("instance.deploy", "instance.decommission")


class Platform:
    """A world at work."""

    def __init__(self, app: App, world: World, script: Script) -> None:
        self.app = app
        self.world = world
        self.script = script
        for operation in list(world.operations):
            if not operation.id:
                self._accept(operation)

    @property
    def manifest(self) -> Manifest:
        return self.app.manifest

    async def run(self, seconds: float) -> None:
        """Until nothing moves any more, for so many seconds of the world's time."""
        until = self.world.now + seconds
        while True:
            self._cancel_idle()
            operation = self._next()
            if operation is not None:
                await self._hand_over(operation)
            elif not self._pass_time(until):
                return

    # What is next

    def _accept(self, operation: Operation) -> None:
        """Take an operation in, with those below it, which wait until it has prepared."""
        operation.id = f"opn_{len([o for o in self.world.operations if o.id]) + 1}"
        if operation.kind not in PARENTS and not operation.members:
            return
        operation.phase, operation.children = "prepare", Children()
        for child in targets.children(self.world, self.manifest, operation):
            child.parent = operation.id
            self.world.operations.append(child)
            child.id = f"{operation.id}.{len(self._children(operation))}"

    def _next(self) -> Operation | None:
        """The first in line that nothing is in the way of."""
        kept = {o.member for o in self._open() if o.status in {"waiting", "blocked"} and o.member}
        whole = [o for o in self._open() if o.phase == "children" and o.kind in PARENTS]
        for operation in self._open():
            root = operation.parent or operation.id
            if operation.status != "pending" or (whole and whole[0].id != root):
                continue
            if operation.parent and self._is_held_back(operation, operation.parent):
                continue
            if operation.member is None or operation.member not in kept:
                return operation
        return None

    def _is_held_back(self, child: Operation, parent: str) -> bool:
        """Children begin when their parent is at that, wave by wave."""
        earlier = [o for o in self._open() if o.parent == parent and o.wave < child.wave]
        return self._by_id(parent).phase != "children" or (child.fence == 0 and bool(earlier))

    def _open(self) -> Iterator[Operation]:
        return (o for o in self.world.operations if not o.ended)

    def _pass_time(self, until: float) -> bool:
        """To the next moment at which something happens by itself. False: there is none."""
        moments = [o.due_at for o in self._open() if o.due_at is not None]
        moments += [o.deadline for o in self._open() if self._is_timed(o) and o.deadline]
        if not moments or min(moments) > until:
            self.world.now = until
            return False
        self.world.now = max(self.world.now, min(moments))
        for operation in list(self._open()):
            if operation.due_at is not None and operation.due_at <= self.world.now:
                operation.status, operation.due_at = "pending", None
            if self._is_timed(operation) and (operation.deadline or 0) <= self.world.now:
                operation.cancel_requested = True
        return True

    def _is_timed(self, operation: Operation) -> bool:
        return operation.deadline is not None and not (
            operation.patient or operation.cancel_requested
        )

    def _cancel_idle(self) -> None:
        """What nobody works on is turned round at once, and what is below it goes first."""
        asked = [operation for operation in self._open() if operation.cancel_requested]
        for operation in asked:
            if any(step.no_return for step in operation.steps):
                operation.cancel_requested = False
                continue
            for child in self._children(operation):
                child.cancel_requested = child.cancel_requested or not child.ended
        for operation in reversed([o for o in self._open() if o.cancel_requested]):
            if operation.fence == 0:
                operation.status = "cancelled"
                self._moved(operation)
            elif (operation.direction, operation.phase) == ("forward", "finish"):
                continue
            elif operation.direction == "forward" and self._is_alone(operation):
                self._turn(operation)

    def _turn(self, operation: Operation) -> None:
        """Members that were added stay; the request is finished for those. All else goes back."""
        operation.status, operation.due_at = "pending", None
        done = _count(self._children(operation)).succeeded
        if done and operation.kind.startswith("member."):
            operation.phase = "finish"
        else:
            operation.direction = "undo"
            operation.phase = operation.phase and "prepare"

    def _is_alone(self, operation: Operation) -> bool:
        return all(child.ended for child in self._children(operation))

    # Handing over

    async def _hand_over(self, operation: Operation) -> None:
        operation.fence += 1
        if operation.deadline is None:
            timeouts: Mapping[str, float] = {**self.manifest.timeouts}
            operation.deadline = self.world.now + timeouts.get(operation.kind, DEADLINE)
        operation.status = "undoing" if operation.direction == "undo" else "running"
        self._moved(operation)
        hold = SimulatedHold(self.world, self.manifest, operation, self._brief(operation), self)
        try:
            await engine.perform(self.app, hold, renew=False)
        except Lost:
            # The lease runs out, and the next replica takes it up.
            if operation.status in {"running", "undoing"}:
                operation.status = "pending"
        assert operation.status not in {"running", "undoing"}, "the engine said no end"

    def _brief(self, operation: Operation) -> Brief:
        children = self._children(operation)
        return Brief(
            id=operation.id,
            kind=operation.kind,
            action=operation.action,
            phase=operation.phase if operation.phase in ("prepare", "finish") else None,
            direction="undo" if operation.direction == "undo" else "forward",
            attempt=operation.attempt,
            fence=operation.fence,
            input=operation.input,
            reason=operation.reason,
            requested_by=operation.requested_by,
            correlation_id=f"correlation-{operation.id}",
            parent_id=operation.parent,
            cancel_requested=operation.cancel_requested,
            steps=operation.steps,
            instance=self.instance(operation),
            member=self._member(operation.member),
            members=[self._told(self.world.member(name)) for name in operation.members],
            children=_count(children) if operation.is_parent else None,
            batch=[self.world.member(name).id for name in operation.members],
        )

    def instance(self, operation: Operation | None = None) -> Instance:
        """The instance as whoever works on it is told."""
        world, kind = self.world, "" if operation is None else operation.kind
        version, config = world.version or self.manifest.version, world.config
        previous = world.previous
        if kind in {"instance.upgrade", "instance.configure"}:
            previous = (version, config)
        if kind == "instance.upgrade":
            version = self.manifest.version
        if kind == "instance.configure" and operation is not None:
            config = operation.input["config"]
        if kind == "instance.rollback" and world.previous is not None:
            previous, (version, config) = (version, config), world.previous
        live = [member for member in world.members if member.status != "removed"]
        wanted = dict.fromkeys(self.manifest.components, 0)
        for member in live:
            wanted[member.component] += 1
        return Instance(
            id="ins_test",
            name=world.name,
            org_id="org_test",
            project_id="prj_test",
            app_slug=self.manifest.slug,
            app_version=version,
            previous=None
            if previous is None
            else Previous(app_version=previous[0], config=previous[1]),
            config=config,
            revision=world.revision,
            status=world.status,
            operating_mode=self.manifest.modes[0].operating_mode,
            runtime_backend=self.manifest.runtime_backend,
            endpoints=world.endpoints,
            artifacts=self._artifacts(version),
            components=[Component(key=key, desired=count) for key, count in wanted.items()],
            members=[self._told(member) for member in live],
        )

    def _artifacts(self, version: str) -> list[Artifact]:
        manifest = self.world.releases.get(version, self.manifest)
        return [Artifact(name=a.name, digest=a.digest, size=a.size) for a in manifest.artifacts]

    def _member(self, name: str | None) -> MemberBrief | None:
        return None if name is None else self._told(self.world.member(name))

    def _told(self, member: Member) -> MemberBrief:
        host = None if member.host is None else self.world.host(member.host)
        return MemberBrief(
            id=member.id,
            name=member.name,
            component=member.component,
            status=member.status,
            health=member.health,
            allocation_id=None if host is None else host.allocation,
            node_name=None if host is None else host.name,
            host_address=None
            if host is None
            else host.address or f"10.0.0.{self._number(host.name)}",
            reachable=host is not None and host.reachable,
            inventory=None if host is None else host.inventory,
            app_version=self.world.version or self.manifest.version,
            runtime_version=member.runtime_version,
            config_hash=member.config_hash,
            adapter_detail=member.adapter_detail,
        )

    def _number(self, host: str) -> int:
        return 1 + [known.name for known in self.world.hosts].index(host)

    # Reports

    def apply(self, operation: Operation, said: Report) -> None:
        """Keep what a controller says, and draw what follows from it.

        Raises:
            Unprocessable: it says what the manifest does not allow. Nothing of it is kept.
        """
        if operation.kind == "action" and said.state == "succeeded":
            self._check_output(operation, said)
        _keep(operation, said)
        targets.reported(self.world, operation, said)
        state = said.state
        if state == "undoing":
            operation.direction = "undo"
        if state == "waiting" and said.wait is not None:
            operation.due_at = self.world.now + said.wait.seconds
            operation.attempt += said.wait.retry
        operation.status = state
        if state == "failed":
            self._failed(operation)
        elif state == "succeeded":
            self._succeeded(operation)
        elif state == "cancelled" and operation.residue:
            operation.status, operation.error = "failed", "undo_incomplete"
        self._moved(operation)
        if operation.status == "cancelled":
            self._drop_children(operation)
        if operation.parent is not None and operation.ended:
            self._child_ended(self._by_id(operation.parent))

    def _failed(self, operation: Operation) -> None:
        if operation.recovery == "operator":
            operation.status = "blocked"
        elif operation.recovery == "retryable" and operation.automatic < AUTOMATIC_TRIES:
            pause = min(LONGEST_BACK_OFF, BACK_OFF * 2**operation.automatic)
            operation.automatic += 1
            operation.attempt += 1
            operation.status, operation.due_at = "waiting", self.world.now + pause

    def _succeeded(self, operation: Operation) -> None:
        if operation.phase == "prepare":
            waits = bool(self._children(operation))
            operation.phase = "children" if waits else "finish"
            operation.status = "waiting" if waits else "pending"
        elif operation.is_parent:
            self._finished(operation)

    def _finished(self, parent: Operation) -> None:
        if parent.cancel_requested:
            parent.status = "cancelled"
        elif _count(self._children(parent)).failed > (parent.max_failures or 0):
            parent.status, parent.error = "failed", "children_failed"

    def _check_output(self, operation: Operation, said: Report) -> None:
        (action,) = (a for a in self.manifest.actions if a.name == operation.action)
        faults = config_faults(action.output, said.result) if action.output else []
        if faults:
            raise Unprocessable(
                f"{action.name} answers something else: {'; '.join(map(str, faults))}",
                status=422,
                code="action_output_invalid",
                correlation_id="simulated",
            )

    def _child_ended(self, parent: Operation) -> None:
        children = self._children(parent)
        count = parent.children = _count(children)
        if parent.max_failures is not None and count.failed > parent.max_failures:
            self._drop_children(parent)
        done = parent.phase == "children" and all(child.ended for child in children)
        if done and not parent.cancel_requested:
            parent.phase, parent.status = "finish", "pending"

    def _drop_children(self, parent: Operation) -> None:
        """Those that were not begun are not begun any more."""
        for child in self._children(parent):
            if child.status == "pending" and child.fence == 0:
                child.status = "cancelled"
                self._moved(child)

    def _children(self, parent: Operation) -> list[Operation]:
        return [o for o in self.world.operations if o.parent == parent.id]

    def _by_id(self, id: str) -> Operation:
        (found,) = (o for o in self.world.operations if o.id == id)
        return found

    def _moved(self, operation: Operation) -> None:
        targets.moved(self.world, self.manifest, operation)


def _count(children: list[Operation]) -> Children:
    return Children(
        total=len(children),
        succeeded=sum(child.status == "succeeded" for child in children),
        failed=sum(child.status == "failed" for child in children),
    )


def _keep(operation: Operation, said: Report) -> None:
    known = {(step.phase, step.number): step for step in operation.steps}
    known |= {(step.phase, step.number): step for step in said.steps}
    operation.steps = list(known.values())
    operation.message = operation.message if said.message is None else said.message
    if said.progress is not None:
        operation.progress = (said.progress.done, said.progress.total)
    if said.result is not None:
        operation.result = said.result
    operation.residue = said.residue or operation.residue
    operation.recovery = said.recovery
    operation.error = None if said.error is None else said.error.code
    operation.error_message = None if said.error is None else said.error.message
    operation.error_log = [] if said.error is None else said.error.log
