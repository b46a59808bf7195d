"""What versions said when they were published. It never changes, so a process reads it once.

Every verb on an instance asks for a manifest, and every decision of policy for a declaration. Both
are large. Whether somebody may see a version is never asked here: whoever asks has found it.
"""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from moorage_core.catalog import store
from moorage_core.kit.db import Db
from moorage_manifest import Manifest

KEPT = 500
"""Versions, the last that were asked for."""

T = TypeVar("T")


class _Kept(Generic[T]):
    def __init__(self) -> None:
        self._by_version: OrderedDict[str, T] = OrderedDict()

    def find(self, version: str) -> T | None:
        if version in self._by_version:
            self._by_version.move_to_end(version)
        return self._by_version.get(version)

    def keep(self, version: str, value: T) -> T:
        self._by_version[version] = value
        if len(self._by_version) > KEPT:
            self._by_version.popitem(last=False)
        return value


class Published:
    """The texts of published versions that this process has read. Nobody changes what it gives."""

    def __init__(self) -> None:
        self._documents = _Kept[Mapping[str, Any]]()
        self._manifests = _Kept[Manifest]()
        self._declarations = _Kept[tuple[str, dict[str, Any]]]()

    async def document(self, db: Db, version: str) -> Mapping[str, Any]:
        """The manifest as JSON."""
        found = self._documents.find(version)
        if found is None:
            read = await store.manifest_of(db, version)
            assert read is not None, "whoever asks has found a published version"
            found = self._documents.keep(version, read)
        return found

    async def manifest(self, db: Db, version: str) -> Manifest:
        found = self._manifests.find(version)
        if found is None:
            document = await self.document(db, version)
            found = self._manifests.keep(version, Manifest.model_validate(document))
        return found

    async def declarations(self, db: Db, *versions: str) -> dict[str, dict[str, Any]]:
        """What versions ask for, by the digest of it."""
        found = {version: self._declarations.find(version) for version in versions}
        new = sorted(version for version, each in found.items() if each is None)
        if new:
            for version, digest, declaration in await store.list_declarations(db, new):
                found[version] = self._declarations.keep(version, (digest, declaration))
        return dict(each for each in found.values() if each is not None)
