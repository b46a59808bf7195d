"""Where things are on a host. Tests give another root."""

from dataclasses import dataclass
from pathlib import Path

SERVICE = "moorage-agent.service"


@dataclass(frozen=True)
class Places:
    """The agent's files and folders below a root."""

    root: Path = Path("/")

    @property
    def archive(self) -> Path:
        return self.root / "usr/local/lib/moorage-agent/agent.pyz"

    @property
    def state(self) -> Path:
        """What outlives tasks and the agent. Root's alone."""
        return self.root / "var/lib/moorage-agent"

    @property
    def identity(self) -> Path:
        return self.state / "identity.json"

    @property
    def key(self) -> Path:
        return self.state / "key.pem"

    @property
    def ca(self) -> Path:
        return self.state / "ca.pem"

    @property
    def tasks(self) -> Path:
        """One folder for each task that the agent holds."""
        return self.state / "tasks"

    @property
    def journal(self) -> Path:
        return self.state / "journal.jsonl"

    @property
    def cursor(self) -> Path:
        """How far evidence has been told."""
        return self.state / "evidence.cursor"

    @property
    def run(self) -> Path:
        """In memory: gone with the power."""
        return self.root / "run/moorage-agent"

    @property
    def unit(self) -> Path:
        return self.root / "etc/systemd/system" / SERVICE
