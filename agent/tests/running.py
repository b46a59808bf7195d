"""Agents: on a lab host, installed as an operator would; and as a process on this machine."""

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.tests import certificates, standin
from moorage_agent import archive, durable, identity
from moorage_agent.identity import Identity
from moorage_agent.places import Places
from moorage_lab import Host, Lab


@contextmanager
def platform_for(lab: Lab, authority: certificates.Authority) -> Iterator[standin.Platform]:
    """A platform at the lab's own address."""
    platform = standin.Platform(authority, address=str(lab.layout.address))
    platform.agent = archive.build()
    platform.start()
    try:
        yield platform
    finally:
        platform.stop()


def line(platform: standin.Platform, token: str = "") -> str:
    digest = hashlib.sha256(platform.agent).hexdigest()
    authority = platform.authority.digest
    return archive.line(platform.url, digest, authority, token or platform.new_token())


def paste(host: Host, line: str) -> tuple[int, str]:
    """Paste a line into a shell on the host: its exit code and what it said."""
    ended = host.run("sh", stdin=line.encode(), check=False)
    return ended.code, ended.stdout + ended.stderr


def uninstall(host: Host) -> None:
    host.run("python3 -I /usr/local/lib/moorage-agent/agent.pyz uninstall", check=False)


RUN = """
import sys
from pathlib import Path
from moorage_agent import identity, loop, trust
from moorage_agent.places import Places
from moorage_agent.platform import Platform
from moorage_agent.session import Session
places = Places(Path(sys.argv[1]))
mine = identity.load(places.identity)
platform = Platform(mine.url, trust.context(places.ca))
sys.exit(loop.work(Session(platform, mine, places), places))
"""


class Local:
    """An agent as a process on this machine, below a root of its own. It can be killed."""

    def __init__(self, root: Path, platform: standin.Platform) -> None:
        self.places = Places(root)
        self.log = root / "log"
        self._process: subprocess.Popen[bytes] | None = None
        self._enrol(platform)

    def _enrol(self, platform: standin.Platform) -> None:
        """What `install` does, without what needs root."""
        state = durable.private_folder(self.places.state)
        identity.make_key(self.places.key)
        token = platform.new_token()
        digest = hashlib.sha256(token.encode()).hexdigest()
        body = {"token": token, "public_key": identity.public_jwk(self.places.key)}
        body["assertion"] = identity.sign(self.places.key, {"enrolment": digest})
        facts = dict.fromkeys(("agent_version", "hostname", "machine_id", "boot_id"), "x")
        _, answer = platform.enrol({**body, **facts, "inventory": {"hostname": "x"}})
        (state / "ca.pem").write_bytes(platform.authority.pem)
        mine = Identity(platform.url, answer["node_id"], answer["name"], answer["nonce"], digest)
        identity.save(self.places.identity, mine)

    def start(self) -> None:
        with self.log.open("ab") as log:
            command = [sys.executable, "-c", RUN, str(self.places.root)]
            self._process = subprocess.Popen(command, stderr=log)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def wait(self) -> int:
        assert self._process is not None
        return self._process.wait(20)
