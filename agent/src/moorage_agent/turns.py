"""Which tasks may run now. Pure.

Up to 32 at once. Two of a kind that works on one thing of the host wait for each other. A wipe is
alone: it waits for what runs, and what came after it waits for it. Taking people away must not wait
behind long commands, so `access-sync` needs no free place.
"""

from collections.abc import Iterable, Sequence

MOST = 32
ALONE = "wipe"
ONE_AT_A_TIME = frozenset({"packages", "access-sync"})
ALWAYS_A_PLACE = frozenset({"access-sync"})
CLEARING = frozenset({"wipe", "access-sync"})
"""What takes people and their things off the host, and must not wait for them to make room."""


def next_up(waiting: Sequence[tuple[str, str]], running: Iterable[str]) -> list[str]:
    """The ids of waiting tasks (id, kind) that start now, beside these running kinds."""
    busy, chosen = list(running), list[str]()
    for task_id, kind in waiting:
        if ALONE in busy or (kind == ALONE and busy):
            break
        if kind in ONE_AT_A_TIME and kind in busy:
            continue
        if len(busy) >= MOST and kind not in ALWAYS_A_PLACE:
            continue
        busy.append(kind)
        chosen.append(task_id)
    return chosen
