"""Do one task from standard input, for hosts without agent."""

import os
import sys

from moorage_agent import single
from moorage_agent.places import Places


def main() -> int:
    code = single.run(sys.stdin.buffer, sys.stdout.buffer, Places())
    sys.stdout.flush()
    os._exit(code)  # a thread still waits for more input, and Python would wait for the thread
