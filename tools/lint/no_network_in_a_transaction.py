"""Nothing calls the network while a transaction is open.

Commands, rules and stores run between BEGIN and COMMIT. A call to another machine from there holds
locks and a pooled connection for as long as a stranger likes, and it cannot be taken back when the
transaction fails. What must be asked from outside is asked before (by the route) or after (by a
sweep that found the row).
"""

from collections.abc import Iterator

from tools.lint.sources import Finding, Tree, has_prefix

INSIDE = ("commands.py", "rules.py", "store.py")
MODULES = frozenset(
    {
        "aiohttp",
        "ftplib",
        "http.client",
        "httpx2",
        "imaplib",
        "poplib",
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
        "getaddrinfo",
        "gethostbyname",
        "open_connection",
        "open_unix_connection",
        "sock_connect",
    }
)


def check(tree: Tree) -> Iterator[Finding]:
    advice = "runs inside a transaction: call the network from a route or a sweep instead"
    for source in tree.in_slices(*INSIDE):
        for line, name in source.imports():
            if has_prefix(name, MODULES):
                yield Finding(source, line, f"`{name}`: {source.place.name} {advice}")
        for call, name in source.calls():
            if name.rpartition(".")[2] in CALLS:
                yield Finding(source, call.lineno, f"`{name}()`: {source.place.name} {advice}")
