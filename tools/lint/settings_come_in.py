"""Settings come in as arguments; only a `settings.py` reads the environment.

A module that reads the environment has an input that no signature shows, no start-up check covers
and no reference page lists; and two tests in one process cannot give it two values. `operate/` is
exempt, because it prepares the environment of the processes that it starts, and so are the agent's
`verbs/`, where what the pasted line carries arrives.
"""

import ast
from collections.abc import Iterator

from tools.lint.sources import Finding, Source, Tree, dotted

HOMES = ("operate", "verbs")
READS = frozenset({"os.environ", "os.environb", "os.getenv", "os.getenvb"})


def check(tree: Tree) -> Iterator[Finding]:
    for source in tree.sources:
        if source.place.name != "settings.py" and not source.is_under(*HOMES):
            for line, name in _reads(source):
                yield Finding(source, line, f"`{name}`: read it in settings.py and pass it in")


def _reads(source: Source) -> Iterator[tuple[int, str]]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute) and dotted(node) in READS:
            yield node.lineno, dotted(node)
    yield from ((line, name) for line, name in source.imports() if name in READS)
