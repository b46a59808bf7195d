"""A network that holds a controller: a loopback, and on it the platform's API and nothing else."""

import asyncio
import contextlib
import os
import shutil
import sys
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path

from moorage_conformance.findings import CannotRun

FIRST_PORT = 8411
PATIENCE = 20.0


@dataclass(frozen=True)
class Namespace:
    """A network of its own. Whoever enters it finds the doors, and no other way out."""

    pid: int
    doors: tuple[Path, ...]

    def url(self, door: int) -> str:
        """Where the platform is, from inside."""
        return f"http://127.0.0.1:{FIRST_PORT + door}"

    def enter(self, argv: Sequence[str]) -> list[str]:
        """The command that runs a program inside, in its own process and with its own signals."""
        user = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        return ["nsenter", f"--target={self.pid}", "--net", *user, "--", *argv]

    def strayed(self) -> int:
        """How often somebody inside reached for an address to which no way leads."""
        net = Path(f"/proc/{self.pid}/net")
        names, values = [
            line.split() for line in (net / "snmp").read_text().splitlines() if line[:3] == "Ip:"
        ]
        newer = (net / "snmp6").read_text() if (net / "snmp6").exists() else ""
        counted = [line.split()[1] for line in newer.splitlines() if "Ip6OutNoRoutes" in line]
        return int(values[names.index("OutNoRoutes")]) + sum(map(int, counted))


@contextlib.asynccontextmanager
async def opened(doors: Sequence[Path]) -> AsyncGenerator[Namespace]:
    """A namespace with a relay for each socket, for as long as the block goes on.

    Raises:
        CannotRun: this machine lets nobody make one; a controller never runs without.
    """
    for program in ("unshare", "nsenter"):
        if shutil.which(program) is None:
            raise CannotRun(f"There is no `{program}` here: install the package util-linux.")
    relays = [f"{FIRST_PORT + number}={path}" for number, path in enumerate(doors)]
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    process = await asyncio.create_subprocess_exec(
        *("unshare", "--net", *user, "--", sys.executable, "-m", "moorage_conformance.relay"),
        *relays,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        if await asyncio.wait_for(process.stdout.readline(), PATIENCE) != b"ready\n":
            why = (await process.stderr.read()).decode(errors="replace").strip()
            raise CannotRun(
                "The controller cannot be given a network of its own, and does not run without: "
                f"{why.splitlines()[-1] if why else 'unshare ended'}. Run this as root, or allow "
                "user namespaces (sysctl kernel.unprivileged_userns_clone=1)."
            )
        yield Namespace(process.pid, tuple(doors))
    finally:
        process.stdin.close()
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
