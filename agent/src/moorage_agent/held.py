"""One task in the agent's hands: what its kind may use, and what is still to be told of it."""

import base64
import binascii
import shutil
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Optional

from moorage_agent import durable
from moorage_agent.connections import Connections
from moorage_agent.outputs import STREAMS, Outputs
from moorage_agent.places import Places
from moorage_agent.session import Session
from moorage_agent.tasks import Failed, Stop, Task

RECEIVED, RUNNING = "received", "running"


class Held:
    """The `Work` of a task. `sent` and `answered` say how much of it the platform has heard."""

    def __init__(
        self, task: Task, places: Places, session: Session, connections: Connections
    ) -> None:
        self.task = task
        self.systemd = connections
        self.status = RECEIVED
        self.report: Optional[dict[str, Any]] = None
        self.answered = False
        self.is_unwanted = False
        """The platform has told the agent to forget it, before it has ended."""
        self.sent: dict[str, int] = dict.fromkeys(STREAMS, 0)
        self.deadline = float("inf")
        self.folder = places.tasks / task.id
        self.private = places.run / task.id
        self.state: Path = places.state
        self.stopping = Stop()
        self.cancelled: threading.Event = self.stopping
        self.outputs = Outputs(self.folder, task.output_limit)
        self.news = threading.Condition()
        self._secrets: dict[str, bytes] = {}
        self._session = session

    # --- what a kind uses ------------------------------------------------------------------------

    def secret(self, name: str) -> bytes:
        return get_secret(self._secrets, name)

    def content(self) -> Iterator[bytes]:
        return self._session.stream(f"/v1/agent/tasks/{self.task.id}/content")

    def output(self, stream: str, data: bytes) -> None:
        if data:
            self.outputs.write(stream, data)
            with self.news:
                self.news.notify_all()

    # --- its life --------------------------------------------------------------------------------

    def give_secrets(self, values: Mapping[str, Any]) -> None:
        """Take the values that came with the task. They are in memory until it ends."""
        self._secrets = read_secrets(values)

    def start(self, *, seconds: float) -> None:
        self.status = RUNNING
        self.deadline = time.monotonic() + seconds

    def make_folders(self) -> None:
        durable.private_folder(self.folder)
        durable.private_folder(self.private)

    def end(self, report: dict[str, Any]) -> None:
        """It is over: nothing secret of it stays, and whoever follows it is told."""
        self._secrets.clear()
        shutil.rmtree(self.private, ignore_errors=True)
        self.outputs.close()
        with self.news:
            self.report, self.status = report, report["state"]
            self.news.notify_all()

    def remove(self) -> None:
        """Nothing of it stays."""
        shutil.rmtree(self.private, ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.stopping.close()


def read_secrets(values: Mapping[str, Any]) -> dict[str, bytes]:
    """The values of secrets as they come with a task."""
    try:
        return {name: base64.b64decode(value, validate=True) for name, value in values.items()}
    except (binascii.Error, TypeError, ValueError) as err:
        raise Failed("input_invalid", "A secret's value is not base64.") from err


def get_secret(values: Mapping[str, bytes], name: str) -> bytes:
    if name not in values:
        raise Failed("secret_missing", f"The task came without a secret {name!r}.")
    return values[name]
