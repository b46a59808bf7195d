"""A visit to a machine: a key that lives for it, a certificate, pinned host keys, and the real ssh.

Everything is in one folder that nobody else can read and that is gone afterwards. Nothing of it
reaches the caller's own keys, agent or known hosts.
"""

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from moorage.models import SshCertificateRead
from moorage_cli.failures import Broken, Refused

KNOCK_SECONDS = 3.0
"""How long an address may take to answer, where there are several to choose from."""


@dataclass(frozen=True)
class Folder:
    """Where the files of one visit are."""

    path: Path

    @property
    def key(self) -> Path:
        return self.path / "id"

    @property
    def public_key(self) -> Path:
        return self.path / "id.pub"

    @property
    def certificate(self) -> Path:
        return self.path / "id-cert.pub"

    @property
    def known_hosts(self) -> Path:
        return self.path / "known_hosts"


@dataclass(frozen=True)
class Wish:
    """What the caller wants of ssh."""

    address: str | None = None
    tty: bool = False
    options: Sequence[str] = ()
    command: Sequence[str] = ()


def make_folder(runtime: Path | None) -> Folder:
    """A folder of the caller's own, in memory where the system has such a place."""
    place = runtime if runtime is not None and os.access(runtime, os.W_OK) else None
    return Folder(Path(tempfile.mkdtemp(prefix="moor-ssh-", dir=place)))


@contextmanager
def folder(runtime: Path | None) -> Generator[Folder]:
    made = make_folder(runtime)
    try:
        yield made
    finally:
        shutil.rmtree(made.path, ignore_errors=True)


async def make_key(folder: Folder) -> str:
    """A key for this visit; its public half."""
    program = _program("ssh-keygen")
    made = await asyncio.create_subprocess_exec(
        program, "-q", "-t", "ed25519", "-N", "", "-C", "moor", "-f", str(folder.key)
    )
    if await made.wait() != 0:
        raise Broken("ssh-keygen made no key. Its own words stand above.")
    return folder.public_key.read_text().strip()


def write(folder: Folder, issued: SshCertificateRead) -> None:
    """Put the certificate and the machine's pinned keys beside the key."""
    if not issued.host_keys:
        raise Refused(
            f"{issued.node_name} has not told its SSH host keys, so nobody can say that it is it. "
            "Is the SSH server installed there?"
        )
    folder.certificate.write_text(f"{issued.certificate}\n")
    lines = [f"{alias(issued)} {key}\n" for key in issued.host_keys]
    folder.known_hosts.write_text("".join(lines))


def alias(issued: SshCertificateRead) -> str:
    """What the machine is called among known hosts: not an address, which others could have."""
    return f"moorage-{issued.grant_id}"


def arguments(folder: Folder, issued: SshCertificateRead, wish: Wish, *, address: str) -> list[str]:
    """The whole command line. The caller's configuration may say how to get there, not as whom."""
    forced = {
        "IdentityFile": folder.key,
        "CertificateFile": folder.certificate,
        "IdentitiesOnly": "yes",
        "PreferredAuthentications": "publickey",
        "UserKnownHostsFile": folder.known_hosts,
        "GlobalKnownHostsFile": "/dev/null",
        "HostKeyAlias": alias(issued),
        "StrictHostKeyChecking": "yes",
        "UpdateHostKeys": "no",
        "ForwardX11": "no",
        "ForwardAgent": "no",
    }
    quiet = [] if _shares(wish.options) else ["-o", "ControlMaster=no", "-o", "ControlPath=none"]
    return [
        "ssh",
        *(word for name, value in forced.items() for word in ("-o", f"{name}={value}")),
        *quiet,
        *wish.options,
        *(["-t"] if wish.tty else []),
        *("-p", str(issued.port), "-l", issued.login, "--", address),
        *wish.command,
    ]


def _shares(options: Sequence[str]) -> bool:
    """Whether the caller asks for a shared connection: then it is theirs to say which."""
    return any(option.startswith(("-M", "-S", "-oControl")) for option in options) or any(
        option.startswith("Control") for option in options
    )


async def find_address(issued: SshCertificateRead, wish: Wish) -> str:
    """Where to go: as the caller says, or the first address that answers."""
    if wish.address is not None:
        return wish.address
    if not issued.addresses:
        raise Refused(f"{issued.node_name} has told no address. Name one with --address.")
    if len(issued.addresses) == 1:
        return issued.addresses[0]
    for address in issued.addresses:
        if await _answers(address, issued.port):
            return address
    tried = ", ".join(issued.addresses)
    raise Broken(
        f"{issued.node_name} answers at none of {tried}, port {issued.port}. "
        "Are you in its network?"
    )


async def _answers(address: str, port: int) -> bool:
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(KNOCK_SECONDS):
            _, writer = await asyncio.open_connection(address, port)
            writer.close()
            return True
    return False


async def run(command: Sequence[str]) -> int:
    """Run the real ssh with this terminal; its own exit code."""
    program = _program(command[0])
    started = await asyncio.create_subprocess_exec(program, *command[1:])
    try:
        code = await started.wait()
    except asyncio.CancelledError:
        # Ctrl-C reached ssh as well; it ends by itself, and the key must outlive it.
        await started.wait()
        raise
    return code if code >= 0 else 128 - code


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise Broken(f"There is no {name} on this machine. Install the OpenSSH client.")
    return found
