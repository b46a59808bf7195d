"""Opening the secrets of tasks that are on their way to a node, and how much goes at a time.

After the transaction that chose the tasks: a secret may lie on another machine. One that does not
open is the trouble of its own task, not of the node.
"""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import structlog

from moorage_core.errors import ApiError
from moorage_core.platform import Platform
from moorage_core.secrets import commands as custody
from moorage_core.secrets.models import SealedSecret
from moorage_core.tasks.models import Task

Sealed = dict[str, dict[str, SealedSecret]]
Values = dict[str, str]
ANSWER_BYTES = 8 << 20
"""Of tasks in one answer; agents read four times as much. The rest comes with the next."""

log = structlog.get_logger()


@dataclass
class Opened:
    """What became of the tasks of an answer."""

    ready: dict[str, Values] = field(default_factory=dict[str, Values])
    """Those that go, with their secrets: name to value, in base64."""
    failed: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    """Those whose secrets do not open: (id, code, message)."""
    left: list[str] = field(default_factory=list[str])
    """Those that wait: the store is away, or the answer is full."""


class Away(Exception):
    """The store cannot be asked right now."""


class Broken(Exception):
    """The secret does not open, now or later."""


async def open_all(
    platform: Platform, tasks: Sequence[Task], inputs: dict[str, dict[str, Any]], sealed: Sealed
) -> Opened:
    """Open what the tasks need, in their order."""
    opened, away, room = Opened(), set[str](), ANSWER_BYTES
    for task in tasks:
        found = sealed.get(task.id, {})
        needed = len(json.dumps(inputs.get(task.id, task.input)))
        # The first goes however large it is.
        if (opened.ready and needed > room) or away & {each.store for each in found.values()}:
            opened.left.append(task.id)
            continue
        try:
            values = {name: await _open(platform, task, name, at) for name, at in found.items()}
        except Away:
            away |= {each.store for each in found.values()}
            opened.left.append(task.id)
        except Broken as err:
            opened.failed.append((task.id, "secret_broken", str(err)))
        else:
            needed += sum(map(len, values.values()))
            if opened.ready and needed > room:
                opened.left.append(task.id)
                continue
            room -= needed
            opened.ready[task.id] = values
    return opened


async def _open(platform: Platform, task: Task, name: str, sealed: SealedSecret) -> str:
    try:
        return base64.b64encode(await custody.reveal(platform, sealed)).decode()
    except (ApiError, OSError) as err:
        raise Away from err
    except Exception as err:
        # Whatever it is, the other tasks of the node have nothing to do with it.
        log.exception("tasks.secret_broken", task=task.id, secret=sealed.id)
        raise Broken(
            f"The secret {name} does not open. Store it anew, under another name."
        ) from err
