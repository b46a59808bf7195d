"""Hosts as the platform meets them: a key, a line, and what an agent says."""

import copy
import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

import httpx2
from joserfc import jws
from joserfc.jwk import ECKey

from core.tests.callers import Caller
from core.tests.factories.machines import INVENTORY
from core.tests.site import Site, fresh


@dataclass
class Host:
    """An agent's side of the protocol. Sends what it is told to, and keeps what it is given."""

    client: httpx2.AsyncClient
    key: ECKey = field(default_factory=lambda: ECKey.generate_key("P-256"))
    node: str = ""
    nonce: str = ""
    token: str = ""

    @property
    def public_key(self) -> dict[str, Any]:
        jwk = self.key.as_dict(private=False)
        return {name: jwk[name] for name in ("kty", "crv", "x", "y")}

    def sign(self, **claims: Any) -> str:
        said = {"aud": "moorage-agent", "jti": secrets.token_urlsafe(16)} | claims
        return jws.serialize_compact({"alg": "ES256"}, json.dumps(said).encode(), self.key)

    async def enrol(self, token: str, **said: Any) -> httpx2.Response:
        body = {
            "token": token,
            "public_key": self.public_key,
            "assertion": self.sign(enrolment=hashlib.sha256(token.encode()).hexdigest()),
            "agent_version": "0.1.0",
            "hostname": "host",
            "machine_id": "m",
            "boot_id": "b",
            "inventory": INVENTORY,
        }
        answer = await self.client.post("/v1/agent/enrol", json=body | said)
        if answer.status_code == 201:
            self.node = answer.json()["node_id"]
            self._keep(answer)
        return answer

    async def prove(self, assertion: str | None = None) -> httpx2.Response:
        sent = assertion or self.sign(sub=self.node, nonce=self.nonce)
        body = {"node_id": self.node, "assertion": sent}
        answer = await self.client.post("/v1/agent/token", json=body)
        if answer.status_code == 200:
            self._keep(answer)
        return answer

    async def call(self, method: str, path: str, **options: Any) -> httpx2.Response:
        headers = {"authorization": f"Bearer {self.token}"}
        return await self.client.request(method, f"/v1/agent/{path}", headers=headers, **options)

    async def poll(self, **said: Any) -> httpx2.Response:
        body = {"wait": 0, "run_id": "run", "boot_id": "b", "agent_version": "0.1.0", "holds": []}
        return await self.call("POST", "poll", json=body | said)

    def clone(self) -> "Host":
        """All that was on the host's disk and in its memory."""
        return copy.copy(self)

    def _keep(self, answer: httpx2.Response) -> None:
        self.nonce, self.token = answer.json()["nonce"], answer.json()["token"]


@dataclass(frozen=True)
class Place:
    """A region and a SKU that hosts of `INVENTORY` fit."""

    region: str
    sku: str


async def make_place(root: Caller, **shape: Any) -> Place:
    region = {"slug": f"r-{fresh()}", "name": "North"}
    sku = {
        "slug": f"s-{fresh()}",
        "name": "Small",
        "cpus": 4,
        "memory_bytes": 8 << 30,
        "price_micros": 1_000_000,
        "currency": "EUR",
    }
    made = [await root.post("/v1/regions", region), await root.post("/v1/skus", sku | shape)]
    assert [answer.status_code for answer in made] == [201, 201], made[1].text
    return Place(region["slug"], sku["slug"])


async def announce(root: Caller, place: Place, **fields: Any) -> dict[str, Any]:
    """A node that no host is yet."""
    body = {"name": f"n-{fresh()}", "region": place.region, "sku": place.sku} | fields
    made = await root.post("/v1/nodes", body)
    assert made.status_code == 201, made.text
    return made.json()


async def issue(root: Caller, node: str) -> dict[str, Any]:
    """A line for the node."""
    made = await root.post(f"/v1/nodes/{node}/enrolments", {})
    assert made.status_code == 201, made.text
    return made.json()


async def enrolled(site: Site, root: Caller, place: Place | None = None) -> Host:
    """A host that became a node and has proved itself once."""
    node = await announce(root, place or await make_place(root))
    host = Host(site.client)
    answer = await host.enrol((await issue(root, node["id"]))["token"])
    assert answer.status_code == 201, answer.text
    proved = await host.prove()
    assert proved.status_code == 200, proved.text
    return host
