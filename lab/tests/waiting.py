"""Waits for what another process does."""

import threading
import time
from collections.abc import Callable


def wait_until(is_so: Callable[[], bool], *, seconds: float = 30) -> None:
    """Look again and again until it is so, for a while."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not is_so():
        assert time.monotonic() < deadline, "it never became so"
        pause.wait(0.005)
