"""An agent on a lab host, installed as an operator would, and the platform that it speaks to."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from agent.tests import certificates, standin
from moorage_agent import archive
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
