#!/usr/bin/env python3
"""echod: a small store of keys and values with one leader and any number of replicas.

This one file is put on hosts: Python 3.9 and its standard library, nothing else. It is the server
(`echod.py serve`) and what asks it (`echod.py status`, with JSON on standard input for verbs that
take something).

The leader takes writes and sends its whole state to each replica that is not drained: the state is
small by its own limit, and a replica that missed one copy is whole again with the next. Only the
leader calls others, so that no two servers ever wait for each other. Requests are signed with the
cluster's key. A signature does not keep anybody from sending a request twice, and nothing has to:
every verb leaves things as they are where it is done already.
"""

import contextlib
import hashlib
import hmac
import http.server
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Optional

VERSION = "0.1.0"
SETTINGS = Path("/etc/echo/settings.json")
KEY = Path("/etc/echo/cluster.key")
STATE = Path("/var/lib/echo/state.json")
HERE = "127.0.0.1"
MINUTES_KEPT = 180
LARGEST_KEY = 200
LARGEST_VALUE = 1024
LARGEST_REQUEST = 1 << 22
PATIENCE = 3.0
STARTS_WITHIN = 20.0
REFUSED, NO_ANSWER = 3, 4
"""What a command ends with."""

Json = dict[str, Any]
Ask = Callable[[str, str, Json], Json]
"""Address, verb and what it takes; the answer."""
EMPTY: Json = {
    "revision": 0,
    "values": {},
    "replicas": {},
    "drained": False,
    "holds": [],
    "minutes": {},
}


class Refused(Exception):
    """Something the caller can act on."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Server:
    """What one server knows and answers. It has no socket and no file: those are given to it."""

    def __init__(
        self,
        *,
        settings: Callable[[], Json],
        load: Callable[[], Optional[Json]],
        save: Callable[[Json], None],
        ask: Ask,
        now: Callable[[], datetime],
        version: str = VERSION,
    ) -> None:
        self._version = version
        self._read_settings, self._save, self._ask, self._now = settings, save, ask, now
        self._settings = settings()
        kept = load()
        self._state: Json = {**EMPTY, **(kept or {})}
        if kept is None:  # it is there from the first start on, not from the first change
            save(self._state)
        self._behind: set[str] = set()
        self._lock = threading.Lock()

    def handle(self, verb: str, given: Json) -> Json:
        """Answer one request; one at a time."""
        with self._lock:
            verbs = {**self._anywhere(), **(self._leading() if self.leads else self._following())}
            if verb not in verbs:
                raise Refused("unknown_verb", f"A {self._settings['role']} knows no {verb!r}.")
            return verbs[verb](given)

    @property
    def leads(self) -> bool:
        return self._settings["role"] == "leader"

    def _anywhere(self) -> dict[str, Callable[[Json], Json]]:
        return {
            "status": self.status,
            "get": self.get,
            "copy": lambda _: self._copy(),
            "load": self.load,
            "reload": self.reload,
        }

    def _leading(self) -> dict[str, Callable[[Json], Json]]:
        return {
            "put": self.put,
            "join": self.join,
            "leave": self.leave,
            "drain": lambda given: self.mark(given, drained=True),
            "resume": lambda given: self.mark(given, drained=False),
        }

    def _following(self) -> dict[str, Callable[[Json], Json]]:
        return {
            "drain": lambda _: self.close(drained=True),
            "resume": lambda _: self.close(drained=False),
            "hold": self.hold,
            "release": self.release,
        }

    # --- on every server -------------------------------------------------------------------------

    def status(self, _: Json) -> Json:
        values = self._state["values"]
        return {
            "name": self._settings["name"],
            "role": self._settings["role"],
            "version": self._version,
            "settings": digest(self._settings),
            "revision": self._state["revision"],
            "keys": len(values),
            "digest": digest(values),
            "drained": self._state["drained"],
            "holds": list(self._state["holds"]),
            "replicas": self._state["replicas"],
            "behind": sorted(self._behind),
            "minutes": self._state["minutes"],
        }

    def get(self, given: Json) -> Json:
        key = _text(given, "key", LARGEST_KEY)
        if key not in self._state["values"]:
            raise Refused("no_such_key", f"There is no key {key!r}.")
        return {"key": key, "value": self._state["values"][key]}

    def load(self, given: Json) -> Json:
        """Take over a copy of another server's keys, unless a newer one is here."""
        if given["revision"] > self._state["revision"]:
            self._change(revision=given["revision"], values=given["values"])
        return {"revision": self._state["revision"]}

    def reload(self, _: Json) -> Json:
        """Read the settings again. What needs a restart is left as it is until then."""
        self._settings = {**self._read_settings(), "port": self._settings["port"]}
        return {}

    def _copy(self) -> Json:
        return {"revision": self._state["revision"], "values": self._state["values"]}

    # --- on the leader ---------------------------------------------------------------------------

    def put(self, given: Json) -> Json:
        key, value = _text(given, "key", LARGEST_KEY), _text(given, "value", LARGEST_VALUE)
        values = self._state["values"]
        if values.get(key) == value:  # the same write again: it is there, and was counted
            return {"key": key, "revision": self._state["revision"], "copies": self._send()}
        if key not in values and len(values) >= self._settings["max_keys"]:
            raise Refused("full", f"There are {len(values)} keys, and no room for more.")
        self._change(
            values={**values, key: value},
            revision=self._state["revision"] + 1,
            minutes=count(self._state["minutes"], self._now()),
        )
        return {"key": key, "revision": self._state["revision"], "copies": self._send()}

    def join(self, given: Json) -> Json:
        """Take a replica in, or take note that it is back; the state that it begins with."""
        name, address = _text(given, "name", 200), _text(given, "address", 200)
        known = self._state["replicas"].get(name, {"drained": False})
        joined = {**known, "address": address}
        self._change(replicas={**self._state["replicas"], name: joined})
        self._behind.discard(name)
        return self._copy()

    def leave(self, given: Json) -> Json:
        name = _text(given, "name", 200)
        others = {other: each for other, each in self._state["replicas"].items() if other != name}
        self._change(replicas=others)
        self._behind.discard(name)
        return {}

    def mark(self, given: Json, *, drained: bool) -> Json:
        """Send a replica no more writes, or send them again."""
        name = _text(given, "name", 200)
        known = self._state["replicas"].get(name)
        if known is None:
            raise Refused("no_such_replica", f"The leader knows no replica {name!r}.")
        marked = {**self._state["replicas"], name: {**known, "drained": drained}}
        self._change(replicas=marked)
        return self._copy()

    def _send(self) -> int:
        """Give every replica that takes writes the state as it is; how many have it now."""
        copies = 1
        for name, replica in self._state["replicas"].items():
            if replica["drained"]:
                continue
            try:
                self._ask(replica["address"], "load", self._copy())
            except (OSError, Refused):
                self._behind.add(name)
            else:
                self._behind.discard(name)
                copies += 1
        return copies

    # --- on a replica ----------------------------------------------------------------------------

    def close(self, *, drained: bool) -> Json:
        """Take no more holds, or take them again."""
        self._change(drained=drained)
        return {"holds": list(self._state["holds"])}

    def hold(self, given: Json) -> Json:
        """Somebody reads here and wants this replica to stay until they are done."""
        name = _text(given, "name", 200)
        if self._state["drained"]:
            raise Refused("drained", "This replica is drained: use another one.")
        self._change(holds=sorted({*self._state["holds"], name}))
        return {}

    def release(self, given: Json) -> Json:
        name = _text(given, "name", 200)
        self._change(holds=[hold for hold in self._state["holds"] if hold != name])
        return {}

    def _change(self, **parts: Any) -> None:
        """Keep a change before anybody is told of it."""
        changed = {**self._state, **parts}
        if changed != self._state:
            self._save(changed)
            self._state = changed


