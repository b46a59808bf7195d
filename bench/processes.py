"""One `moor up` to measure, and what its processes use."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from moorage_core.embedded import folder, postgres
from tests.e2e import site as sites
from tests.e2e.site import Site

TICKS = os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def running(data: Path, host: str) -> Iterator[Site]:
    settings = {
        "MOORAGE_LOG__LEVEL": "warning",
        "MOORAGE_LIMITS__REQUESTS_PER_SECOND": "1000000",
        "MOORAGE_LIMITS__BURST": "1000000",
        "MOORAGE_LIMITS__ANONYMOUS_PER_SECOND": "1000000",
        "MOORAGE_LIMITS__ANONYMOUS_BURST": "1000000",
        "MOORAGE_IDENTITY__TOKEN_LIFETIME": "PT2H",
    }
    with sites.running(data, host, settings) as site:
        yield site


def tree(site: Site) -> list[int]:
    """The platform's processes: supervisor, servers, and the database with all its backends."""
    running = postgres.find_running(folder.prepare(site.data))
    assert site.process is not None
    assert running is not None
    roots = [
        site.process.pid,
        int((site.data / "postgres" / "postmaster.pid").read_text().split()[0]),
    ]
    return [pid for root in roots for pid in (root, *_children(root))]


def _children(pid: int) -> list[int]:
    try:
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [each for child in map(int, below) for each in (child, *_children(child))]


def cpu(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS  # its own, and that of children that ended


def name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text()
    except OSError:
        return ""


def memory(site: Site) -> float:
    """Proportional memory of the server processes, in MiB."""
    total = 0
    for pid in set(tree(site)):
        if "postgres" in name(pid):
            continue
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024
