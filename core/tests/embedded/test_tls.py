"""Certificates: our own authority, renewal, and given files that are checked."""

import ipaddress
import ssl
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.x509 import verification

from moorage_core.embedded import authority, tls

NOW = datetime(2030, 5, 1, 12, tzinfo=UTC)
NAMES = ("moor.example", "10.0.0.7", "localhost")


def leaf(place: Path) -> x509.Certificate:
    return authority.read_chain(place / "server.pem")[0]


def trusts(place: Path, *, name: x509.DNSName | x509.IPAddress, at: datetime) -> bool:
    """What a strict client with our authority in its store says."""
    store = verification.Store(authority.read_chain(place / "ca.pem"))
    verifier = verification.PolicyBuilder().store(store).time(at).build_server_verifier(name)
    try:
        verifier.verify(leaf(place), [])
    except verification.VerificationError:
        return False
    return True


def test_a_client_with_our_authority_trusts_each_name(tmp_path: Path) -> None:
    tls.own(tmp_path, names=NAMES, now=NOW)

    assert trusts(tmp_path, name=x509.DNSName("moor.example"), at=NOW)
    assert trusts(tmp_path, name=x509.IPAddress(ipaddress.ip_address("10.0.0.7")), at=NOW)
    assert not trusts(tmp_path, name=x509.DNSName("other.example"), at=NOW)


def test_openssl_accepts_chain_and_key(tmp_path: Path) -> None:
    made = tls.own(tmp_path, names=NAMES, now=datetime.now(UTC))

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made.chain, made.key)
    ssl.create_default_context(cafile=str(made.authority))

    assert tls.given(made.chain, made.key, now=datetime.now(UTC)).expires == made.expires


def test_every_file_is_closed_to_others(tmp_path: Path) -> None:
    tls.own(tmp_path, names=NAMES, now=NOW)

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}

    assert modes == dict.fromkeys(("ca.key", "ca.pem", "server.key", "server.pem"), 0o600)


def test_a_second_start_keeps_authority_and_certificate(tmp_path: Path) -> None:
    first = tls.own(tmp_path, names=NAMES, now=NOW)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}

    second = tls.own(tmp_path, names=NAMES, now=NOW + timedelta(days=1))

    assert second == first
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_certificate_that_ends_soon_is_renewed_with_a_new_key(tmp_path: Path) -> None:
    tls.own(tmp_path, names=NAMES, now=NOW)
    key, print_of_authority = (
        (tmp_path / "server.key").read_bytes(),
        tls.fingerprint(tmp_path / "ca.pem"),
    )
    later = NOW + timedelta(days=61)

    renewed = tls.renew_if_needed(tmp_path, names=NAMES, now=later)

    assert renewed
    assert (tmp_path / "server.key").read_bytes() != key
    assert tls.fingerprint(tmp_path / "ca.pem") == print_of_authority
    assert leaf(tmp_path).not_valid_after_utc == later + timedelta(days=90)


def test_a_further_name_renews_and_a_name_less_does_not(tmp_path: Path) -> None:
    tls.own(tmp_path, names=NAMES, now=NOW)

    assert not tls.renew_if_needed(tmp_path, names=NAMES[:1], now=NOW)
    assert tls.renew_if_needed(tmp_path, names=[*NAMES, "bücher.example"], now=NOW)
    assert trusts(tmp_path, name=x509.DNSName("xn--bcher-kva.example"), at=NOW)


@pytest.mark.parametrize("damaged", ["server.pem", "server.key"])
def test_a_damaged_file_is_made_again(tmp_path: Path, damaged: str) -> None:
    tls.own(tmp_path, names=NAMES, now=NOW)
    (tmp_path / damaged).write_text("not a certificate")

    made = tls.own(tmp_path, names=NAMES, now=NOW)

    assert tls.given(made.chain, made.key, now=NOW).expires == made.expires


def test_an_authority_that_ends_is_named_and_never_replaced_in_silence(tmp_path: Path) -> None:
    tls.own(tmp_path, names=NAMES, now=NOW)

    with pytest.raises(tls.CertificateUnusable, match=r"authority .* ends on 2040"):
        tls.own(tmp_path, names=NAMES, now=NOW + timedelta(days=3650))


def test_an_authority_whose_key_is_elsewhere_serves_on_but_signs_nothing(tmp_path: Path) -> None:
    tls.own(tmp_path, names=NAMES, now=NOW)
    (tmp_path / "ca.key").unlink()

    made = tls.own(tmp_path, names=NAMES, now=NOW)

    assert made.authority == tmp_path / "ca.pem"
    with pytest.raises(tls.CertificateUnusable, match=r"ca\.key"):
        tls.own(tmp_path, names=[*NAMES, "new.example"], now=NOW)


def test_a_given_certificate_must_fit_its_key(tmp_path: Path) -> None:
    one = tls.own(_folder(tmp_path / "one"), names=NAMES, now=NOW)
    other = tls.own(_folder(tmp_path / "other"), names=NAMES, now=NOW)

    with pytest.raises(tls.CertificateUnusable, match="does not belong"):
        tls.given(one.chain, other.key, now=NOW)


def test_a_given_certificate_must_be_valid_now(tmp_path: Path) -> None:
    made = tls.own(tmp_path, names=NAMES, now=NOW)

    with pytest.raises(tls.CertificateUnusable, match="ended on 2030-07-30"):
        tls.given(made.chain, made.key, now=NOW + timedelta(days=90))
    with pytest.raises(tls.CertificateUnusable, match="valid only from"):
        tls.given(made.chain, made.key, now=NOW - timedelta(days=1))


def test_a_given_key_with_a_passphrase_is_refused(tmp_path: Path) -> None:
    made = tls.own(tmp_path, names=NAMES, now=NOW)
    locked = authority.read_key(made.key).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"word"),
    )
    made.key.write_bytes(locked)

    with pytest.raises(tls.CertificateUnusable, match="has a passphrase"):
        tls.given(made.chain, made.key, now=NOW)


def test_given_files_that_are_missing_or_wrong_are_named(tmp_path: Path) -> None:
    made = tls.own(tmp_path, names=NAMES, now=NOW)

    with pytest.raises(tls.CertificateUnusable, match=r"none\.pem"):
        tls.given(tmp_path / "none.pem", made.key, now=NOW)
    with pytest.raises(tls.CertificateUnusable, match=r"server\.pem holds no readable private key"):
        tls.given(made.chain, made.chain, now=NOW)


def test_the_fingerprint_is_the_digest_of_the_certificate(tmp_path: Path) -> None:
    tls.own(tmp_path, names=NAMES, now=NOW)

    assert len(tls.fingerprint(tmp_path / "ca.pem")) == 64
    assert tls.fingerprint(tmp_path / "ca.pem") != tls.fingerprint(tmp_path / "server.pem")


def test_a_server_on_every_address_names_this_machine() -> None:
    names = tls.names_for("0.0.0.0", further=["moor.example"])

    assert {"localhost", "127.0.0.1", "moor.example"} < set(names)
    assert "0.0.0.0" not in names


def test_a_server_on_one_address_names_it() -> None:
    assert "10.1.2.3" in tls.names_for("10.1.2.3", further=[])


def test_a_bad_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(tls.CertificateUnusable, match="neither a host name nor an address"):
        tls.own(tmp_path, names=["a" * 80 + ".example"], now=NOW)


def _folder(path: Path) -> Path:
    path.mkdir()
    return path
