"""Every query in a store takes the tenant it works for.

Row-level security is the second wall, not the first. A store function without an org, project or
scope in its signature cannot name the tenant in its WHERE, and nobody who calls it has to think of
one. Where a statement truly belongs to no tenant (a lock, a sequence, a look-up by an unguessable
digest), the docstring says so in a line `Tenant-less: <reason>`, and the reason is reviewed.
"""

import ast
import re
from collections.abc import Iterator

from tools.lint.sources import Finding, Tree

TENANTS = frozenset({"org", "orgs", "project", "projects", "scope"})
EXEMPT = re.compile(r"^\s*Tenant-less: \S+", re.MULTILINE)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def check(tree: Tree) -> Iterator[Finding]:
    for source in filter(lambda source: source.is_store, tree.in_slices()):
        for node in source.tree.body:
            if isinstance(node, Function) and _is_public(node) and not _names_a_tenant(node):
                yield Finding(
                    source,
                    node.lineno,
                    f"{node.name}() takes `db` but no `org`, `project` or `scope`; add one, or say"
                    " `Tenant-less: <reason>` in its docstring",
                )


def _is_public(node: Function) -> bool:
    return not node.name.startswith("_") and "db" in _arguments(node)


def _names_a_tenant(node: Function) -> bool:
    return bool(_arguments(node) & TENANTS) or bool(EXEMPT.search(ast.get_docstring(node) or ""))


def _arguments(node: Function) -> set[str]:
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return {argument.arg for argument in every}
