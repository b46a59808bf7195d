"""The second store: each secret is sealed by a key of OpenBao's transit engine and lies in its KV.

The row has the sealed key, the KV engine the sealed value, and only the transit engine opens the
key: neither a copy of the database nor one of the KV engine is worth anything alone.

Sealing happens inside transactions, where nobody may be asked. So keys are fetched beforehand: a
small stock of them, each for one secret, is in memory, and is filled up in the background.
"""

import asyncio
import dataclasses
import secrets
from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from moorage_core.errors import Busy
from moorage_core.kit import endings
from moorage_core.kit.workshop import Workshop
from moorage_core.secrets import envelope
from moorage_core.secrets.models import SealedSecret
from moorage_core.secrets.openbao import DataKey, OpenBao, Unusable, version_of

T = TypeVar("T")
HANDS = 8
"""Calls to OpenBao under way at once in one process."""
AT_ONCE = 400
"""Calls under way or waiting; who comes then is told to come again."""
STOCK = 64
"""Keys kept ready in each process."""
PIECE = 4
"""Keys asked for at once."""

log = structlog.get_logger()


def away() -> Busy:
    """What callers are told. The reason is the operator's, and stands in the log."""
    return Busy("The platform's secret store cannot be used right now. Try again.", retry_after=5)


class Stock:
    """Keys that were made beforehand. Taking one never waits."""

    def __init__(self, make: Callable[[int], Awaitable[list[DataKey]]], *, size: int) -> None:
        self._make, self._size = make, size
        self._keys: list[DataKey] = []
        self._filling: asyncio.Task[None] | None = None

    @property
    def left(self) -> int:
        return len(self._keys)

    def take(self) -> DataKey:
        if len(self._keys) <= self._size // 2:
            self._fill_soon()
        if not self._keys:
            raise away()
        return self._keys.pop()

    async def fill(self) -> None:
        """Up to the size, piece by piece: takers need not wait for all of them.

        Where that cannot be done, the next taker tries again.
        """
        try:
            while (missing := self._size - len(self._keys)) > 0:
                self._keys += await self._make(min(missing, PIECE))
        except Busy:
            log.warning("secrets.no_new_keys", left=len(self._keys))

    def _fill_soon(self) -> None:
        if self._filling is None or self._filling.done():
            self._filling = asyncio.create_task(self.fill(), name="secrets.stock")

    async def close(self) -> None:
        if self._filling is not None:
            await endings.end([self._filling])


class OpenBaoStore:
    def __init__(self, server: OpenBao, *, stock: int = STOCK) -> None:
        self._server = server
        self._workshop = Workshop(
            "openbao",
            hands=HANDS,
            at_once=AT_ONCE,
            busy="Too many secrets are being opened at once. Try again.",
        )
        self.stock = Stock(self._make_keys, size=stock)

    def seal(self, value: bytes, *, org: str, id: str) -> SealedSecret:
        key = self.stock.take()
        ciphertext = envelope.encrypt(key.plain, value, f"{org}/{id}")
        entry = secrets.token_hex(8)
        return SealedSecret(id, org, "openbao", key.version, key.wrapped, ciphertext, entry)

    async def prepare(self) -> None:
        if not self.stock.left:
            await self.stock.fill()

    async def open(self, sealed: SealedSecret) -> bytes:
        key, ciphertext = await asyncio.gather(
            self._do(lambda: self._server.unwrap(sealed.wrapped_key)), self._ciphertext(sealed)
        )
        return envelope.decrypt(key, ciphertext, sealed.bound_to)

    async def _ciphertext(self, sealed: SealedSecret) -> bytes:
        if sealed.ciphertext is not None:
            return sealed.ciphertext
        return await self._do(lambda: self._server.read(sealed.place))

    async def newest(self) -> int:
        return await self._do(self._server.newest)

    async def rewrap(self, sealed: SealedSecret) -> SealedSecret:
        def rewrap() -> tuple[int, bytes]:
            wrapped = self._server.rewrap(sealed.wrapped_key)
            return version_of(wrapped.decode()), wrapped

        version, wrapped = await self._do(rewrap)
        return dataclasses.replace(sealed, key_version=version, wrapped_key=wrapped)

    async def place(self, sealed: SealedSecret) -> None:
        """Put a sealed value where it belongs."""
        value = sealed.ciphertext
        assert value is not None, "what is outside already is not put there again"
        await self._do(lambda: self._server.write(sealed.place, value))

    async def destroy(self, place: str) -> None:
        await self._do(lambda: self._server.destroy(place))

    async def renew(self) -> bool:
        return await self._do(self._server.renew)

    async def _make_keys(self, count: int) -> list[DataKey]:
        calls = (self._do(self._server.data_key) for _ in range(count))
        return await asyncio.gather(*calls)

    async def _do(self, call: Callable[[], T]) -> T:
        try:
            return await self._workshop.do(call)
        except Unusable as err:
            log.warning("secrets.openbao", problem=str(err))
            raise away() from err
