"""The embedded store: a master key in a file seals each secret's own key; the row has the rest."""

import dataclasses

from moorage_core.secrets import envelope
from moorage_core.secrets.keyring import Keyring
from moorage_core.secrets.models import SealedSecret


class EmbeddedStore:
    def __init__(self, ring: Keyring) -> None:
        self._ring = ring

    def seal(self, value: bytes, *, org: str, id: str) -> SealedSecret:
        version = self._ring.newest
        wrapped, ciphertext = envelope.seal(
            value, master=self._ring.key(version), bound_to=f"{org}/{id}"
        )
        return SealedSecret(id, org, "embedded", version, wrapped, ciphertext)

    async def prepare(self) -> None:
        """Its keys are here already."""

    async def open(self, sealed: SealedSecret) -> bytes:
        return self.unseal(sealed)

    def unseal(self, sealed: SealedSecret) -> bytes:
        assert sealed.ciphertext is not None, "an embedded secret lies in its row"
        master = self._ring.key(sealed.key_version)
        return envelope.unseal(
            sealed.wrapped_key, sealed.ciphertext, master=master, bound_to=sealed.bound_to
        )

    async def newest(self) -> int:
        return self._ring.reread()

    async def rewrap(self, sealed: SealedSecret) -> SealedSecret:
        version = self._ring.newest
        key = envelope.unwrap(
            sealed.wrapped_key, master=self._ring.key(sealed.key_version), bound_to=sealed.bound_to
        )
        wrapped = envelope.wrap(key, master=self._ring.key(version), bound_to=sealed.bound_to)
        return dataclasses.replace(sealed, key_version=version, wrapped_key=wrapped)