def digest(value: Any) -> str:
    """Of a value, however it is written."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def count(minutes: dict[str, int], now: datetime) -> dict[str, int]:
    """One more write in this minute; the oldest minutes go."""
    minute = now.strftime("%Y-%m-%dT%H:%MZ")
    counted = {**minutes, minute: minutes.get(minute, 0) + 1}
    return {each: counted[each] for each in sorted(counted)[-MINUTES_KEPT:]}


def _text(given: Json, name: str, longest: int) -> str:
    value = given.get(name)
    if not isinstance(value, str) or not 0 < len(value) <= longest:
        raise Refused("bad_request", f"{name} must be text of 1 to {longest} characters.")
    return value


# --- what is typed on a host ---------------------------------------------------------------------


def command(verb: str, given: Json, *, settings: Json, ask: Ask) -> Json:
    """Do one verb for this host, as its settings say what it is."""
    leader, name = settings["leader"], settings["name"]
    itself = {"name": name, "address": settings["address"]}
    if verb == "cluster":
        return _cluster(ask)
    if settings["role"] == "replica":
        if verb == "join":
            return ask(HERE, "load", ask(leader, "join", itself))
        if verb == "leave":
            return ask(leader, "leave", itself)
        if verb == "drain":
            ask(leader, "drain", itself)
            return ask(HERE, "drain", {})
        if verb == "resume":
            ask(HERE, "load", ask(leader, "resume", itself))
            return ask(HERE, "resume", {})
    if verb == "adopt":
        return _adopt(given, ask)
    return ask(HERE, verb, given)


def answer(verb: str, given: Json, *, settings: Json, ask: Ask) -> tuple[int, Json]:
    """How a command ends, and what it writes."""
    try:
        return 0, command(verb, given, settings=settings, ask=ask)
    except Refused as err:
        return REFUSED, {"code": err.code, "message": err.message}
    except OSError as err:
        return NO_ANSWER, {"code": "no_answer", "message": str(err)}


def _adopt(given: Json, ask: Ask) -> Json:
    """Begin a new leader with the newest copy that any server has, and take the replicas in."""
    copies = 0
    for address in given["from"]:
        with contextlib.suppress(OSError, Refused):
            ask(HERE, "load", ask(address, "copy", {}))
            copies += 1
    for name, address in given["replicas"].items():
        copy = ask(HERE, "join", {"name": name, "address": address})
        with contextlib.suppress(OSError, Refused):  # it is behind, as one that was away
            ask(address, "load", copy)
    return {"copies": copies}


def _cluster(ask: Ask) -> Json:
    """The leader's own status with that of each replica, and why there is none."""
    status = ask(HERE, "status", {})
    replicas: Json = {}
    for name, replica in status["replicas"].items():
        try:
            replicas[name] = {**replica, "status": ask(replica["address"], "status", {})}
        except (OSError, Refused) as err:
            replicas[name] = {**replica, "error": str(err)}
    return {**status, "replicas": replicas}


