"""As much of NFS, version 4, as it takes to ask a server whether it has something for us."""

import errno
import os
import socket
import struct
from collections.abc import Iterator

PORT = 2049
ANSWERING = 3.0
"""Seconds."""
COMPOUND = (100003, 4, 1)
"""Program, version and procedure."""
AUTH_SYS, PUTROOTFH, LOOKUP, GETATTR, TYPE = 1, 24, 15, 9, 1


def why_refused(address: str, name: str) -> str:
    """Why a server does not give us a folder of its root; empty where it does."""
    try:
        status = look_up(address, name)
    except OSError as err:
        return f"port {PORT} does not answer ({err})"
    return "" if status == 0 else f"it answers with error {status} of NFS"


def look_up(address: str, name: str) -> int:
    """Ask a server for a name in its root; how it ends, as NFS counts."""
    call = int.from_bytes(os.urandom(4), "big")
    who = _words(0, _opaque(b"moorage"), 0, 0, 0)
    steps = (PUTROOTFH, LOOKUP, _opaque(name.encode()), GETATTR, 1, 1 << TYPE)
    compound = _words(_opaque(b""), 0, 3, *steps)
    said = _words(call, 0, 2, *COMPOUND, AUTH_SYS, _opaque(who), 0, 0, compound)
    with _connect(address) as server:
        server.sendall(struct.pack(">I", 1 << 31 | len(said)) + said)
        with server.makefile("rb") as heard:
            size = struct.unpack(">I", _read(heard.read(4), 4))[0] & 0x7FFFFFFF
            answer = _read(heard.read(size), 28)
    xid, kind, state, _, length = struct.unpack(">5I", answer[:20])
    accepted, status = struct.unpack(">II", _read(answer[20 + length :], 8)[:8])
    if (xid, kind, state, accepted) != (call, 1, 0, 0):
        raise OSError("it does not speak NFS")
    return status


def _read(said: bytes, least: int) -> bytes:
    if len(said) < least:
        raise OSError("it said nothing")
    return said


def _words(*parts: int | bytes) -> bytes:
    return b"".join(each if isinstance(each, bytes) else struct.pack(">I", each) for each in parts)


def _opaque(text: bytes) -> bytes:
    return struct.pack(">I", len(text)) + text + bytes(-len(text) % 4)


def _connect(address: str) -> socket.socket:
    """A connection as root makes them: a server believes nobody else who they are."""
    for port in _root_ports():
        try:
            return socket.create_connection((address, PORT), ANSWERING, ("", port))
        except OSError as err:
            if err.errno not in (errno.EADDRINUSE, errno.EADDRNOTAVAIL):
                raise
    raise OSError("every port of root is in use")


def _root_ports() -> Iterator[int]:
    """Another one each time: one that was used a moment ago is not free."""
    first = int.from_bytes(os.urandom(2), "big")
    return (700 + (first + each) % 300 for each in range(300))
