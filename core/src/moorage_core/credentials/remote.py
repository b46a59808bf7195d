"""The agent on a host without agent: brought there once, started for each task, spoken to by lines.

What goes over the connection is what `agent.pyz task` takes and gives (`single.py` of the agent).
Nothing of a task stands in a command line.
"""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from typing import Any, cast

import asyncssh

from moorage_core.credentials.ssh import NotLetIn

FOLDER = "/var/lib/moorage-agent/ssh"
LONGEST_LINE = 4 << 20
"""Of what a host says. It is a tenant's machine, and might never end a line."""
PIECE = 64 * 1024
PATIENCE_SECONDS = 60
"""For bringing the agent there."""

INSTALL = (
    "import hashlib,os,sys,tempfile;d=sys.argv[2];n=sys.argv[1]+'.pyz';p=os.path.join(d,n);"
    "r=lambda b:hashlib.sha256(b).hexdigest()==sys.argv[1];"
    "have=os.path.isfile(p) and r(open(p,'rb').read());"
    "print('have' if have else 'want',flush=True);have and sys.exit();"
    "b=sys.stdin.buffer.read();r(b) or sys.exit('the agent did not come whole');"
    "os.makedirs(d,0o700,True);f,t=tempfile.mkstemp(dir=d);h=os.fdopen(f,'wb');h.write(b);"
    "h.flush();os.fsync(f);h.close();os.rename(t,p);"
    "[os.unlink(os.path.join(d,o)) for o in os.listdir(d) if o!=n];print('kept',flush=True)"
)
"""Runs on the host: keeps the file of this digest, and takes older ones away."""


class Garbled(Exception):
    """The host says something that an agent would not."""


async def bring_agent(
    connection: asyncssh.SSHClientConnection, *, username: str, agent: bytes, digest: str
) -> None:
    """Make sure that the host has this very agent."""
    command = f'{_root(username)}python3 -I -c "{INSTALL}" {digest} {FOLDER}'
    async with asyncio.timeout(PATIENCE_SECONDS):
        process = await connection.create_process(command, encoding=None)
        said = b""
        async with process:
            if await process.stdout.readline() == b"want\n":
                process.stdin.write(agent)
                process.stdin.write_eof()
            said = await process.stderr.read(4096)
            await process.wait()
        if process.exit_status != 0:
            raise _refusal(username, process.exit_status, said)


def _refusal(username: str, status: int | None, said: bytes) -> NotLetIn:
    words = said.decode(errors="replace").strip()[-300:]
    # Whoever is not root asks sudo first, and it is sudo that a shell would not find.
    if (status == 127 and username == "root") or ("python3" in words and "not found" in words):
        return NotLetIn(
            "python_missing", "The host has no python3 (3.9 or newer). Install it there."
        )
    if username != "root" and "sudo" in words:
        return NotLetIn(
            "not_root",
            f"{username} cannot use sudo without a password there. Tasks need root: allow it in "
            "sudoers, or use a credential for root.",
        )
    return NotLetIn("agent_not_placed", f"The agent could not be put on the host: {words}")


class Conversation:
    """One task on the host: lines in, lines out."""

    def __init__(self, process: "asyncssh.SSHClientProcess[bytes]") -> None:
        self._process = process
        self._rest = b""

    async def say(self, line: dict[str, Any]) -> None:
        self._process.stdin.write(json.dumps(line).encode() + b"\n")
        await self._process.stdin.drain()

    async def lines(self) -> AsyncIterator[dict[str, Any]]:
        """What the host says, until it says no more."""
        while piece := await self._process.stdout.read(PIECE):
            *whole, self._rest = (self._rest + piece).split(b"\n")
            for line in whole:
                yield _object(line)
            if len(self._rest) > LONGEST_LINE:
                raise Garbled("a line without end")

    async def complaint(self) -> str:
        """The end of what came on standard error."""
        said = await self._process.stderr.read(4096)
        return said.decode(errors="replace").strip()[-300:]


async def begin(
    connection: asyncssh.SSHClientConnection, *, username: str, digest: str
) -> "asyncssh.SSHClientProcess[bytes]":
    command = f"{_root(username)}python3 -I {FOLDER}/{digest}.pyz task"
    return await connection.create_process(command, encoding=None)


def read_output(said: dict[str, Any]) -> tuple[str, bytes]:
    """(stream, bytes) of a line that brings output."""
    try:
        output = cast(dict[str, Any], said["output"])
        return str(output["stream"]), base64.b64decode(output["data"], validate=True)
    except (KeyError, TypeError, ValueError) as err:
        raise Garbled("output that cannot be read") from err


def _object(line: bytes) -> dict[str, Any]:
    try:
        read: Any = json.loads(line)
    except (ValueError, RecursionError) as err:
        raise Garbled("a line that is not JSON") from err
    if not isinstance(read, dict):
        raise Garbled("a line that is no object")
    return cast(dict[str, Any], read)


def _root(username: str) -> str:
    return "" if username == "root" else "sudo -n "
