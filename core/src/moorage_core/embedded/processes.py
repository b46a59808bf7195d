"""Which processes work inside a folder, as far as the kernel lets us see.

Every PostgreSQL process works inside its cluster's folder, and nothing else does. That tells a
server from a stranger that got its process id after a crash. In a container root may not look at
the processes of another account; then that account is asked to look.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from moorage_core.embedded import accounts
from moorage_core.embedded.accounts import Account

PROC = Path("/proc")


def can_look() -> bool:
    """Whether this system shows its processes at all."""
    return (PROC / "self" / "stat").exists()


def works_in(pid: int, *, place: Path, account: Account) -> bool:
    """Whether the process lives and works in `place`. Without /proc: whether it lives."""
    if not can_look():
        return _is_alive(pid)
    return any_works_in(place, account=account, among=[pid])


def any_works_in(place: Path, *, account: Account, among: Iterable[int] | None = None) -> bool:
    """Whether any of these processes, or of all there are, works in `place`."""
    wanted = os.path.realpath(place)
    unseen: list[Path] = []
    for pid in _all() if among is None else among:
        link = PROC / str(pid) / "cwd"
        try:
            if os.readlink(link) == wanted:
                return True
        except PermissionError:
            unseen.append(link)
        except OSError:
            continue
    return wanted in _ask(account, _owned(unseen, uid=account.uid))


def _all() -> list[int]:
    return [int(name) for name in os.listdir(PROC) if name.isdigit()] if can_look() else []


def _owned(links: Iterable[Path], *, uid: int) -> list[Path]:
    return [link for link in links if _owner(link.parent) == uid]


def _owner(path: Path) -> int | None:
    try:
        return path.stat().st_uid
    except OSError:
        return None


def _ask(account: Account, links: list[Path]) -> list[str]:
    if not links or not account.switch:
        return []
    return accounts.run(account, ["readlink", *links]).stdout.splitlines()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
