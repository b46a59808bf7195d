"""Programs of the host, run without a shell, with a fixed environment and a time limit.

What needs the host takes a `Run` as an argument, so that a test can answer in the host's place. No
secret goes into `argv`; a program that needs one gets it as `stdin`.
"""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional, Protocol

ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C.UTF-8",
    "LANGUAGE": "C",
    "HOME": "/root",
    "SYSTEMD_PAGER": "cat",
    "SYSTEMD_COLORS": "0",
    "DEBIAN_FRONTEND": "noninteractive",
}
ABSENT = 127
"""The code of a program that the host does not have."""
LATE = 124
"""The code of a program that was not done in time and was killed."""


@dataclass(frozen=True)
class Completed:
    """How a program ended."""

    code: int
    stdout: str = ""
    stderr: str = ""

    @property
    def ok(self) -> bool:
        return self.code == 0

    @property
    def words(self) -> str:
        """The last thing it said, for an error's sentence."""
        lines = (self.stderr.strip() or self.stdout.strip()).splitlines()
        return lines[-1].strip()[:300] if lines else f"it ended with {self.code}"


class Run(Protocol):
    """Runs a program to its end."""

    def __call__(
        self, argv: Sequence[str], *, stdin: Optional[bytes] = None, timeout: float = 30
    ) -> Completed: ...


def run(argv: Sequence[str], *, stdin: Optional[bytes] = None, timeout: float = 30) -> Completed:
    """Run a program of the host. One that is not there or is too slow has a code that says so."""
    try:
        ended = subprocess.run(
            list(argv),
            input=stdin if stdin is not None else b"",
            capture_output=True,
            env=ENVIRONMENT,
            cwd="/",
            timeout=timeout,
            check=False,
        )
    except FileNotFoundError:
        return Completed(ABSENT, stderr=f"{argv[0]} is not on this host")
    except subprocess.TimeoutExpired:
        return Completed(LATE, stderr=f"{argv[0]} was not done within {timeout:g} s")
    return Completed(
        ended.returncode,
        ended.stdout.decode(errors="replace"),
        ended.stderr.decode(errors="replace"),
    )
