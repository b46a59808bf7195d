"""From the pasted line to a running agent.

Safe to run twice, and cut off anywhere: files are put in place whole, the identity last of those
that matter, and the key of an enrolment whose answer was lost is kept, so that the same line gets
the same node. Until the platform has said yes, an agent that was here before goes on as it was.
"""

import contextlib
import hashlib
import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, cast

from moorage_agent import __version__, durable, host, identity, inventory, platform, residue, trust
from moorage_agent.identity import Identity
from moorage_agent.places import SERVICE, Places
from moorage_agent.platform import Platform

UNIT = """\
[Unit]
Description=Moorage node agent
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=simple
ExecStart={python} -I {archive} run
Restart=always
RestartSec=2
RestartPreventExitStatus=78
KillMode=process
TimeoutStopSec=10
UMask=0077
LimitNOFILE=65536

[Install]
WantedBy=multi-user.target
"""


class NotInstalled(Exception):
    """The agent is not installed; the message says why and what would help."""


@dataclass(frozen=True)
class Line:
    """What the pasted line carries."""

    url: str
    ca_digest: str
    token: str
    reenrol: bool = False

    @property
    def enrolment(self) -> str:
        return hashlib.sha256(self.token.encode()).hexdigest()


def read_line(environment: Mapping[str, str], stdin: Any) -> Line:
    """The parameters, from the environment, or from a pipe where sudo has cleared it."""
    given = environment
    if "MOORAGE_URL" not in given and not stdin.isatty():
        given = _object(stdin.read())
    missing = [
        name for name in ("MOORAGE_URL", "MOORAGE_CA", "MOORAGE_TOKEN") if not given.get(name)
    ]
    if missing:
        raise NotInstalled(
            f"{', '.join(missing)}: not given. Paste the whole line of the platform."
        )
    return Line(
        given["MOORAGE_URL"].rstrip("/"),
        given["MOORAGE_CA"],
        given["MOORAGE_TOKEN"],
        reenrol=given.get("MOORAGE_REENROL") == "1",
    )


def install(line: Line, places: Places, archive: bytes, *, python: str) -> Identity:
    """Enrol the host, unless this line has done it before, and put the agent there and start it."""
    obstacles = host.obstacles(places.root)
    if obstacles:
        raise NotInstalled(" ".join(obstacles))
    known = _known(line, places)
    durable.private_folder(places.state)
    enrolled = known or enrol(line, places)
    for spent in places.state.glob("key.*.pem"):
        spent.unlink()
    _put(places, archive, python)
    residue.baseline(places.state)
    _start()
    return enrolled


def _known(line: Line, places: Places) -> Optional[Identity]:
    """The identity that this very line has given the host before."""
    found = identity.load(places.identity)
    if found is None or line.reenrol:
        return None
    if found.enrolment == line.enrolment and found.url == line.url:
        return found
    raise NotInstalled(
        f"This host is enrolled already: node {found.name} ({found.node_id}) of {found.url}. "
        "To make it another node, paste the line with MOORAGE_REENROL=1 in front."
    )


def enrol(line: Line, places: Places) -> Identity:
    """Become the node that the line is for. The key stays until that is done or refused for good:
    with another one, the same token is worth nothing."""
    authority = _authority(line)
    key = places.state / f"key.{line.enrolment[:16]}.pem"
    if not key.exists():
        identity.make_key(key)
    ca = places.state / f"ca.{line.enrolment[:16]}.pem"
    try:
        if authority is not None:
            durable.write(ca, authority)
        answer = _ask(line, places, key=key, ca=None if authority is None else ca)
    except platform.Refused as err:
        if err.code == "enrolment_refused":
            key.unlink()
        raise NotInstalled(f"The platform refuses: {err}") from err
    except platform.Unreachable as err:
        raise NotInstalled(f"The platform at {line.url} cannot be reached: {err}") from err
    else:
        enrolled = Identity(
            line.url, answer["node_id"], answer["name"], answer["nonce"], line.enrolment
        )
        _become(enrolled, places, key=key, authority=authority)
        return enrolled
    finally:
        ca.unlink(missing_ok=True)


def _authority(line: Line) -> Optional[bytes]:
    """The certificate that the line names, fetched from whoever answers and held against it."""
    if line.ca_digest == trust.SYSTEM or not platform.parse(line.url).is_https:
        return None
    try:
        with contextlib.closing(Platform(line.url, platform.blindly())) as server:
            bundle = server.fetch("/v1/agent/ca.pem", limit=trust.LONGEST)
    except (platform.Unreachable, platform.Refused) as err:
        raise NotInstalled(f"The platform at {line.url} does not give its ca.pem: {err}") from err
    return trust.pick(bundle, line.ca_digest)


def _ask(line: Line, places: Places, *, key: Path, ca: Optional[Path]) -> dict[str, Any]:
    body = {
        "token": line.token,
        "public_key": identity.public_jwk(key),
        "assertion": identity.sign(key, {"enrolment": line.enrolment}),
        "agent_version": __version__,
        **host.facts(places.root),
        "inventory": inventory.collect(),
    }
    with contextlib.closing(Platform(line.url, platform.trusting(ca))) as server:
        return server.call("POST", "/v1/agent/enrol", body)


def _become(enrolled: Identity, places: Places, *, key: Path, authority: Optional[bytes]) -> None:
    """Take the new identity. The key and the trust go first: without them it is of no use. The key
    is copied, so that whoever is cut off here can ask again with it.

    An agent that was here before is stopped first: it writes its own identity with each exchange.
    """
    subprocess.run(["systemctl", "stop", SERVICE], capture_output=True, check=False)
    if authority is None:
        places.ca.unlink(missing_ok=True)
    else:
        durable.write(places.ca, authority)
    durable.write(places.key, key.read_bytes())
    identity.save(places.identity, enrolled)
    key.unlink()


def _put(places: Places, archive: bytes, python: str) -> None:
    places.archive.parent.mkdir(parents=True, exist_ok=True)
    durable.write(places.archive, archive, mode=0o755)
    text = UNIT.format(python=python, archive=places.archive)
    durable.write(places.unit, text.encode(), mode=0o644)


def _start() -> None:
    for words in (["daemon-reload"], ["enable", "--quiet", SERVICE], ["restart", SERVICE]):
        ended = subprocess.run(["systemctl", *words], capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            raise NotInstalled(f"systemctl {' '.join(words)}: {ended.stderr.strip()}")


def _object(text: str) -> dict[str, str]:
    try:
        read = json.loads(text or "{}")
    except ValueError:
        return {}
    return cast("dict[str, str]", read) if isinstance(read, dict) else {}
