"""Authorities and server certificates for tests. As the platform's, they are a little backdated."""

import hashlib
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Leaf:
    certificate: Path
    key: Path


@dataclass(frozen=True)
class Authority:
    """One certificate authority, with its key, in a folder."""

    folder: Path

    @classmethod
    def make(cls, folder: Path, *, name: str = "moorage") -> "Authority":
        folder.mkdir(parents=True)
        key = ec.generate_private_key(ec.SECP256R1())
        made = (
            _builder(name, name, key.public_key(), age=DAY)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(key, hashes.SHA256())
        )
        _write(folder / "ca.key", key)
        (folder / "ca.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
        return cls(folder)

    @property
    def pem(self) -> bytes:
        return (self.folder / "ca.pem").read_bytes()

    @property
    def digest(self) -> str:
        return hashlib.sha256(ssl.PEM_cert_to_DER_cert(self.pem.decode())).hexdigest()

    def issue(self, address: str, *, age: timedelta = DAY) -> Leaf:
        """A server certificate for an address, as old as this; it lives for a week."""
        leaf = Leaf(self.folder / f"{address}.pem", self.folder / f"{address}.key")
        key = ec.generate_private_key(ec.SECP256R1())
        signer = serialization.load_pem_private_key((self.folder / "ca.key").read_bytes(), None)
        assert isinstance(signer, ec.EllipticCurvePrivateKey)
        authority = x509.load_pem_x509_certificate(self.pem)
        issuer = str(authority.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value)
        names = x509.SubjectAlternativeName([x509.IPAddress(ip_address(address))])
        made = _builder(address, issuer, key.public_key(), age=age).add_extension(
            names, critical=False
        )
        signed = made.sign(signer, hashes.SHA256())
        _write(leaf.key, key)
        leaf.certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
        return leaf


def _builder(
    name: str, issuer: str, key: ec.EllipticCurvePublicKey, *, age: timedelta
) -> x509.CertificateBuilder:
    start = datetime.now(UTC) - age
    return (
        x509.CertificateBuilder()
        .subject_name(_name(name))
        .issuer_name(_name(issuer))
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + 7 * DAY)
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _write(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
