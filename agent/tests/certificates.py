"""Authorities and server certificates for tests, made by openssl as an operator would."""

import hashlib
import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path


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
        _openssl(
            "req", "-x509", *_KEY, "-keyout", str(folder / "ca.key"), "-out",
            str(folder / "ca.pem"), "-days", "30", "-subj", f"/CN={name}",
            "-addext", "keyUsage=critical,keyCertSign",
        )  # fmt: skip
        return cls(folder)

    @property
    def pem(self) -> bytes:
        return (self.folder / "ca.pem").read_bytes()

    @property
    def digest(self) -> str:
        return hashlib.sha256(ssl.PEM_cert_to_DER_cert(self.pem.decode())).hexdigest()

    def issue(self, address: str, *, span: tuple[str, str] | None = None) -> Leaf:
        """A server certificate for an address, valid for `span` (openssl's times) or for days."""
        leaf = Leaf(self.folder / f"{address}.pem", self.folder / f"{address}.key")
        request = self.folder / f"{address}.csr"
        _openssl("req", "-new", *_KEY, "-keyout", str(leaf.key), "-out", str(request),
                 "-subj", f"/CN={address}", "-addext", f"subjectAltName=IP:{address}")  # fmt: skip
        _openssl("x509", "-req", "-in", str(request), "-CA", str(self.folder / "ca.pem"),
                 "-CAkey", str(self.folder / "ca.key"), "-copy_extensions", "copy",
                 *(["-days", span[0]] if span else ["-days", "7"]),
                 "-out", str(leaf.certificate))  # fmt: skip
        return leaf


_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def _openssl(*words: str) -> None:
    subprocess.run(["openssl", *words], check=True, capture_output=True)
