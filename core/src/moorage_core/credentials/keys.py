"""SSH keys: made, read, shown by their fingerprint. Slow for some kinds: not in a transaction."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

import asyncssh

from moorage_core.credentials import rules
from moorage_core.kit import ssh_keys

KIND = "ssh-ed25519"


@dataclass(frozen=True)
class KeyPair:
    public: str
    fingerprint: str
    private: bytes = field(repr=False)


def make() -> KeyPair:
    generate = cast("Callable[[str], asyncssh.SSHKey]", asyncssh.generate_private_key)
    return _pair(generate(KIND))


def read(text: str) -> KeyPair:
    """A key that somebody gives us. A refusal never repeats it."""
    try:
        key = asyncssh.import_private_key(text)
    except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError, ValueError) as err:
        if "passphrase" in str(err).lower():
            raise rules.KeyUnusable(
                "The key has a passphrase, which nobody can type here. Give one without: "
                "ssh-keygen -p -N '' makes it so."
            ) from err
        raise rules.KeyUnusable("This is not a private key in OpenSSH's or PEM form.") from err
    weakness = ssh_keys.find_weakness(key)
    if weakness is not None:
        raise rules.KeyUnusable(weakness)
    return _pair(key)


def fingerprint(public: str) -> str:
    return asyncssh.import_public_key(public).get_fingerprint("sha256")


def spell(key: asyncssh.SSHKey) -> str:
    """A public key as it is kept: kind and key, without comment."""
    return " ".join(key.export_public_key("openssh").decode().split()[:2])


def _pair(key: asyncssh.SSHKey) -> KeyPair:
    return KeyPair(spell(key), key.get_fingerprint("sha256"), key.export_private_key("openssh"))
