"""The platform's authority: which certificates the host holds its address against."""

import hashlib
import ssl
from pathlib import Path
from typing import Optional

from moorage_agent import durable, platform

SYSTEM = "-"
"""Stands in the pasted line where the system's own trust store is to be used."""
LONGEST = 1024 * 1024
"""No bundle of certificates is longer, in bytes."""
_BEGIN, _END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"


class WrongAuthority(Exception):
    """What was fetched is not what the line or the platform named."""


def pick(bundle: bytes, digest: str) -> bytes:
    """The one certificate of a bundle that has this SHA-256 (of its DER), as PEM."""
    for der in certificates(bundle):
        if hashlib.sha256(der).hexdigest() == digest.lower():
            return ssl.DER_cert_to_PEM_cert(der).encode()
    raise WrongAuthority(
        "The authority's certificate is not the one that the line names: somebody is in between, "
        "or the line is of another platform. Ask for a new line."
    )


def certificates(bundle: bytes) -> list[bytes]:
    """The DER of every certificate in a PEM file."""
    text = bundle.decode(errors="replace")
    blocks = [part.split(_END)[0] for part in text.split(_BEGIN)[1:]]
    try:
        return [ssl.PEM_cert_to_DER_cert(f"{_BEGIN}{block}{_END}") for block in blocks]
    except ValueError as err:
        raise WrongAuthority("The platform's ca.pem cannot be read.") from err


def digest(place: Path) -> Optional[str]:
    """The SHA-256 of the file in use; None where the system's trust store is."""
    try:
        return hashlib.sha256(place.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


def context(place: Path) -> ssl.SSLContext:
    return platform.trusting(place if place.exists() else None)


def follow(server: platform.Platform, place: Path, wanted: Optional[str]) -> None:
    """Change to the bundle that the platform names, over the connection that is trusted now.

    The new trust is tried before the old one is given up: a bundle that does not fit the server
    would cut the host off for good.
    """
    fresh = place.with_name("ca.next.pem")
    try:
        if wanted is not None:
            bundle = server.fetch("/v1/agent/ca.pem", limit=LONGEST)
            if hashlib.sha256(bundle).hexdigest() != wanted or not certificates(bundle):
                raise WrongAuthority("The ca.pem that was fetched is not the one that was named.")
            durable.write(fresh, bundle)
        candidate = platform.trusting(None if wanted is None else fresh)
        server.handshake(candidate)
        _adopt(fresh, place, wanted)
        server.trust(candidate)
    finally:
        fresh.unlink(missing_ok=True)


def _adopt(fresh: Path, place: Path, wanted: Optional[str]) -> None:
    if wanted is None:
        place.unlink(missing_ok=True)
    else:
        fresh.replace(place)
    durable.sync_folder(place.parent)
