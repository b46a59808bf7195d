"""One life of an instance of echo: every kind of operation there is, one after the other.

Whoever leads it says where: on simulated hosts or real ones. Each act is asked for once, by the
public API, and waited for; nothing else is done to it, whatever goes wrong meanwhile.
"""

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx2

from moorage_manifest import OPERATION_KINDS
from tests.e2e.callers import Caller, Refused, pause

Json = dict[str, Any]
WAIT = 20
REASON = "The life of an instance"
PORT = 7500
"""What `configure` sets."""


class Forever(AssertionError):
    """Something waited longer than anything may."""


@dataclass
class Patient:
    """Calls again while the platform is away; a change is made once, by its key."""

    caller: Caller
    within: float = 120.0

    def get(self, path: str) -> Any:
        return self._insist("GET", path)

    def post(self, path: str, body: Json) -> Any:
        headers = {"idempotency-key": uuid.uuid4().hex}
        return self._insist("POST", path, json=body, headers=headers)

    def _insist(self, method: str, path: str, **options: Any) -> Any:
        deadline = time.monotonic() + self.within
        while True:
            try:
                return self.caller.call(method, path, **options)
            except httpx2.TransportError as err:
                last: Exception = err
            except Refused as err:
                if err.status not in (429, 502, 503, 504) and err.code != "in_progress":
                    raise
                last = err
            if time.monotonic() > deadline:
                raise Forever(f"{method} {path} was never answered: {last}")
            pause(0.05)


@dataclass
class Life:
    """An instance, from its first operation to its last."""

    calls: Patient
    project: str
    app: str
    operator: str
    machines: Sequence[str]
    """Allocations: a leader's, a replica's, one that comes and goes, one that replaces."""
    name: str = field(default_factory=lambda: f"life-{uuid.uuid4().hex[:8]}")
    within: float = 120.0
    """Seconds after which an operation of which nothing moves waits for ever."""
    pulse: Callable[[], object] = lambda: None
    """Says something else whenever something moves that the operation itself does not show."""
    id: str = ""

    @property
    def path(self) -> str:
        return f"/v1/instances/{self.id}"

    def acts(self, begin: Callable[[str], None]) -> Iterator[tuple[str, Json]]:
        """Every act with the operation that it was, once that has ended. `begin` is told first."""
        for kind, ask in ACTS:
            begin(kind)
            asked = ask(self)
            yield kind, self.ended(asked["id"])

    def ended(self, id: str) -> Json:
        """The operation, once it has ended."""
        deadline, before = time.monotonic() + self.within, object()
        while True:
            found = self.calls.get(f"/v1/operations/{id}?wait={WAIT}")
            if found["ended_at"]:
                return found
            now = found["version"], self.pulse()
            if now != before:
                deadline, before = time.monotonic() + self.within, now
            elif time.monotonic() > deadline:
                raise Forever(f"{found['kind']} is {found['status']} ({found['phase']}): {found}")

    def read(self) -> Json:
        return self.calls.get(self.path)

    def members(self) -> list[Json]:
        """All that there ever were."""
        return self.calls.get(f"{self.path}/members?limit=200&removed=true")["items"]

    def _ask(self, verb: str, body: Json | None = None) -> Json:
        return self.calls.post(f"{self.path}/{verb}", body or {})

    def _member(self, name: str) -> str:
        (found,) = [member["id"] for member in self.members() if member["name"] == name]
        return found

    def _of(self, verb: str, name: str) -> Json:
        named = {"members": [self._member(name)], "reason": REASON}
        return self._ask(f"members/{verb}", named)

    # Acts

    def deploy(self) -> Json:
        wish = {
            "name": self.name,
            "app": self.app,
            "version": "0.1.0",
            "operator": self.operator,
            "components": {
                "leader": {"allocations": [self.machines[0]]},
                "replica": {"allocations": [self.machines[1]]},
            },
        }
        made = self.calls.post(f"/v1/projects/{self.project}/instances", wish)
        self.id = made["id"]
        return made["last_operation"]

    def put(self) -> Json:
        return self._ask("actions/echo.put", {"input": {"key": "a", "value": "1"}})

    def add(self) -> Json:
        wish = {"component": "replica", "allocations": [self.machines[2]]}
        return self._ask("members", wish)

    def drain(self) -> Json:
        return self._of("drain", "replica-2")

    def resume(self) -> Json:
        return self._of("resume", "replica-2")

    def remove(self) -> Json:
        return self._of("remove", "replica-2")

    def replace(self) -> Json:
        wish = {"allocation": self.machines[3], "reason": REASON}
        return self.calls.post(f"/v1/members/{self._member('replica-1')}/replace", wish)

    def configure(self) -> Json:
        return self._ask("configure", {"config": self.read()["config"] | {"port": PORT}})

    def upgrade(self) -> Json:
        return self._ask("upgrade", {"version": "0.2.0"})

    def rollback(self) -> Json:
        return self._ask("rollback")

    def stop(self) -> Json:
        return self._ask("stop")

    def start(self) -> Json:
        return self._ask("start")

    def restart(self) -> Json:
        return self._ask("restart")

    def repair(self) -> Json:
        return self._ask("repair", {"reason": REASON})

    def rotate(self) -> Json:
        return self._ask("rotate", {"reason": REASON})

    def decommission(self) -> Json:
        return self._ask("decommission", {"reason": REASON})


ACTS: tuple[tuple[str, Callable[[Life], Json]], ...] = (
    ("instance.deploy", Life.deploy),
    ("action", Life.put),
    ("member.add", Life.add),
    ("member.drain", Life.drain),
    ("member.resume", Life.resume),
    ("member.remove", Life.remove),
    ("member.replace", Life.replace),
    ("instance.configure", Life.configure),
    ("instance.upgrade", Life.upgrade),
    ("instance.rollback", Life.rollback),
    ("instance.stop", Life.stop),
    ("instance.start", Life.start),
    ("instance.restart", Life.restart),
    ("instance.repair", Life.repair),
    ("credential.rotate", Life.rotate),
    ("instance.decommission", Life.decommission),
)
KINDS = frozenset(OPERATION_KINDS)
"""Every kind that the contract has. Attachments are not among them yet."""
