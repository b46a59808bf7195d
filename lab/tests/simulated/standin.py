"""A stand-in for the platform that keeps its side of the agent protocol, in memory."""

import asyncio
import base64
import hashlib
import itertools
import json
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils


class Problem(Exception):
    def __init__(self, status: int, code: str, *, errors: list[dict[str, Any]] | None = None):
        self.status = status
        self.document = {"code": code, "detail": code, "errors": errors or []}


@dataclass
class Node:
    """What the platform knows of one node."""

    id: str
    key: ec.EllipticCurvePublicKey
    nonce: str
    used: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    token: str = ""
    quarantined: bool = False
    queue: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    cancel: list[str] = field(default_factory=list[str])
    forget: list[str] = field(default_factory=list[str])
    reports: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    output: dict[str, bytearray] = field(default_factory=dict[str, bytearray])
    polls: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    woken: asyncio.Event = field(default_factory=asyncio.Event)

    def hand(self, kind: str, given: dict[str, Any], /, **changes: Any) -> str:
        name = f"tsk_{next(_numbers)}"
        task = {"id": name, "kind": kind, "key": name, "operation_id": "opn_1", "fence": 1}
        more = {"allocation_id": "alc_1", "correlation_id": "c", "run_as": "root", "timeout": 60}
        self.queue.append(task | more | {"output_limit": 1 << 20, "input": given} | changes)
        self.woken.set()
        return name

    def ends(self) -> dict[str, dict[str, Any]]:
        return {r["task"]: r for r in self.reports if r["state"] != "running"}


_numbers = itertools.count(1)


@dataclass
class StandIn:
    """The platform's side, and where it listens."""

    port: int = 0
    enrolments: dict[str, str | None] = field(default_factory=dict[str, str | None])
    nodes: dict[str, Node] = field(default_factory=dict[str, Node])

    def enrolment(self) -> str:
        token = f"moor_enr_{secrets.token_hex(8)}"
        self.enrolments[token] = None
        return token

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def answer(self, method: str, path: str, token: str, body: bytes) -> dict[str, Any]:
        if path == "/v1/agent/enrol":
            return self._enrol(json.loads(body))
        if path == "/v1/agent/token":
            return self._token(json.loads(body))
        node = next((n for n in self.nodes.values() if n.token and n.token == token), None)
        if node is None:
            raise Problem(401, "token_refused")
        if path == "/v1/agent/poll":
            return await self._poll(node, json.loads(body))
        if path == "/v1/agent/reports":
            node.reports += json.loads(body)["reports"]
            return {"results": [{"task": r["task"], "outcome": "recorded"} for r in node.reports]}
        found = re.fullmatch(r"/v1/agent/tasks/(\w+)/output/(\w+)\?offset=(\d+)", path)
        assert found is not None, path
        assert method == "PUT"
        kept = node.output.setdefault(f"{found[1]}/{found[2]}", bytearray())
        if len(kept) != int(found[3]):
            raise Problem(409, "output_offset", errors=[{"message": str(len(kept))}])
        kept += body
        return {"next_offset": len(kept)}

    def _enrol(self, asked: dict[str, Any]) -> dict[str, Any]:
        token, jwk = asked["token"], asked["public_key"]
        if token not in self.enrolments or self.enrolments[token] is not None:
            raise Problem(401, "enrolment_refused")
        x, y = (int.from_bytes(_decode(jwk[part]), "big") for part in ("x", "y"))
        key = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
        claims = _verified(key, asked["assertion"])
        assert claims["enrolment"] == hashlib.sha256(token.encode()).hexdigest()
        node = Node(f"nod_{next(_numbers)}", key, secrets.token_hex(8))
        self.nodes[node.id] = node
        self.enrolments[token] = node.id
        given = {"token": "moor_nod_first", "expires_in": 600}
        return {"node_id": node.id, "name": asked["hostname"], "nonce": node.nonce} | given

    def _token(self, asked: dict[str, Any]) -> dict[str, Any]:
        node = self.nodes[asked["node_id"]]
        claims = _verified(node.key, asked["assertion"])
        known = node.used.get(claims["nonce"])
        if node.quarantined or (known and known[0] != claims["jti"]):
            node.quarantined, node.token = True, ""
            node.woken.set()
            raise Problem(409, "identity_conflict")
        if not known:
            assert claims["nonce"] == node.nonce
            node.nonce = secrets.token_hex(8)
            node.used[claims["nonce"]] = (claims["jti"], node.nonce)
        node.token = f"moor_nod_{secrets.token_hex(8)}"
        return {"token": node.token, "expires_in": 600, "nonce": node.nonce}

    async def _poll(self, node: Node, asked: dict[str, Any]) -> dict[str, Any]:
        node.polls.append(asked)
        token = node.token
        if not (node.queue or node.cancel or node.forget):
            try:
                async with asyncio.timeout(min(asked["wait"], 0.2)):
                    await node.woken.wait()
            except TimeoutError:
                pass
        node.woken.clear()
        if node.token != token:
            raise Problem(401, "token_refused")
        said = {"tasks": node.queue, "cancel": node.cancel, "forget": node.forget}
        node.queue, node.cancel, node.forget = [], [], []
        bound = {"allocation_id": "alc_1", "org_id": "org_1", "project_id": "prj_1"}
        return {"binding": bound, "trust": None, "want_inventory": False} | said


@asynccontextmanager
async def serving(stand_in: StandIn) -> AsyncIterator[StandIn]:
    calls: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        call = asyncio.ensure_future(serve(reader, writer))
        calls.add(call)
        call.add_done_callback(calls.discard)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode():
                first, *lines = head.split("\r\n")
                headers = dict(line.split(": ", 1) for line in lines if line)
                body = await reader.readexactly(int(headers["content-length"]))
                token = headers.get("authorization", "").removeprefix("Bearer ")
                method, path, _ = first.split()
                try:
                    status, document = 200, await stand_in.answer(method, path, token, body)
                except Problem as problem:
                    status, document = problem.status, problem.document
                content = json.dumps(document).encode()
                writer.write(
                    f"HTTP/1.1 {status} X\r\nContent-Length: {len(content)}\r\n\r\n".encode()
                    + content
                )
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", stand_in.port)
    stand_in.port = server.sockets[0].getsockname()[1]
    try:
        yield stand_in
    finally:
        server.close()
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)


def _verified(key: ec.EllipticCurvePublicKey, jws: str) -> dict[str, Any]:
    head, claims, signature = jws.split(".")
    raw = _decode(signature)
    numbers = int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
    try:
        der = utils.encode_dss_signature(*numbers)
        key.verify(der, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature as err:
        raise Problem(401, "assertion_refused") from err
    said = json.loads(_decode(claims))
    assert said["aud"] == "moorage-agent"
    return said


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
