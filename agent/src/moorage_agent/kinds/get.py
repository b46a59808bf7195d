"""A file of the host, read for the platform: regular ones only, up to a limit."""

import hashlib
import os
import stat
from pathlib import Path

from moorage_agent import inputs, paths, snapshot
from moorage_agent.tasks import Failed, Outcome, Task, Work

_CHUNK = 256 * 1024


def run(task: Task, work: Work, *, root: Path = Path("/")) -> Outcome:
    """Send the file as stream `content`. Nothing is sent of one that is too large."""
    path = inputs.get_text(task.input, "path")
    asked = inputs.find_number(task.input, "limit")
    limit = task.output_limit if asked is None else min(asked, task.output_limit)
    try:
        with paths.reach(path, root=root) as place:
            return _send(work, paths.open_regular(place), path=path, limit=limit)
    except OSError as error:
        raise paths.refusal(error, path) from error


def _send(work: Work, descriptor: int, *, path: str, limit: int) -> Outcome:
    digest, size = hashlib.sha256(), 0
    with open(descriptor, "rb") as file:
        seen = os.fstat(descriptor)
        _check(path, seen.st_size, limit)
        while chunk := file.read(_CHUNK):
            size += len(chunk)
            _check(path, size, limit)  # it grows, or is one of the kernel's that have no size
            if work.cancelled.is_set():
                raise Failed("cancelled", f"The task was stopped while {path} was read.")
            digest.update(chunk)
            work.output("content", chunk)
    return Outcome(
        result={
            "size": size,
            "digest": f"sha256:{digest.hexdigest()}",
            "mode": f"{stat.S_IMODE(seen.st_mode):04o}",
            "owner": snapshot.user_name(seen.st_uid),
        }
    )


def _check(path: str, size: int, limit: int) -> None:
    if size > limit:
        raise Failed("too_large", f"{path} has {size} bytes or more; the limit is {limit}.")
