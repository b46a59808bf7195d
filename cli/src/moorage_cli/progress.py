"""How far a transfer is, for somebody who looks at a terminal."""

import sys
from collections.abc import Callable

from moorage_cli.terminal import plain


def line(name: str) -> Callable[[int, int], None] | None:
    """Shows the share that has arrived on standard error; None where nobody looks."""
    if not sys.stderr.isatty():
        return None
    last = -1

    def show(done: int, size: int) -> None:
        nonlocal last
        share = 100 if size == 0 else 100 * done // size
        if share != last:
            end = "\n" if share == 100 else ""
            print(f"\r{plain(name)}: {share} %", end=end, file=sys.stderr, flush=True)
        last = share

    return show
