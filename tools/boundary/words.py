"""The platform must not speak an app's language.

A name such as a scheduler's in the core means that somebody taught the core about one app, and the
next app will need the same favour. What an app wants to say reaches the platform as data: in its
manifest, its views and its reports. Underscores count as word ends, so identifiers are seen too.
"""

import re
from collections.abc import Iterator
from pathlib import Path

PLATFORM = (
    "core/src",
    "sdk/src",
    "cli/src",
    "manifest/src",
    "agent/src",
    "console/src",
    "contract",
)
NOT_OURS = frozenset({"__pycache__", "dist", "node_modules"})
BUILT = ("core/src/moorage_core/console/app", "core/src/moorage_core/console/docs")
"""The console, whose sources are looked at, packed by a tool that names things as it likes; and the
docs, which speak of every app: they are files for people, and no code reads them."""
APP_WORDS = re.compile(
    r"(?<![a-z0-9])"
    r"(slurm\w*|munge|sinfo|sbatch|srun|scontrol|squeue|sacct|ray|raylet|kuberay|etcd)"
    r"(?![a-z0-9])",
    re.IGNORECASE,
)
SENTENCE = "The platform names no app: move this behind the app boundary"


def find(repo: Path) -> Iterator[str]:
    """Each place where an app's word stands in the platform."""
    for folder in PLATFORM:
        for path in sorted((repo / folder).rglob("*")):
            if any(path.is_relative_to(repo / built) for built in BUILT):
                continue
            if path.is_file() and NOT_OURS.isdisjoint(path.relative_to(repo).parts):
                yield from _in_file(path, str(path.relative_to(repo)))


def _in_file(path: Path, name: str) -> Iterator[str]:
    for word in APP_WORDS.findall(name):
        yield f"{name}: the file's own name says {word!r}"
    for number, line in enumerate(path.read_text("utf-8", errors="ignore").splitlines(), start=1):
        for word in APP_WORDS.findall(line):
            yield f"{name}:{number}: {word!r}"
