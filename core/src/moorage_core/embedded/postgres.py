"""A PostgreSQL server of our own: `start` gives its URLs, whatever state the folder is in.

Postgres only; no second dialect. The server listens on a socket and on no network address.
"""

from dataclasses import dataclass, field
from pathlib import Path

from moorage_core.embedded import accounts, binaries, cluster, roles
from moorage_core.embedded import folder as folders
from moorage_core.embedded.binaries import Binaries, find_binaries
from moorage_core.embedded.errors import OperatorError
from moorage_core.embedded.folder import Folder
from moorage_core.embedded.roles import bootstrap_roles

__all__ = ["Binaries", "Server", "WrongMajor", "bootstrap_roles", "find_binaries", "find_running"]
__all__ += ["start", "stop"]


@dataclass(frozen=True)
class Server:
    """A running server. The URLs hold passwords and stay out of its `repr`."""

    folder: Folder
    binaries: Binaries
    owner_url: str = field(repr=False)
    app_url: str = field(repr=False)
    system_url: str = field(repr=False)
    super_url: str = field(repr=False)

    @property
    def data(self) -> Path:
        return self.folder.postgres


class WrongMajor(OperatorError):
    """The cluster was written by another major release of PostgreSQL."""


def start(
    folder: Folder,
    *,
    binaries: Binaries | None = None,
    fsync: bool = True,
    database: str = "moorage",
) -> Server:
    """Give a running server: adopted if it runs, started if it does not, made if there is none."""
    chosen = _choose(folder, given=binaries)
    accounts.check_reach(folder.postgres, account=folder.account, purpose="the database")
    with folders.in_turn(folder.run / "postgres.lock"):
        key = _ensure_running(folder, chosen=chosen, fsync=fsync)
    server = _server(folder, chosen=chosen, key=key, database=database)
    passwords = {role: roles.password(key, role=role) for role in roles.MADE}
    bootstrap_roles(server.super_url, passwords, database=database)
    return server


def _ensure_running(folder: Folder, *, chosen: Binaries, fsync: bool) -> bytes:
    is_new = cluster.major(folder.postgres) is None
    key = roles.load_key(folder.keys / "postgres.key", make=is_new)
    if is_new:
        secret = roles.password(key, role=roles.SUPER)
        cluster.make(folder, binaries=chosen, superuser=roles.SUPER, secret=secret, fsync=fsync)
    cluster.wait_until_settled(folder)
    if cluster.sockets_of_running(folder) is None:
        cluster.start(folder, binaries=chosen, fsync=fsync)
    return key


def find_running(folder: Folder, *, database: str = "moorage") -> Server | None:
    """The server that runs on this folder already, if one does."""
    if cluster.sockets_of_running(folder) is None:
        return None
    key = roles.load_key(folder.keys / "postgres.key", make=False)
    return _server(folder, chosen=_choose(folder, given=None), key=key, database=database)


def stop(server: Server) -> None:
    """Stop the server; open connections are ended, nothing committed is lost."""
    cluster.stop(server.folder, binaries=server.binaries)


def _choose(folder: Folder, *, given: Binaries | None) -> Binaries:
    """Programs that fit the cluster and that the database account can run."""
    written = cluster.major(folder.postgres)
    kept = folder.path / "binaries"
    try:
        found = given or find_binaries(written, kept=kept)
    except binaries.NoPostgres as err:
        if written is None:
            raise
        raise WrongMajor(_advice(folder, written=written, said=str(err))) from err
    if written is not None and written != found.major:
        said = f"The programs in {found.folder} are of PostgreSQL {found.major}."
        raise WrongMajor(_advice(folder, written=written, said=said))
    return binaries.within_reach(found, account=folder.account, kept=kept)


def _advice(folder: Folder, *, written: int, said: str) -> str:
    return (
        f"The database in {folder.postgres} was written by PostgreSQL {written}. {said} "
        f"Either install PostgreSQL {written} beside the new one; both may stay. "
        f"Or move the data: with PostgreSQL {written} installed run `moor backup FILE`, "
        "then with the new one `moor restore FILE --data NEW-FOLDER`. "
        f"Or convert {folder.postgres} in place with pg_upgrade, after a backup."
    )


def _server(folder: Folder, *, chosen: Binaries, key: bytes, database: str) -> Server:
    sockets = cluster.sockets_of_running(folder) or cluster.socket_folder(folder)

    def url(role: str) -> str:
        secret = roles.password(key, role=role)
        return roles.url(role=role, secret=secret, sockets=sockets, database=database)

    return Server(
        folder=folder,
        binaries=chosen,
        owner_url=url(roles.OWNER),
        app_url=url(roles.APP),
        system_url=url(roles.SYSTEM),
        super_url=url(roles.SUPER),
    )
