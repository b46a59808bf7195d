"""Where secrets are sealed and opened: in one of the stores, each with keys of its own.

Sealing happens in the transaction that keeps the row, so it never waits for a network. Opening may
ask another machine: find the row in a transaction, end that, then open.
"""

from typing import Protocol

from moorage_core.secrets.models import SealedSecret, StoreName


class StoreMissing(Exception):
    """A secret lies in a store that the settings do not name."""


class Store(Protocol):
    """What each kind of store can do."""

    def seal(self, value: bytes, *, org: str, id: str) -> SealedSecret:
        """Seal a value for a row. Asks nobody: a transaction is open."""
        ...

    async def prepare(self) -> None:
        """For whoever seals many in a row: have what the next needs. No transaction is open."""
        ...

    async def open(self, sealed: SealedSecret) -> bytes:
        """The value. May ask another machine: no transaction is open."""
        ...

    async def newest(self) -> int:
        """The version of the key that seals from now on."""
        ...

    async def rewrap(self, sealed: SealedSecret) -> SealedSecret:
        """The same secret with its own key under the newest version."""
        ...


class Custody:
    """All stores of one process.

    New secrets go to the current one; older ones open where they are.
    """

    def __init__(self, current: StoreName, stores: dict[StoreName, Store]) -> None:
        self.current: StoreName = current
        self._stores = stores

    @property
    def outside(self) -> bool:
        """Whether sealed values are to leave the database."""
        return self.current == "openbao"

    def seal(self, value: bytes, *, org: str, id: str) -> SealedSecret:
        return self._store(self.current).seal(value, org=org, id=id)

    async def prepare(self) -> None:
        await self._store(self.current).prepare()

    async def open(self, sealed: SealedSecret) -> bytes:
        return await self._store(sealed.store).open(sealed)

    async def newest(self) -> int:
        return await self._store(self.current).newest()

    async def rewrap(self, sealed: SealedSecret) -> SealedSecret:
        return await self._store(sealed.store).rewrap(sealed)

    def _store(self, name: StoreName) -> Store:
        if name not in self._stores:
            raise StoreMissing(
                f"There are secrets in the store {name}, and the settings do not say how to reach"
                " it. Set secrets.url and secrets.token_file as they were."
            )
        return self._stores[name]
