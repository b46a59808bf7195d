"""Certificates for the API: from an authority of our own, or given ones that are checked.

The authority is made at the first start and kept for ten years; people give its certificate to
their clients once. The server's certificate lives for 90 days and is made again, with a new key,
when a third of that is left or when it lacks a name. Nothing here decides *whether* TLS is on.
"""

import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes

from moorage_core.embedded import authority
from moorage_core.embedded.authority import CertificateUnusable

RENEW_BEFORE = timedelta(days=30)
# Documentation addresses: no packet is sent, the kernel only says what it would send from.
FAR_AWAY = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))


@dataclass(frozen=True)
class Certificate:
    """What the server needs to speak TLS: a chain and its key, as files."""

    chain: Path
    key: Path
    expires: datetime
    authority: Path | None = None


def own(place: Path, *, names: Sequence[str], now: datetime) -> Certificate:
    """A certificate of our own authority for `names`; both are made where they are missing."""
    authority.make(place, now=now)
    renew_if_needed(place, names=names, now=now)
    chain = place / "server.pem"
    expires = authority.read_chain(chain)[0].not_valid_after_utc
    return Certificate(chain, place / "server.key", expires, authority=place / "ca.pem")


def given(chain: Path, key: Path, *, now: datetime) -> Certificate:
    """A certificate from elsewhere, refused unless it fits its key and is valid now."""
    leaf = authority.read_chain(chain)[0]
    if not _fits(leaf, key=key):
        raise CertificateUnusable(f"The key in {key} does not belong to the certificate {chain}.")
    if now < leaf.not_valid_before_utc:
        begins = f"{leaf.not_valid_before_utc:%Y-%m-%d %H:%M} UTC"
        raise CertificateUnusable(f"The certificate {chain} is valid only from {begins} on.")
    if now >= leaf.not_valid_after_utc:
        ended = f"{leaf.not_valid_after_utc:%Y-%m-%d %H:%M} UTC"
        raise CertificateUnusable(f"The certificate {chain} ended on {ended}. Renew it.")
    return Certificate(chain, key, leaf.not_valid_after_utc)


def renew_if_needed(place: Path, *, names: Sequence[str], now: datetime) -> bool:
    """Make the server's certificate again if it ends soon, lacks a name or does not fit."""
    if _serves(place, names=names, now=now):
        return False
    ends = authority.read_chain(place / "ca.pem")[0].not_valid_after_utc
    if now >= ends - RENEW_BEFORE:
        raise CertificateUnusable(
            f"Our certificate authority in {place} ends on {ends:%Y-%m-%d}. Change it: "
            "`moor ca rotate`, `moor ca switch`, `moor ca finish`; hand the new ca.pem to clients."
        )
    authority.issue(place, names=names, now=now)
    return True


def fingerprint(certificate: Path) -> str:
    """The SHA-256 digest of a certificate in lower-case hex, as clients compare it."""
    return authority.read_chain(certificate)[0].fingerprint(hashes.SHA256()).hex()


def names_for(host: str, *, further: Sequence[str]) -> tuple[str, ...]:
    """What a certificate for a server on `host` should be valid for."""
    names = ["localhost", "127.0.0.1", "::1", *further]
    if is_everywhere(host):
        names += [socket.gethostname(), *_outward_addresses()]
    else:
        names.append(host)
    return tuple(dict.fromkeys(names))


def is_everywhere(host: str) -> bool:
    """Whether listening on `host` means listening on every address."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def _outward_addresses() -> list[str]:
    found: list[str] = []
    for family, address in FAR_AWAY:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((address, 9))
                found.append(str(probe.getsockname()[0]))
        except OSError:
            continue
    return found


def _serves(place: Path, *, names: Sequence[str], now: datetime) -> bool:
    wanted = set(authority.alternatives(names))
    try:
        leaf = authority.read_chain(place / "server.pem")[0]
        leaf.verify_directly_issued_by(authority.read_chain(place / "ca.pem")[0])
        has = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        is_fitting = _fits(leaf, key=place / "server.key")
    except (CertificateUnusable, InvalidSignature, ValueError, TypeError, x509.ExtensionNotFound):
        return False
    is_fresh = leaf.not_valid_before_utc <= now < leaf.not_valid_after_utc - RENEW_BEFORE
    return is_fresh and is_fitting and wanted <= set(has)


def _fits(certificate: x509.Certificate, *, key: Path) -> bool:
    return authority.read_key(key).public_key() == certificate.public_key()
