"""Another authority for the platform, while a real agent keeps up with it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from moorage_lab import Host, Lab
from tests.e2e import site as sites
from tests.e2e import world
from tests.e2e.callers import Caller, pause
from tests.e2e.site import Site

pytestmark = pytest.mark.lab

AGENT = "moorage-agent.service"
BUNDLE = "/var/lib/moorage-agent/ca.pem"
ARCHIVE = "/usr/local/lib/moorage-agent/agent.pyz"


@pytest.fixture
def second(lab: Lab) -> Iterator[Site]:
    """A platform of the test's own: others keep the authority that they know."""
    with sites.passing(str(lab.layout.address)) as running:
        yield running


@pytest.fixture
def host(spare: Host) -> Iterator[Host]:
    """A host that is nobody's node before and after."""
    yield spare
    spare.run(f"python3 -I {ARCHIVE} uninstall", check=False, timeout=60)


def moor(site: Site, *words: str) -> str:
    command = [Path(sys.executable).parent / "moor", *words, "--data", str(site.data)]
    clean = {name: value for name, value in os.environ.items() if "MOORAGE_" not in name}
    done = subprocess.run(command, capture_output=True, text=True, env=clean, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def until_confirmed(site: Site) -> None:
    for _ in range(120):
        if "by 1 of 1" in moor(site, "ca", "status"):
            return
        pause(0.5)
    raise AssertionError("the agent never confirmed it")


def until_served_by(site: Site, ca: Path) -> Caller:
    """Somebody who trusts this authority alone, once the server's certificate is its."""
    for _ in range(120):
        caller = Caller(site.url, ca)
        try:
            caller.get("/v1/status")
        except Exception:  # noqa: BLE001 - refused, cut off, replaced: it comes
            caller.http.close()
            pause(0.5)
        else:
            site.callers.append(caller)
            return caller
    raise AssertionError("the new authority never signed")


def test_an_agent_follows_a_change_of_authority_without_enrolling_again(
    second: Site, host: Host, tmp_path: Path
) -> None:
    admin = second.admin()
    world.make_fleet(admin)
    node = world.make_node(admin, "keeps-up")["id"]
    world.paste(host, world.line_for(admin, node))
    admin.until(f"/v1/nodes/{node}", lambda found: found["status"] == "available")
    identity = host.get("/var/lib/moorage-agent/key.pem")

    moor(second, "ca", "rotate")
    until_confirmed(second)
    moor(second, "ca", "switch")
    fresh = tmp_path / "ca.pem"
    fresh.write_bytes((second.data / "tls" / "ca.pem").read_bytes())
    person = until_served_by(second, fresh)
    person.token = admin.token
    moor(second, "ca", "finish")
    until_confirmed(second)
    host.run(f"systemctl restart {AGENT}")

    seen = person.get(f"/v1/nodes/{node}")["last_seen_at"]
    person.until(f"/v1/nodes/{node}", lambda found: found["last_seen_at"] > seen)
    assert host.get(BUNDLE) == fresh.read_bytes(), "the old authority is gone from the host"
    assert host.get("/var/lib/moorage-agent/key.pem") == identity
    assert person.get(f"/v1/nodes/{node}")["status"] == "available"
