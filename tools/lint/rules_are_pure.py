"""`rules.py` decides and does nothing else, and so does every module that says it is pure.

A rule gets everything it needs as arguments and returns a decision. That makes it testable in
microseconds, true in every process, and safe to call twice. So it has no coroutine, no database, no
file, no network, no chance and no clock: the time is an argument like any other. A docstring that
opens with the word is a promise; this rule holds the module to it, in a slice or not.
"""

import ast
import re
from collections.abc import Iterator

from tools.lint.sources import Finding, Source, Tree, has_prefix, is_store

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
PROMISE = re.compile(r"^(.* )?Pure\b", re.MULTILINE)
CLOCKS = frozenset({"now", "today", "utcnow"})
ASYNC = (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await)


def check(tree: Tree) -> Iterator[Finding]:
    for source in filter(_is_pure, tree.core()):
        yield from _imports(source)
        yield from _clocks(source)
        for node in ast.walk(source.tree):
            if isinstance(node, ASYNC):
                yield Finding(source, node.lineno, "a rule does not wait: make it a plain function")


def _is_pure(source: Source) -> bool:
    is_rules = source.slice is not None and source.place.name == "rules.py"
    return is_rules or PROMISE.search(source.docstring) is not None


def _imports(source: Source) -> Iterator[Finding]:
    for line, name in source.imports():
        if has_prefix(name, IMPURE) or any(map(is_store, name.split("."))):
            yield Finding(source, line, f"`{name}`: a rule has no I/O; let the command bring it")


def _clocks(source: Source) -> Iterator[Finding]:
    for call, name in source.calls():
        owner, _, method = name.rpartition(".")
        if method in CLOCKS and owner.rpartition(".")[2] in {"datetime", "date"}:
            yield Finding(source, call.lineno, f"`{name}()`: the time is an argument of a rule")
