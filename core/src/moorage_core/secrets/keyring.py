"""The master keys: files outside the database, one per version, the highest in use.

A process that meets a version it does not know reads the folder again, so a rotation needs no
restart.
"""

import re
import secrets
from pathlib import Path

from moorage_core.kit import key_files

_NAME = re.compile(r"master-(\d+)\.key")
SIZE = 32


class KeyUnknown(Exception):
    """A secret was sealed with a master key that is not in the folder."""


class Keyring:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._keys: dict[int, bytes] = {}
        self._read()

    @property
    def newest(self) -> int:
        return max(self._keys)

    def reread(self) -> int:
        """Look at the folder again; the newest version there."""
        self._read()
        return self.newest

    def key(self, version: int) -> bytes:
        if version not in self._keys:
            self._read()
        if version not in self._keys:
            raise KeyUnknown(
                f"Master key version {version} is not in {self._folder}."
                f" Restore master-{version}.key from a backup."
            )
        return self._keys[version]

    def _read(self) -> None:
        for path in self._folder.iterdir():
            match = _NAME.fullmatch(path.name)
            # Of another size: still being written, or cut off. Either way no key.
            if match and len(key := path.read_bytes()) == SIZE:
                self._keys[int(match[1])] = key
        if not self._keys:
            raise KeyUnknown(f"{self._folder} holds no master key. Restore it from a backup.")


def ensure(folder: Path) -> Keyring:
    """The keyring of a folder; a first key is made where there is none."""
    if not any(_NAME.fullmatch(path.name) for path in folder.iterdir()):
        add(folder, version=1)
    return Keyring(folder)


def add(folder: Path, *, version: int) -> Path:
    """Make a master key. Where another process was first, its key is as good."""
    path = folder / f"master-{version}.key"
    key_files.put_new(path, secrets.token_bytes(SIZE))
    return path


def add_next(folder: Path) -> Path:
    """Make the next master key: secrets are sealed with it from now on."""
    return add(folder, version=Keyring(folder).newest + 1)
