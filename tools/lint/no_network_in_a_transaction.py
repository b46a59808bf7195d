"""Nothing calls the network while a transaction is open.

Commands, rules and stores run between BEGIN and COMMIT, and so does whatever else is given a
context or a connection. A call to another machine from there holds locks and a pooled connection
for as long as a stranger likes, and it cannot be taken back when the transaction fails. What must
be asked from outside is asked before (by the route) or after (by a sweep that found the row), by a
module that knows no transaction. One that has to know both opens its transactions itself, closes
them before it speaks, and says so in its docstring in a line `Transaction-less: <reason>`.
"""

import re
from collections.abc import Iterator

from tools.lint.sources import Finding, Source, Tree, has_prefix, is_store

OUTSIDE = frozenset({"routes.py", "sweeps.py"})
INSIDE = frozenset({"commands.py", "rules.py"})
TRANSACTIONS = frozenset({"moorage_core.context.Context", "moorage_core.kit.db.Db"})
EXEMPT = re.compile(r"^Transaction-less: \S+", re.MULTILINE)
MODULES = frozenset(
    {
        "aiohttp",
        "ftplib",
        "http.client",
        "httpx2",
        "hvac",
        "imaplib",
        "poplib",
        "requests",
        "smtplib",
        "socket",
        "ssl",
        "urllib.request",
    }
)
CALLS = frozenset(
    {
        "create_connection",
        "create_datagram_endpoint",
        "get_server_host_key",
        "getaddrinfo",
        "gethostbyname",
        "open_connection",
        "open_unix_connection",
        "sock_connect",
    }
)
CALLS_BY_FULL_NAME = frozenset({"asyncssh.connect", "asyncssh.connect_reverse", "asyncssh.listen"})


def check(tree: Tree) -> Iterator[Finding]:
    speaking = frozenset(source.module for source in tree.core() if any(_calls_out(source)))
    advice = "runs inside a transaction: call the network from a route or a sweep instead"
    for source in filter(_is_inside, tree.in_slices()):
        found = {*_calls_out(source), *_imports_of(source, speaking)}
        for line, name in sorted(found):
            yield Finding(source, line, f"`{name}`: {source.place.name} {advice}")


def _is_inside(source: Source) -> bool:
    if source.place.name in OUTSIDE or EXEMPT.search(source.docstring):
        return False
    return source.place.name in INSIDE or source.is_store or any(map(_is_of_db, source.imports()))


def _is_of_db(imported: tuple[int, str]) -> bool:
    """Whether an import is of what is at hand only while a transaction is open."""
    name = imported[1]
    return name in TRANSACTIONS or is_store(name.rpartition(".")[2])


def _calls_out(source: Source) -> Iterator[tuple[int, str]]:
    yield from ((line, name) for line, name in source.imports() if has_prefix(name, MODULES))
    for call, name in source.calls():
        if name.rpartition(".")[2] in CALLS or name in CALLS_BY_FULL_NAME:
            yield call.lineno, f"{name}()"


def _imports_of(source: Source, speaking: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Imports of modules that speak. The name of a type calls nobody."""
    return ((line, name) for line, name in source.imports() if name in speaking)