# --- sockets and files ---------------------------------------------------------------------------


def sign(key: bytes, verb: str, body: bytes) -> str:
    return hmac.new(key, verb.encode() + b"\n" + body, hashlib.sha256).hexdigest()


def asking(port: int, key: bytes) -> Ask:
    """How one server, or whoever is at a host, asks another."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def ask(address: str, verb: str, given: Json) -> Json:
        body = json.dumps(given).encode()
        host = f"[{address}]" if ":" in address else address
        request = urllib.request.Request(
            f"http://{host}:{port}/{verb}",
            data=body,
            headers={"Echo-Signature": sign(key, verb, body)},
        )
        try:
            with direct.open(request, timeout=PATIENCE) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as err:
            with err:
                said = json.loads(err.read() or b"{}")
            raise Refused(said.get("code", "refused"), said.get("message", str(err))) from err

    return ask


def handler(server: Server, key: bytes) -> type[http.server.BaseHTTPRequestHandler]:
    """How requests reach a server."""

    class Handler(http.server.BaseHTTPRequestHandler):
        timeout = 10

        def do_POST(self) -> None:
            verb = self.path[1:]
            body = self.rfile.read(min(int(self.headers["Content-Length"] or 0), LARGEST_REQUEST))
            if not hmac.compare_digest(self.headers["Echo-Signature"] or "", sign(key, verb, body)):
                self._answer(403, {"code": "bad_signature", "message": "The key is another one."})
                return
            try:
                self._answer(200, server.handle(verb, json.loads(body)))
            except Refused as err:
                self._answer(409, {"code": err.code, "message": err.message})

        def _answer(self, status: int, said: Json) -> None:
            body = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing: the verbs that change something are in the platform's log."""

    return Handler


def write(path: Path, content: bytes) -> None:
    """Put a file in place whole, or not at all."""
    draft = path.with_suffix(".new")
    with draft.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def read_settings() -> Json:
    return json.loads(SETTINGS.read_text())


def serve() -> None:
    settings, key = read_settings(), Path(os.environ.get("ECHO_KEY", KEY)).read_bytes().strip()
    state = Path(os.environ.get("STATE_DIRECTORY", STATE.parent)) / STATE.name
    server = Server(
        settings=read_settings,
        load=lambda: json.loads(state.read_text()) if state.exists() else None,
        save=lambda changed: write(state, json.dumps(changed).encode()),
        ask=asking(settings["port"], key),
        now=lambda: datetime.now(timezone.utc),
    )
    place = ("", settings["port"])
    with http.server.ThreadingHTTPServer(place, handler(server, key)) as listening:
        listening.serve_forever()


def main(words: Sequence[str]) -> int:
    if list(words) == ["serve"]:
        serve()
        return 0
    settings = read_settings()
    given = json.loads((sys.stdin.read() if not sys.stdin.isatty() else "") or "{}")
    ask = asking(settings["port"], KEY.read_bytes().strip())
    verb = words[0] if words else "status"
    code, said = answer("status" if verb == "await" else verb, given, settings=settings, ask=ask)
    until = time.monotonic() + STARTS_WITHIN
    while verb == "await" and code == NO_ANSWER and time.monotonic() < until:
        time.sleep(0.1)
        code, said = answer("status", given, settings=settings, ask=ask)
    sys.stdout.write(f"{json.dumps(said)}\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
