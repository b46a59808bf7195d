"""SQL stands in a slice's stores and nowhere else.

Whoever asks which statements touch a table, take a lock or name a tenant reads `store.py`, and the
rule of the tenant argument looks there too. A statement in a command is one that nobody looks at.
What a transaction may see is no statement about a table: `set_scope` is for commands.
"""

import ast
import re
from collections.abc import Iterator

from tools.lint.sources import Finding, Source, Tree

METHODS = frozenset({"all", "find", "get", "row", "rows", "run", "value"})
STATEMENT = re.compile(
    r"\s*(SELECT|INSERT\s+INTO|UPDATE|DELETE\s+FROM|WITH|MERGE|LOCK\s+TABLE|TRUNCATE)\s+\S"
)


def check(tree: Tree) -> Iterator[Finding]:
    for source in tree.in_slices():
        if not source.is_store:
            for line in sorted({*_calls(source), *_statements(source)}):
                yield Finding(source, line, "a statement belongs into the slice's store")


def _calls(source: Source) -> Iterator[int]:
    for call, name in source.calls():
        owner, _, method = name.rpartition(".")
        if method in METHODS and owner.rpartition(".")[2] == "db":
            yield call.lineno


def _statements(source: Source) -> Iterator[int]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and STATEMENT.match(str(node.value)):
            yield node.lineno
