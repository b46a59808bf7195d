"""A certificate authority of our own: made once, then it signs the server's certificates.

P-256 throughout. The authority may sign servers and nothing below itself.
"""

import ipaddress
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from moorage_core.embedded import folder
from moorage_core.embedded.errors import OperatorError

AUTHORITY_LIFE = timedelta(days=3653)
SERVER_LIFE = timedelta(days=90)
# Clocks of clients may be a little behind ours.
BACKDATE = timedelta(minutes=5)


class CertificateUnusable(OperatorError):
    """A certificate or key cannot serve."""


def make(place: Path, *, now: datetime, name: str = "ca") -> None:
    """Make the authority unless there is one. The certificate comes last: it says "complete"."""
    if (place / f"{name}.pem").exists():
        return
    key = ec.generate_private_key(ec.SECP256R1())
    # Two installations must not look alike in a browser's list of authorities.
    called = _name(f"Moorage authority {secrets.token_hex(4)}")
    made = (
        _begin(called, public=key.public_key(), now=now)
        .issuer_name(called)
        .not_valid_after(now + AUTHORITY_LIFE)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(key_cert_sign=True), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder.write_private(place / f"{name}.key", _pem_key(key))
    folder.write_private(place / f"{name}.pem", _pem(made))


def issue(place: Path, *, names: Sequence[str], now: datetime) -> None:
    """Sign a new certificate with a new key for `names`: server.key, then server.pem."""
    authority = read_chain(place / "ca.pem")[0]
    signer = read_key(place / "ca.key")
    if not isinstance(signer, ec.EllipticCurvePrivateKey):
        raise CertificateUnusable(f"{place / 'ca.key'} is not the key that we made there.")
    key = ec.generate_private_key(ec.SECP256R1())
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key())
    made = (
        _begin(_name("Moorage"), public=key.public_key(), now=now)
        .issuer_name(authority.subject)
        .not_valid_after(min(now + SERVER_LIFE, authority.not_valid_after_utc))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(digital_signature=True), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(alternatives(names)), critical=False)
        .add_extension(issuer, critical=False)
        .sign(signer, hashes.SHA256())
    )
    folder.write_private(place / "server.key", _pem_key(key))
    folder.write_private(place / "server.pem", _pem(made) + _pem(authority))


BUNDLED = ("ca.pem", "ca.next.pem", "ca.previous.pem")
"""What agents may hold the server's certificate against, while the authority is changed too."""
Mark = tuple[tuple[int, int] | None, ...]


def bundle(place: Path) -> bytes:
    """Every certificate of ours that agents should trust now, as one PEM file.

    In the order of their bytes: when one takes the other's place, the file stays the same.
    """
    found = {path.read_bytes() for name in BUNDLED if (path := place / name).exists()}
    return b"".join(sorted(found))


def mark(place: Path) -> Mark:
    """Something that is other once the bundle is."""
    return tuple(_mark(place / name) for name in BUNDLED)


def _mark(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


def read_chain(path: Path) -> list[x509.Certificate]:
    """The certificates in a PEM file, the server's own first."""
    try:
        return x509.load_pem_x509_certificates(path.read_bytes())
    except (OSError, ValueError) as err:
        raise CertificateUnusable(f"{path} holds no readable certificate: {err}.") from err


def read_key(path: Path) -> PrivateKeyTypes:
    """The private key in a PEM file without a passphrase."""
    try:
        return serialization.load_pem_private_key(path.read_bytes(), password=None)
    except TypeError as err:
        raise CertificateUnusable(
            f"The key in {path} has a passphrase, and nobody is there to type it at a start. "
            "Store it without one, readable by this account alone."
        ) from err
    except (OSError, ValueError) as err:
        raise CertificateUnusable(f"{path} holds no readable private key.") from err


def alternatives(names: Sequence[str]) -> list[x509.GeneralName]:
    """Host names and addresses as a certificate writes them."""
    return [_alternative(name) for name in dict.fromkeys(names)]


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        pass
    try:
        return x509.DNSName(name.encode("idna").decode())
    except UnicodeError as err:
        raise CertificateUnusable(f"{name!r} is neither a host name nor an address.") from err


def _begin(
    subject: x509.Name, *, public: ec.EllipticCurvePublicKey, now: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATE)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
    )


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _usage(*, digital_signature: bool = False, key_cert_sign: bool = False) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=digital_signature,
        key_cert_sign=key_cert_sign,
        crl_sign=key_cert_sign,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _pem_key(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
