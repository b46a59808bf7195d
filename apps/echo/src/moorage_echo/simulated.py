"""Servers of echo with a network of their own: the program's real logic, without a socket."""

import json
from datetime import UTC, datetime
from typing import Any

from moorage_echo import echod

NOW = datetime(2030, 1, 1, 12, 0, tzinfo=UTC)


class Network:
    """Hosts by their address, each with at most one server that runs."""

    def __init__(self) -> None:
        self.settings: dict[str, dict[str, Any]] = {}
        self.disks: dict[str, dict[str, Any]] = {}
        self.running: dict[str, echod.Server] = {}
        self.now = NOW

    def settle(self, address: str, **settings: Any) -> None:
        """Say what a host is."""
        known = {"port": 7411, "max_keys": 5, "address": address}
        self.settings[address] = known | settings

    def start(self, address: str) -> None:
        def save(state: dict[str, Any]) -> None:
            self.disks[address] = json.loads(json.dumps(state))

        self.running[address] = echod.Server(
            settings=lambda: self.settings[address],
            load=lambda: self.disks.get(address),
            save=save,
            ask=self.asking(address),
            now=lambda: self.now,
        )

    def stop(self, address: str) -> None:
        self.running.pop(address, None)

    def asking(self, asker: str) -> echod.Ask:
        def ask(address: str, verb: str, given: dict[str, Any]) -> dict[str, Any]:
            place = asker if address == echod.HERE else address
            if place not in self.running:
                raise ConnectionRefusedError(place)
            return json.loads(json.dumps(self.running[place].handle(verb, given)))

        return ask

    def run(self, address: str, verb: str, **given: Any) -> dict[str, Any]:
        """What is typed on a host."""
        settings = self.settings[address]
        return echod.command(verb, given, settings=settings, ask=self.asking(address))
