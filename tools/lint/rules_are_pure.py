"""`rules.py` decides and does nothing else.

A rule gets everything it needs as arguments and returns a decision. That makes it testable in
microseconds, true in every process, and safe to call twice. So it has no coroutine, no database, no
file, no network, no chance and no clock: the time is an argument like any other.
"""

import ast
from collections.abc import Iterator

from tools.lint.sources import Finding, Source, Tree, has_prefix

IMPURE = frozenset(
    {
        "asyncio",
        "httpx2",
        "moorage_core.context.Context",
        "moorage_core.kit.db",
        "moorage_core.kit.wakeups",
        "moorage_core.settings",
        "moorage_core.unit",
        "os",
        "psycopg",
        "psycopg_pool",
        "random",
        "secrets",
        "shutil",
        "socket",
        "subprocess",
        "tempfile",
        "threading",
        "time",
        "urllib.request",
    }
)
CLOCKS = frozenset({"now", "today", "utcnow"})
ASYNC = (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await)


def check(tree: Tree) -> Iterator[Finding]:
    for source in tree.in_slices("rules.py"):
        yield from _imports(source)
        yield from _clocks(source)
        for node in ast.walk(source.tree):
            if isinstance(node, ASYNC):
                yield Finding(source, node.lineno, "a rule does not wait: make it a plain function")


def _imports(source: Source) -> Iterator[Finding]:
    for line, name in source.imports():
        if has_prefix(name, IMPURE) or "store" in name.split("."):
            yield Finding(source, line, f"`{name}`: a rule has no I/O; let the command bring it")


def _clocks(source: Source) -> Iterator[Finding]:
    for call, name in source.calls():
        owner, _, method = name.rpartition(".")
        if method in CLOCKS and owner.rpartition(".")[2] in {"datetime", "date"}:
            yield Finding(source, call.lineno, f"`{name}()`: the time is an argument of a rule")
