"""Runs one kind of task on a host: reads `{kind, input, …}`, prints how it ended."""

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import workbench  # pyright: ignore[reportMissingImports] - beside this file, on the host

from moorage_agent.tasks import Failed

PLACE = Path("/var/lib/moorage-test")


class OnDisk(workbench.Workbench):  # pyright: ignore[reportUnknownMemberType, reportUntypedBaseClass]
    """The artifact is a file."""

    def content(self) -> Iterator[bytes]:
        self.fetched += 1
        with open(PLACE / "artifact", "rb") as file:
            while chunk := file.read(65536):
                yield chunk


def main() -> None:
    asked: dict[str, Any] = json.load(sys.stdin)
    name = asked["kind"].replace("-", "_")
    module = importlib.import_module(f"moorage_agent.kinds.{name}")
    work = OnDisk(PLACE)
    task = workbench.task(asked["kind"], asked["input"], **asked.get("other", {}))
    try:
        outcome = module.run(task, work)
        told = {"changed": outcome.changed, "result": outcome.result}
    except Failed as failed:
        told = {"code": failed.code, "message": failed.message, "result": failed.result}
    told["outputs"] = {name: data.decode(errors="replace") for name, data in work.outputs.items()}
    told["fetched"] = work.fetched
    json.dump(told, sys.stdout)


main()
