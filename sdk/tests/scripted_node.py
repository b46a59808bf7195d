"""A machine for tests of client and command line: a row, and a thread that does what it is told.

It speaks the real protocol. What is to be done is done here, by the test's own user.
"""

import subprocess
import threading
from typing import Any, LiteralString, Self

import httpx2
import psycopg

from moorage_core.kit import tokens
from moorage_core.kit.ids import PLATFORM_ORG, AllocationId, NodeId, RegionId, SkuId

STATEMENTS: tuple[LiteralString, ...] = (
    (
        "INSERT INTO regions (id, slug, name, created_at, updated_at)"
        " VALUES (%(region)s, %(region)s, 'r', now(), now())"
    ),
    (
        "INSERT INTO skus (id, slug, name, cpus, memory_bytes, gpus, price_micros, currency,"
        " created_at, updated_at) VALUES (%(sku)s, %(sku)s, 's', 1, 1, 0, 0, 'EUR', now(), now())"
    ),
    (
        "INSERT INTO nodes (id, org_id, name, region_id, sku_id, reach, status, status_since,"
        " token_hash, token_expires_at, enrolled_at, last_seen_at, inventory, inventory_at,"
        " created_at, updated_at) VALUES (%(node)s, %(platform)s, %(node)s, %(region)s, %(sku)s,"
        " 'agent', 'allocated', now(), %(token)s, now() + interval '1 hour', now(), now(),"
        " %(inventory)s, now(), now(), now())"
    ),
    (
        "INSERT INTO allocations (id, org_id, project_id, name, node_id, node_name, region, sku,"
        " gpus, price_micros, currency, status, placement, requested_by, held_from, correlation_id,"
        " created_at, updated_at) VALUES (%(id)s, %(org)s, %(project)s, %(name)s, %(node)s, 'n',"
        " 'r', 's', 0, 0, 'EUR', 'active', %(placement)s, 'test', now(), 'test', now(), now())"
    ),
)
PLACEMENT = '{"strategy": "spread", "why": "test", "considered": 1, "free": 1}'


class ScriptedNode:
    """An active allocation of a project, and its node at work for as long as the block lasts."""

    def __init__(
        self,
        url: str,
        database: psycopg.Connection[Any],
        project: dict[str, Any],
        name: str,
        *,
        inventory: str = "{}",
    ) -> None:
        self.lists: list[dict[str, Any]] = []
        """The lists of people that it was given; it says that it has carried each out."""
        self.id, token = str(AllocationId.new()), tokens.new(tokens.NODE)
        values = {
            "id": self.id,
            "region": RegionId.new(),
            "sku": SkuId.new(),
            "node": NodeId.new(),
            "platform": PLATFORM_ORG,
            "token": tokens.digest(token),
            "org": project["org_id"],
            "project": project["id"],
            "name": name,
            "placement": PLACEMENT,
            "inventory": inventory,
        }
        for statement in STATEMENTS:
            database.execute(statement, values)
        self._http = httpx2.Client(
            base_url=url, headers={"authorization": f"Bearer {token}"}, timeout=30
        )
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(timeout=20)
        self._http.close()

    def _work(self) -> None:
        holds: list[dict[str, str]] = []
        while not self._stop.is_set():
            said = {
                "wait": 1,
                "run_id": "test",
                "boot_id": "test",
                "agent_version": "test",
                "trust": None,
                "holds": holds,
            }
            answer = self._http.post("/v1/agent/poll", json=said).raise_for_status().json()
            holds = []
            for task in answer["tasks"]:
                self._do(task)

    def _do(self, task: dict[str, Any]) -> None:
        if task["kind"] == "access-sync":
            self.lists.append(task["input"])
            self._report(task, state="succeeded", result={}, changed=True)
            return
        self._report(task, state="running")
        ran = subprocess.run(task["input"]["argv"], capture_output=True, check=False)
        for stream, content in (("stdout", ran.stdout), ("stderr", ran.stderr)):
            if content:
                path = f"/v1/agent/tasks/{task['id']}/output/{stream}?offset=0"
                self._http.put(path, content=content).raise_for_status()
        result = {"exit_code": ran.returncode}
        error = {"code": "exit_nonzero", "message": "It did not end with 0."}
        if ran.returncode:
            self._report(task, state="failed", result=result, error=error)
        else:
            self._report(task, state="succeeded", result=result)

    def _report(self, task: dict[str, Any], **said: Any) -> None:
        body = {"reports": [{"task": task["id"], "fence": task["fence"], **said}]}
        self._http.post("/v1/agent/reports", json=body).raise_for_status()
