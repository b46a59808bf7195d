"""What a kind is given in tests: folders of the test's own, and an ear for what it puts out."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from moorage_agent.connections import Connections
from moorage_agent.tasks import Failed, Task


class Workbench:
    """The agent around a kind, with nothing but memory and a folder."""

    def __init__(
        self,
        place: Path,
        *,
        secrets: Mapping[str, bytes] | None = None,
        artifact: Sequence[bytes] = (),
    ) -> None:
        self.folder, self.private, self.state = place / "work", place / "private", place / "state"
        for folder in (self.folder, self.private, self.state):
            folder.mkdir(parents=True, exist_ok=True)
        self.cancelled = threading.Event()
        self.systemd = Connections()
        self.secrets = dict(secrets or {})
        self.artifact = artifact
        self.fetched = 0
        self.outputs: dict[str, bytes] = {}

    def secret(self, name: str) -> bytes:
        if name not in self.secrets:
            raise Failed("secret_missing", f"The task has no secret {name!r}.")
        return self.secrets[name]

    def content(self) -> Iterator[bytes]:
        self.fetched += 1
        yield from self.artifact

    def output(self, stream: str, data: bytes) -> None:
        self.outputs[stream] = self.outputs.get(stream, b"") + data


def task(kind: str, given: dict[str, Any], **other: Any) -> Task:
    """A task of an allocation, as the platform sends it."""
    fields: dict[str, Any] = {
        "id": "tsk_1",
        "kind": kind,
        "key": "test",
        "operation_id": "opn_1",
        "fence": 1,
        "allocation_id": "alc_1",
        "correlation_id": "c1",
        "run_as": "root",
        "timeout": 60.0,
        "output_limit": 1024 * 1024,
        "input": given,
    }
    return Task(**{**fields, **other})
