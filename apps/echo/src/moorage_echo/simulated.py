"""Servers of echo on hosts that are not there: the program's own logic, without a socket.

For tests, with whatever keeps the files and services of the hosts. A server begins when its unit is
started, with the settings and the key that it finds then, and keeps its state in the host's files.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from moorage_echo import cluster, echod, release

Json = dict[str, Any]


@dataclass(frozen=True)
class Seat:
    """A host, as far as the program notices."""

    address: str
    read: Callable[[str], bytes | None]
    write: Callable[[str, bytes], None]
    starts: Callable[[], int]
    """How often the unit was started, or 0 while it does not run."""
    memory: Json = field(default_factory=dict[str, Any])
    """What its server began with, for as long as that runs."""

    def text(self, path: str) -> str:
        found = self.read(path)
        if found is None:
            raise FileNotFoundError(path)
        return found.decode()


@dataclass(frozen=True)
class Running:
    """A server, and since which start it runs."""

    starts: int
    server: echod.Server
    key: str
    port: int


def programs(*versions: str) -> dict[bytes, str]:
    """What a simulated host has in place of the bytes of a version, and which version that is."""
    text = release.HERE.joinpath("echod.py").read_text()
    stamped = {version: release.stamp(text, version).encode() for version in versions}
    return {
        f"sha256:{hashlib.sha256(content).hexdigest()}".encode(): version
        for version, content in stamped.items()
    }


class Network:
    """Hosts that reach each other."""

    def __init__(
        self,
        seats: Iterable[Seat] = (),
        *,
        versions: Iterable[str] = ("0.1.0", "0.2.0"),
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._seats = {seat.address: seat for seat in seats}
        self._running: dict[str, Running] = {}
        self._versions = programs(*versions)
        self._now = now

    def add(self, seat: Seat) -> None:
        self._seats[seat.address] = seat

    def command(self, address: str, argv: Iterable[str], stdin: str = "") -> tuple[int, str] | None:
        """What `python3 echod.py VERB` ends with and writes on a host; None for other commands."""
        program, *words = argv
        if not program.endswith("python3") or words[:1] != [cluster.PROGRAM]:
            return None
        if self._seats[address].read(cluster.PROGRAM) is None:
            return 2, ""
        verb = "status" if words[1] == "await" else words[1]
        given = json.loads(stdin or "{}")
        self.refresh()
        seat = self._seats[address]
        settings = json.loads(seat.text(cluster.SETTINGS))
        ask = self._asking(address, key=seat.text(cluster.KEY), port=settings["port"])
        code, said = echod.answer(verb, given, settings=settings, ask=ask)
        return code, f"{json.dumps(said)}\n"

    def refresh(self) -> None:
        """Let the servers follow their units."""
        for address, seat in self._seats.items():
            starts, known = seat.starts(), self._running.get(address)
            if known is not None and known.starts == starts:
                continue
            self._running.pop(address, None)
            if starts:
                self._running[address] = self._start(seat, starts)

    def _start(self, seat: Seat, starts: int) -> Running:
        if seat.memory.get("starts") != starts:
            program = seat.read(cluster.PROGRAM) or b""
            seat.memory.update(
                starts=starts,
                version=self._versions[program],
                settings=json.loads(seat.text(cluster.SETTINGS)),
                key=seat.text(cluster.KEY),
            )
        began: list[Json] = [seat.memory["settings"]]
        key, port, state = seat.memory["key"], began[0]["port"], str(echod.STATE)

        def settings() -> Json:
            return began.pop() if began else json.loads(seat.text(cluster.SETTINGS))

        server = echod.Server(
            settings=settings,
            load=lambda: json.loads(seat.read(state) or b"null"),
            save=lambda changed: seat.write(state, json.dumps(changed).encode()),
            ask=self._asking(seat.address, key=key, port=port),
            now=self._now,
            version=seat.memory["version"],
        )
        return Running(starts, server, key, port)

    def _asking(self, asker: str, *, key: str, port: int) -> echod.Ask:
        def ask(address: str, verb: str, given: Json) -> Json:
            found = self._running.get(asker if address == echod.HERE else address)
            if found is None or found.port != port:
                raise ConnectionRefusedError(f"{address} does not answer at {port}")
            if found.key != key:
                raise echod.Refused("bad_signature", "The key is another one.")
            return json.loads(json.dumps(found.server.handle(verb, given)))

        return ask
