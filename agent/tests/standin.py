"""A platform for the agent's tests: it keeps to docs/reference/agent-protocol.md and no more.

What the protocol forbids it refuses, and notes in `complaints`: a test that ends with one has found
an agent that breaks the protocol.
"""

import base64
import hashlib
import json
import secrets
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from agent.tests import certificates

ENDS = {"succeeded", "failed", "cancelled", "timed_out", "unknown"}
CHUNK = 256 * 1024


class Problem(Exception):
    def __init__(self, status: int, code: str, *, message: str = "") -> None:
        super().__init__(code)
        self.status, self.code, self.message = status, code, message


@dataclass
class Node:
    id: str
    name: str
    key: dict[str, str]
    nonce: str
    used: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Nonce → the assertion that used it, and the nonce it was answered with."""
    token: str = ""
    exchanged: bool = False
    quarantined: bool = False
    retired: bool = False
    inventory: dict[str, Any] | None = None


@dataclass
class Sent:
    """A task and what the agent said of it."""

    body: dict[str, Any]
    content: bytes = b""
    reports: list[dict[str, Any]] = field(default_factory=list)
    output: dict[str, bytes] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return str(self.body["id"])

    @property
    def end(self) -> dict[str, Any] | None:
        return next((report for report in self.reports if report["state"] in ENDS), None)


class Platform:
    """Its whole state. Tests read it, and wait for it with `until`."""

    def __init__(self, authority: certificates.Authority, *, address: str = "127.0.0.1") -> None:
        self.authority = authority
        self.address = address
        self.agent = b""
        self.bundle = authority.pem
        self.tokens: dict[str, str] = {}
        self.spent: dict[str, str] = {}
        self.nodes: dict[str, Node] = {}
        self.tasks: dict[str, Sent] = {}
        self.cancel: list[str] = []
        self.polls: list[dict[str, Any]] = []
        self.evidence: dict[str, dict[str, Any]] = {}
        self.complaints: list[str] = []
        self.binding: dict[str, str] | None = None
        self.want_inventory = False
        self.wait = 15.0
        self.broken = 0
        """So many requests from now on are answered by closing the connection."""
        self.output_refusal = ""
        """The code with which output is refused, if it is."""
        self.lost_answers: list[str] = []
        """Paths whose next answer is worked out and then not sent."""
        self.stalled = threading.Event()
        """While it is not set, content does not come."""
        self.stalled.set()
        self.waiting = 0
        self.changed = threading.Condition(threading.RLock())
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None
        self.port = 0

    # --- life --------------------------------------------------------------------------------

    def start(self, leaf: certificates.Leaf | None = None) -> None:
        leaf = leaf or self.authority.issue(self.address)
        server = _Server((self.address, self.port), _handler(self))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(leaf.certificate, leaf.key)
        server.context = context
        self.port = server.server_address[1]
        self._server = server
        self._thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """As a restart of the server does: connections break, waiting polls with them."""
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._server.close_all()
            self._server.server_close()
            self._thread.join()
            self._server = None

    @property
    def url(self) -> str:
        return f"https://{self.address}:{self.port}"

    # --- what a test does --------------------------------------------------------------------

    def new_token(self, name: str = "gpu-07") -> str:
        token = f"mne_{secrets.token_urlsafe(24)}"
        self.tokens[token] = name
        return token

    def send(self, kind: str = "exec", *, content: bytes = b"", **given: Any) -> Sent:
        """Give the node a task."""
        body = {
            "id": f"tsk_{secrets.token_hex(8)}",
            "kind": kind,
            "key": "test/one",
            "operation_id": "opn_1",
            "fence": 1,
            "allocation_id": None,
            "correlation_id": secrets.token_hex(8),
            "traceparent": None,
            "run_as": "root",
            "timeout": 60,
            "output_limit": 1048576,
            "input": {},
            "secrets": {},
        }
        sent = Sent({**body, **given}, content)
        with self.changed:
            self.tasks[sent.id] = sent
            sent.times["sent"] = time.monotonic()
            self.changed.notify_all()
        return sent

    def until(self, is_so: Callable[[], Any], *, seconds: float = 20) -> None:
        with self.changed:
            if not self.changed.wait_for(is_so, seconds):
                raise AssertionError("it did not happen in time")

    def ended(self, sent: Sent, *, seconds: float = 20) -> dict[str, Any]:
        self.until(lambda: sent.end, seconds=seconds)
        assert sent.end is not None
        return sent.end

    # --- the protocol ------------------------------------------------------------------------

    def enrol(self, body: dict[str, Any]) -> tuple[int, Any]:
        token, key = str(body["token"]), body["public_key"]
        claims = self._claims(body["assertion"], key)
        digest = hashlib.sha256(token.encode()).hexdigest()
        if claims.get("enrolment") != digest or token not in self.tokens:
            raise Problem(401, "enrolment_refused")
        for wanted in ("agent_version", "hostname", "machine_id", "boot_id", "inventory"):
            if not body.get(wanted):
                self.complaints.append(f"enrolment without {wanted}")
        node = self._enrolled(token, key)
        node.inventory = body["inventory"]
        node.nonce, node.token = secrets.token_urlsafe(12), f"mnt_{secrets.token_urlsafe(12)}"
        said = {"node_id": node.id, "name": node.name, "nonce": node.nonce}
        return 201, {**said, "token": node.token, "expires_in": 600}

    def _enrolled(self, token: str, key: dict[str, str]) -> Node:
        if token in self.spent:
            node = self.nodes[self.spent[token]]
            if node.key != key or node.exchanged:
                raise Problem(401, "enrolment_refused")
            return node
        node = Node(f"nod_{secrets.token_hex(6)}", self.tokens[token], key, "")
        self.nodes[node.id] = node
        self.spent[token] = node.id
        return node

    def exchange(self, body: dict[str, Any]) -> tuple[int, Any]:
        node = self.nodes.get(body["node_id"])
        if node is None:
            raise Problem(401, "assertion_refused")
        claims = self._claims(body["assertion"], node.key)
        if claims.get("sub") != node.id:
            raise Problem(401, "assertion_refused")
        if node.retired:
            raise Problem(403, "node_retired")
        nonce = str(claims.get("nonce"))
        used = node.used.get(nonce)
        if node.quarantined or (used and used[0] != body["assertion"]):
            node.quarantined, node.token = True, ""
            raise Problem(409, "identity_conflict")
        if used is None:
            if nonce != node.nonce:
                raise Problem(401, "assertion_refused")
            node.nonce = secrets.token_urlsafe(12)
            node.used[nonce] = (body["assertion"], node.nonce)
        node.exchanged, node.token = True, f"mnt_{secrets.token_urlsafe(12)}"
        said = {"token": node.token, "expires_in": 600, "nonce": node.used[nonce][1]}
        return 200, {**said, "server_time": _now()}

    def _claims(self, assertion: str, key: dict[str, str]) -> dict[str, Any]:
        head, claims, signature = assertion.split(".")
        raw = _decode(signature)
        x, y = (int.from_bytes(_decode(key[name]), "big") for name in "xy")
        public = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
        numbers = [int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")]
        try:
            public.verify(
                encode_dss_signature(*numbers),
                f"{head}.{claims}".encode(),
                ec.ECDSA(hashes.SHA256()),
            )
        except InvalidSignature as err:
            raise Problem(401, "assertion_refused") from err
        said = json.loads(_decode(claims))
        if json.loads(_decode(head))["alg"] != "ES256" or said["aud"] != "moorage-agent":
            raise Problem(401, "assertion_refused")
        if "exp" in said or "iat" in said:
            self.complaints.append("an assertion speaks of the time")
        return said

    def poll(self, node: Node, body: dict[str, Any]) -> tuple[int, Any]:
        if not 0 <= body["wait"] <= 15:
            self.complaints.append(f"a poll waits {body['wait']} s")
        if not any(seen["run_id"] == body["run_id"] for seen in self.polls) and not body.get(
            "inventory"
        ):
            self.complaints.append("the first poll of a run without inventory")
        self.polls.append(body)
        if body.get("inventory"):
            node.inventory = body["inventory"]
            self.want_inventory = False
        self.changed.notify_all()
        held = {hold["task"]: hold["state"] for hold in body["holds"]}
        deadline = time.monotonic() + min(body["wait"], self.wait)
        while True:
            answer = self._news(held, body)
            left = deadline - time.monotonic()
            if node.token == "" or answer is not None or left <= 0 or self._server is None:
                return 200, answer or self._answer()
            self.changed.wait(left)

    def _news(self, held: dict[str, str], body: dict[str, Any]) -> dict[str, Any] | None:
        fresh = [sent for sent in self.tasks.values() if not sent.reports and sent.id not in held]
        forget = [task for task in held if task not in self.tasks or self.tasks[task].end]
        cancel = [task for task in self.cancel if held.get(task) in ("received", "running")]
        self.cancel = [task for task in self.cancel if task not in cancel]
        trust = hashlib.sha256(self.bundle).hexdigest()
        if not (fresh or forget or cancel or self.want_inventory or body["trust"] != trust):
            return None
        for sent in fresh:
            sent.times["given"] = time.monotonic()
        answer = self._answer()
        tasks = [sent.body for sent in fresh]
        return {**answer, "tasks": tasks, "cancel": cancel, "forget": forget}

    def _answer(self) -> dict[str, Any]:
        return {
            "server_time": _now(),
            "binding": self.binding,
            "tasks": [],
            "cancel": [],
            "forget": [],
            "trust": hashlib.sha256(self.bundle).hexdigest(),
            "want_inventory": self.want_inventory,
        }

    def report(self, body: dict[str, Any]) -> tuple[int, Any]:
        results = [self._report(report) for report in body["reports"]]
        self.changed.notify_all()
        return 200, {"results": results}

    def _report(self, report: dict[str, Any]) -> dict[str, str]:
        sent = self.tasks.get(report["task"])
        if sent is None or report["fence"] != sent.body["fence"]:
            return {"task": report["task"], "outcome": "refused"}
        if report["state"] not in {*ENDS, "running"}:
            self.complaints.append(f"a state {report['state']!r}")
        if report["state"] != "succeeded" and report["state"] in ENDS and not report["error"]:
            self.complaints.append(f"{report['state']} without an error")
        if sent.end:
            outcome = "repeated" if sent.end["state"] == report["state"] else "late"
            return {"task": sent.id, "outcome": outcome}
        sent.reports.append(report)
        sent.times[report["state"]] = time.monotonic()
        return {"task": sent.id, "outcome": "recorded"}

    def output(self, task: str, stream: str, offset: int, data: bytes) -> tuple[int, Any]:
        sent = self.tasks.get(task)
        if sent is None or stream not in ("stdout", "stderr", "content"):
            raise Problem(404, "not_found")
        if self.output_refusal:
            raise Problem(409, self.output_refusal)
        if len(data) > CHUNK:
            self.complaints.append(f"{len(data)} bytes of output in one piece")
        if sent.end:
            self.complaints.append("output after the end")
        kept = sent.output.get(stream, b"")
        if offset != len(kept):
            raise Problem(409, "output_offset", message=str(len(kept)))
        if offset + len(data) > sent.body["output_limit"]:
            self.complaints.append("output beyond its limit")
        sent.output[stream] = kept + data
        sent.times["output"] = time.monotonic()
        self.changed.notify_all()
        return 200, {"next_offset": offset + len(data)}

    def content(self, task: str) -> bytes:
        self.waiting += 1
        self.changed.notify_all()
        while not self.stalled.is_set():
            self.changed.wait(0.02)  # lets the others work meanwhile
        return self.tasks[task].content

    def keep(self, items: list[dict[str, Any]]) -> tuple[int, Any]:
        self.evidence.update({item["key"]: item for item in items})
        self.changed.notify_all()
        return 200, {}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    context: ssl.SSLContext

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.open: set[Any] = set()

    def finish_request(self, request: Any, client_address: Any) -> None:
        try:
            request.settimeout(60)
            request.setsockopt(6, 1, 1)  # answers leave at once
            wrapped = self.context.wrap_socket(request, server_side=True)
        except OSError:
            return
        self.open.add(wrapped)
        try:
            super().finish_request(wrapped, client_address)
        except OSError:
            pass
        finally:
            self.open.discard(wrapped)
            wrapped.close()

    def close_all(self) -> None:
        for wrapped in list(self.open):
            try:
                wrapped.shutdown(2)
            except OSError:
                pass


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    platform: Platform

    def log_message(self, format: str, *given: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._do()

    def do_POST(self) -> None:
        self._do()

    def do_PUT(self) -> None:
        self._do()

    def _do(self) -> None:
        platform = self.platform
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if platform.broken > 0:
            platform.broken -= 1
            self.close_connection = True
            return
        try:
            with platform.changed:
                status, said = self._route(data)
        except Problem as err:
            status = err.status
            said = {"status": status, "code": err.code, "detail": f"Refused: {err.code}."}
            said["errors"] = [{"message": err.message}] if err.message else []
        path = urlsplit(self.path).path
        if path in platform.lost_answers:
            platform.lost_answers.remove(path)
            self.close_connection = True
            return
        self._say(status, said)

    def _say(self, status: int, said: Any) -> None:
        body = said if isinstance(said, bytes) else json.dumps(said).encode()
        head = f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n"
        self.wfile.write(f"{head}Date: {self.date_time_string()}\r\n\r\n".encode() + body)

    def _route(self, data: bytes) -> tuple[int, Any]:
        """What anybody may ask; the rest is for nodes."""
        match [self.command, urlsplit(self.path).path.removeprefix("/v1/agent/")]:
            case ["GET", "agent.pyz"]:
                return 200, self.platform.agent
            case ["GET", "ca.pem"]:
                return 200, self.platform.bundle
            case ["POST", "enrol"]:
                return self.platform.enrol(json.loads(data))
            case ["POST", "token"]:
                try:
                    return self.platform.exchange(json.loads(data))
                finally:
                    self.platform.changed.notify_all()
            case _:
                return self._route_of(self._node(), data)

    def _route_of(self, node: Node, data: bytes) -> tuple[int, Any]:
        parts = urlsplit(self.path)
        match [self.command, *parts.path.removeprefix("/v1/agent/").split("/")]:
            case ["POST", "poll"]:
                return self.platform.poll(node, json.loads(data))
            case ["POST", "reports"]:
                return self.platform.report(json.loads(data))
            case ["POST", "evidence"]:
                return self.platform.keep(json.loads(data)["items"])
            case ["PUT", "tasks", task, "output", stream]:
                offset = int(parse_qs(parts.query)["offset"][0])
                return self.platform.output(task, stream, offset, data)
            case ["GET", "tasks", task, "content"]:
                return 200, self.platform.content(task)
            case _:
                self.platform.complaints.append(f"{self.command} {self.path}")
                raise Problem(404, "not_found")

    def _node(self) -> Node:
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        for node in self.platform.nodes.values():
            if token and node.token == token:
                return node
        raise Problem(401, "token_refused")


def _handler(served: Platform) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        platform = served

    return Handler


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
