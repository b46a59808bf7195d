"""The keys that sign seals: files outside the database, so that who can write there cannot sign.

`audit-<n>.pem` holds a private Ed25519 key; the highest number signs. To rotate, put a file with
the next number beside it: the folder is read again for every seal. A retired key may be replaced by
its public half, `audit-<n>.pub`: its seals stay verifiable and nobody can sign with it.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from moorage_core.audit import seals
from moorage_core.audit.models import Seal
from moorage_core.kit import key_files

_NAME = re.compile(r"audit-(\d+)\.(pem|pub)")


class KeyUnusable(Exception):
    """A key file of the audit log is missing or damaged."""


@dataclass(frozen=True)
class AuditKeys:
    """What the folder holds. The private key stays out of its `repr`."""

    public: dict[str, bytes]
    """The 32 bytes of each public key, by key id; the oldest first."""
    signer: Ed25519PrivateKey | None = field(repr=False)

    @property
    def signer_id(self) -> str:
        """The name of the key that `sign` uses."""
        return seals.key_id(self._signer.public_key().public_bytes_raw())

    def sign(self, seal: Seal) -> Seal:
        return seal.signed(self._signer.sign(seals.text(seal).encode()))

    @property
    def _signer(self) -> Ed25519PrivateKey:
        if self.signer is None:
            raise KeyUnusable(
                "The newest key of the audit log is a public half, which cannot sign. "
                "Put the private key of the next number into the folder."
            )
        return self.signer


def read(folder: Path) -> AuditKeys:
    """The keys in the folder; none where there are none yet."""
    public: dict[str, bytes] = {}
    signer = None
    for path in _files(folder):
        key = _load(path)
        signer = key if isinstance(key, Ed25519PrivateKey) else None
        raw = (key if isinstance(key, Ed25519PublicKey) else key.public_key()).public_bytes_raw()
        public[seals.key_id(raw)] = raw
    return AuditKeys(public, signer)


def _files(folder: Path) -> list[Path]:
    """The key files in the order of their numbers; of one number the private key last."""
    named = [(match, path) for path in folder.iterdir() if (match := _NAME.fullmatch(path.name))]
    return [
        path for _, path in sorted(named, key=lambda pair: (int(pair[0][1]), pair[0][2] == "pem"))
    ]


def _load(path: Path) -> Ed25519PrivateKey | Ed25519PublicKey:
    content = path.read_bytes()
    try:
        if path.suffix == ".pub":
            key = serialization.load_pem_public_key(content)
        else:
            key = serialization.load_pem_private_key(content, password=None)
    except (ValueError, TypeError) as err:
        raise KeyUnusable(f"{path} holds no readable key. Restore it from a backup.") from err
    if not isinstance(key, Ed25519PrivateKey | Ed25519PublicKey):
        raise KeyUnusable(f"{path} holds a key of another kind; seals are signed with Ed25519.")
    return key


def add(folder: Path, *, number: int) -> Path:
    """Make a new signing key. Where another process was first, its key is as good."""
    path = folder / f"audit-{number}.pem"
    content = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    key_files.put_new(path, content)
    return path


def add_next(folder: Path) -> Path:
    """Make the next signing key: seals are signed with it from now on."""
    numbers = [int(match[1]) for p in _files(folder) if (match := _NAME.fullmatch(p.name))]
    return add(folder, number=max(numbers, default=0) + 1)


def pem(public_key: bytes) -> str:
    """A public key as OpenSSL and its relatives read it."""
    return (
        Ed25519PublicKey.from_public_bytes(public_key)
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        .decode()
    )
