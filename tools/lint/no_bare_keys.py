"""A permission or an event is named by its constant, not spelled out again.

A key that is typed twice is misspelled once, and a misspelled permission is a door that never opens
or never closes. The enum and the event registry are the only places where the strings stand; there
a reader finds all of them, and a renamed one breaks the build instead of the behaviour.
"""

import ast
import re
from collections.abc import Iterator

from tools.lint.sources import Finding, Source, Tree

HOMES = {
    "authz/permissions.py": "the Permission enum",
    "events/registry.py": "the event registry",
}
KEY = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*){2,}")


def check(tree: Tree) -> Iterator[Finding]:
    known = _known_keys(tree)
    for source in tree.core():
        if str(source.place) in HOMES:
            continue
        for node in _strings(source):
            if home := known.get(node.value):
                yield Finding(source, node.lineno, f'"{node.value}" stands in {home}: use it')


def _known_keys(tree: Tree) -> dict[object, str]:
    return {
        node.value: HOMES[str(source.place)]
        for source in tree.core()
        if str(source.place) in HOMES
        for node in _strings(source)
    }


def _strings(source: Source) -> Iterator[ast.Constant]:
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if KEY.fullmatch(node.value):
            yield node
