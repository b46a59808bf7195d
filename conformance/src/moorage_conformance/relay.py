"""The one door out of a controller's network: bytes from a port of its loopback to a socket here.

Runs inside the namespace, as a process of its own, with the standard library alone:

    python -m moorage_conformance.relay PORT=SOCKET [PORT=SOCKET ...]
"""

import asyncio
import contextlib
import fcntl
import socket
import struct
import sys

SIOCSIFFLAGS = 0x8914
IFF_UP, IFF_RUNNING = 0x1, 0x40
PIECE = 1 << 16


def main(words: list[str]) -> int:
    """Bring the loopback up, say so, and pass bytes on until standard input ends."""
    raise_loopback()
    doors = [word.partition("=") for word in words]
    asyncio.run(serve([(int(port), path) for port, _, path in doors]))
    return 0


def raise_loopback() -> None:
    """A new namespace has a loopback that is down."""
    request = struct.pack("16sH14s", b"lo", IFF_UP | IFF_RUNNING, b"")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, request)


async def serve(doors: list[tuple[int, str]]) -> None:
    """Listen at every door. Whoever started this holds its standard input, and ends it so."""
    servers = [await _open(port, path) for port, path in doors]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.buffer.read)
    for server in servers:
        server.close()


async def _open(port: int, path: str) -> asyncio.Server:
    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_unix_connection(path)
        except OSError:
            writer.close()
            return
        await asyncio.gather(_pass(reader, far_writer), _pass(far_reader, writer))

    return await asyncio.start_server(meet, "127.0.0.1", port)


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while piece := await reader.read(PIECE):
            writer.write(piece)
            await writer.drain()
    with contextlib.suppress(OSError):
        writer.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
