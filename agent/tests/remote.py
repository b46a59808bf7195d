"""Kinds of tasks, run on a lab's host."""

import io
import json
import tarfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import moorage_agent
from moorage_lab import Host

PLACE = "/var/lib/moorage-test"
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Told:
    """How a task ended on the host."""

    changed: bool | None = None
    result: dict[str, Any] = field(default_factory=dict)
    code: str | None = None
    message: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    fetched: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Remote:
    """A host with the agent's sources on it, and no agent."""

    host: Host

    @classmethod
    def on(cls, host: Host) -> "Remote":
        """Bring the sources to the host."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            sources = Path(moorage_agent.__file__).parent
            tar.add(sources, "moorage_agent", filter=_no_caches)
            tar.add(_HERE / "driver.py", "driver.py")
            tar.add(_HERE / "workbench.py", "workbench.py")
        host.run(
            f"mkdir -p {PLACE}/code && tar -x -C {PLACE}/code --no-same-owner",
            stdin=packed.getvalue(),
        )
        return cls(host)

    def do(self, kind: str, given: dict[str, Any] | None = None, **other: Any) -> Told:
        """Run a task to its end."""
        asked = json.dumps({"kind": kind, "input": given or {}, "other": other})
        started = time.monotonic()
        answer = self.host.run(["python3", f"{PLACE}/code/driver.py"], stdin=asked.encode())
        return Told(**json.loads(answer.stdout), seconds=time.monotonic() - started)

    def artifact(self, content: bytes) -> None:
        """What the task gets when it asks for its artifact."""
        self.host.put(content, f"{PLACE}/artifact")

    def baseline(self) -> None:
        """Say that the host is clean as it is now."""
        self.host.run(
            f"cd {PLACE}/code && python3 -c 'from pathlib import Path; "
            "from moorage_agent import residue; "
            f'residue.baseline(Path("{PLACE}/state"), again=True)\''
        )

    def forget(self) -> None:
        """Remove the sources and what they kept."""
        self.host.run(["rm", "-rf", PLACE])


def _no_caches(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if "__pycache__" in member.name else member
