"""A wire that is slow and loses frames: carries them between a host's port and a tap.

The kernel's own means for this, netem, is missing from many a kernel that is built for virtual
machines, so this is a process: it reads every frame that arrives at one end, holds it for a while
or drops it, and sends it out of the other. The port is shut, so the bridge passes nothing past it.
Frames keep their virtio header on the way: checksums and segments that the kernel has left for
the card to do are still left for it on the other side.

Runs as `python wire.py`, knows nothing of the package, and ends when it is killed; its tap goes
with it.
"""

import argparse
import fcntl
import os
import random
import select
import socket
import struct
import subprocess
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

_TUNSETIFF = 0x400454CA
_TUNSETOFFLOAD = 0x400454D0
_TAP_WITHOUT_INFO_WITH_HEADER = 0x0002 | 0x1000 | 0x4000
_CHECKSUMS_AND_SEGMENTS = 0x01 | 0x02 | 0x04
_SOL_PACKET, _PACKET_VNET_HDR, _PACKET_IGNORE_OUTGOING = 263, 15, 23
_EVERY_PROTOCOL = 0x0003
_LARGEST_FRAME = 65_536 + 128
_MOST_WAITING = 10_000
"""Frames that one direction holds; a queue has an end, as in a real switch."""


@dataclass
class Direction:
    """One way along the wire."""

    source: int
    send: Callable[[bytes], object]
    delay: float
    loss: float
    chance: random.Random
    waiting: deque[tuple[float, bytes]] = field(default_factory=deque[tuple[float, bytes]])

    def take(self, now: float) -> None:
        """Take a frame that has arrived."""
        frame = os.read(self.source, _LARGEST_FRAME)
        if self.chance.random() >= self.loss and len(self.waiting) < _MOST_WAITING:
            self.waiting.append((now + self.delay, frame))

    def pass_on(self, now: float) -> None:
        """Send every frame whose time has come."""
        while self.waiting and self.waiting[0][0] <= now:
            try:
                self.send(self.waiting.popleft()[1])
            except OSError:
                continue  # the other end is down or full: the frame is lost, as on any wire

    def due_in(self, now: float) -> float | None:
        return max(self.waiting[0][0] - now, 0) if self.waiting else None


def carry(*directions: Direction) -> None:
    """Carry frames for ever."""
    sources = {direction.source: direction for direction in directions}
    while True:
        now = time.monotonic()
        due = [wait for direction in directions if (wait := direction.due_in(now)) is not None]
        arrived, _, _ = select.select(list(sources), [], [], min(due, default=None))
        now = time.monotonic()
        for source in arrived:
            sources[source].take(now)
        for direction in directions:
            direction.pass_on(now)


def _open_port(name: str) -> socket.socket:
    port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    port.setsockopt(_SOL_PACKET, _PACKET_VNET_HDR, 1)
    port.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
    port.bind((name, _EVERY_PROTOCOL))
    return port


def _open_tap(name: str, *, bridge: str, alias: str) -> int:
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC)
    request = struct.pack("16sH22x", name.encode(), _TAP_WITHOUT_INFO_WITH_HEADER)
    fcntl.ioctl(tap, _TUNSETIFF, request)
    fcntl.ioctl(tap, _TUNSETOFFLOAD, _CHECKSUMS_AND_SEGMENTS)
    words = ["alias", alias, "addrgenmode", "none", "master", bridge, "up"]
    subprocess.run(["ip", "link", "set", name, *words], check=True)
    return tap


def _say_ready(path: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.sendto(b"READY=1", path)


def main() -> None:
    parser = argparse.ArgumentParser(description="Carry frames, late and not all of them.")
    for name in ("port", "tap", "bridge", "alias", "notify"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("delay", "loss"):
        parser.add_argument(f"--{name}", required=True, type=float)
    given = parser.parse_args()
    tap = _open_tap(given.tap, bridge=given.bridge, alias=given.alias)
    port = _open_port(given.port)
    chance = random.Random()  # noqa: S311 - which frames are lost is no secret
    _say_ready(given.notify)
    carry(
        Direction(tap, port.send, given.delay, given.loss, chance),
        Direction(
            port.fileno(), lambda frame: os.write(tap, frame), given.delay, given.loss, chance
        ),
    )


if __name__ == "__main__":
    main()
