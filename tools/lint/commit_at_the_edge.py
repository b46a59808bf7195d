"""Only the edge commits.

A use case is one transaction: the change, its audit row, its event and the stored answer stand or
fall together. A commit in the middle of a command tears that apart, and a rollback undoes what the
caller had written before. The edge (the route wrapper, the sweep driver, the unit of work) ends
transactions; everything inside lets an exception do it.
"""

import ast
import re
from collections.abc import Iterator

from tools.lint.sources import Finding, Source, Tree

EDGE = ("background", "embedded", "http", "kit", "migrations", "operate", "unit.py")
METHODS = frozenset({"commit", "rollback"})
STATEMENT = re.compile(r"\s*(commit|rollback)\b(?!\s+to\b)[^;]*;?\s*", re.IGNORECASE)


def check(tree: Tree) -> Iterator[Finding]:
    for source in tree.core():
        if not source.is_under(*EDGE):
            for line in _ends_of_transactions(source):
                yield Finding(source, line, "only the edge ends a transaction; raise, or return")


def _ends_of_transactions(source: Source) -> Iterator[int]:
    for call, name in source.calls():
        if name.rpartition(".")[2] in METHODS or any(map(_is_statement, call.args)):
            yield call.lineno


def _is_statement(argument: ast.expr) -> bool:
    return (
        isinstance(argument, ast.Constant)
        and isinstance(argument.value, str)
        and STATEMENT.fullmatch(argument.value) is not None
    )
