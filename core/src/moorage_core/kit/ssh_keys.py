"""Which SSH keys are too weak to be used, by people, by credentials or by hosts. Pure."""

import asyncssh
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey

SMALLEST_RSA = 2048
INSTEAD = "Take ssh-ed25519, or RSA of 3072 bits or more."


def find_weakness(key: asyncssh.SSHKey) -> str | None:
    """Why a key is not to be used, and what would help; None where nothing is wrong with it.

    The modulus is measured, not the key as it is written: a long exponent makes that longer.
    """
    if key.get_algorithm() == "ssh-dss":
        return f"DSA keys are too weak. {INSTEAD}"
    inner = key.pyca_key
    if isinstance(inner, RSAPrivateKey | RSAPublicKey) and inner.key_size < SMALLEST_RSA:
        return (
            f"An RSA key of {inner.key_size} bits is too weak: it needs {SMALLEST_RSA} bits "
            f"at least. {INSTEAD}"
        )
    return None
