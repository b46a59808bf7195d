"""The agent on a host without agent: brought there once, started for each task, spoken to by lines.

What goes over the connection is what `agent.pyz task` takes and gives (`single.py` of the agent).
Nothing of a task stands in a command line.
"""

import asyncio
import base64
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any, cast

import asyncssh

from moorage_core.credentials.ssh import NotLetIn
from moorage_core.kit import endings

FOLDER = "/var/lib/moorage-agent/ssh"
LONGEST_LINE = 4 << 20
"""Of what a host says. It is a tenant's machine, and might never end a line."""
PIECE = 64 * 1024
PATIENCE_SECONDS = 60
"""For bringing the agent there."""
MOST_SAID = 64 * 1024
"""Of what is said while the agent is brought."""
KEPT_COMPLAINT = 1000
LAST_WORDS_SECONDS = 5
"""For a process that has said its last line to say how it ended."""

INSTALL = (
    "import hashlib,os,sys,tempfile;d=sys.argv[2];n=sys.argv[1]+'.pyz';p=os.path.join(d,n);"
    "r=lambda b:hashlib.sha256(b).hexdigest()==sys.argv[1];"
    "k=lambda:(sys.path.insert(0,p),sys.exit("
    "__import__('moorage_agent.__main__',None,None,['lacking']).lacking() or None));"
    "have=os.path.isfile(p) and r(open(p,'rb').read());"
    "print('have' if have else 'want',flush=True);have and k();"
    "b=sys.stdin.buffer.read();r(b) or sys.exit('the agent did not come whole');"
    "os.makedirs(d,0o700,True);f,t=tempfile.mkstemp(dir=d);h=os.fdopen(f,'wb');h.write(b);"
    "h.flush();os.fsync(f);h.close();os.rename(t,p);"
    "[os.unlink(os.path.join(d,o)) for o in os.listdir(d) if o!=n];k()"
)
"""Runs on the host: keeps the file of this digest, takes older ones away, and asks the agent what
it lacks there."""


class Garbled(Exception):
    """The host says something that an agent would not."""


async def bring_agent(
    connection: asyncssh.SSHClientConnection, *, username: str, agent: bytes, digest: str
) -> None:
    """Make sure that the host has this very agent."""
    command = f'{_root(username)}python3 -I -c "{INSTALL}" {digest} {FOLDER}'
    async with asyncio.timeout(PATIENCE_SECONDS):
        process = await connection.create_process(command, encoding=None)
        both = [
            asyncio.create_task(_offer(process, agent)),
            asyncio.create_task(_read_all(process.stderr)),
        ]
        try:
            word, said = await asyncio.gather(*both)
            await process.wait_closed()
        finally:
            process.close()
            await endings.end(both)
    if process.exit_status != 0:
        raise _refusal(username, process.exit_status, said)
    if word not in (b"have\n", b"want\n"):
        raise Garbled("it does not say whether it has one")


async def _offer(process: "asyncssh.SSHClientProcess[bytes]", agent: bytes) -> bytes:
    """Give the agent to a host that wants it; the host's word."""
    word = await process.stdout.readline()
    if word == b"want\n":
        process.stdin.write(agent)
    process.stdin.write_eof()
    await _read_all(process.stdout)
    return word


async def _read_all(stream: "asyncssh.SSHReader[bytes]") -> bytes:
    """Everything that is said, if it is not too much."""
    said = b""
    while piece := await stream.read(PIECE):
        said += piece
        if len(said) > MOST_SAID:
            raise Garbled("it says more than anybody would")
    return said


def _refusal(username: str, status: int | None, said: bytes) -> NotLetIn:
    words = _words(said)[-300:]
    # Whoever is not root asks sudo first, and it is sudo that a shell would not find.
    if (status == 127 and username == "root") or ("python3" in words and "not found" in words):
        return NotLetIn(
            "python_missing", "The host has no python3 (3.9 or newer). Install it there."
        )
    if "needs Python" in words or "This Python lacks" in words:
        return NotLetIn("python_missing", f"The host has no Python that will do. {words}")
    if "No module named" in words:
        name = words.rpartition("No module named")[2].strip()
        return NotLetIn(
            "python_missing",
            f"The host's Python lacks the module {name}. Install all of python3 there.",
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
        self._rest = self._complaint = b""

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

    async def hear_complaints(self) -> None:
        """Take what comes on standard error; its end is kept."""
        while piece := await self._process.stderr.read(PIECE):
            self._complaint = (self._complaint + piece)[-KEPT_COMPLAINT:]

    async def find_end(self) -> str | None:
        """How the process ended that says no more, in a sentence; None where nobody heard."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_WORDS_SECONDS):
                await self._process.wait_closed()
        if self._process.exit_signal is not None:
            how = f"by signal {self._process.exit_signal[0]}"
        elif self._process.exit_status is not None:
            how = f"with {self._process.exit_status}"
        else:
            return None
        words = _words(self._complaint)[-300:]
        return f"The agent on the host ended {how}, without a report. {words}".strip()


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


def _words(said: bytes) -> str:
    """What can be shown of it, on one line."""
    text = said.decode(errors="replace")
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _root(username: str) -> str:
    return "" if username == "root" else "sudo -n "
