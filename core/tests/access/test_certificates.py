"""Certificates as OpenSSH itself reads them, and what of a host's word is passed on."""

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncssh
import pytest

from core.tests.factories.machines import SSH_PUBLIC_KEY
from moorage_core.access import certificates, rules
from moorage_core.access.certificates import Wish
from moorage_core.access.models import Contact

NOW = datetime.now(UTC).replace(microsecond=0)


def wish(*, forwarding: bool = False) -> Wish:
    return Wish(
        serial=77,
        key_id="acg_1 corr-1",
        principal="moorage-acg_1",
        forwarding=forwarding,
        since=NOW,
        until=NOW + timedelta(minutes=5),
    )


def shown(folder: Path, certificate: str) -> str:
    """What ssh-keygen says about it."""
    file = folder / "id-cert.pub"
    file.write_text(certificate + "\n")
    command = ["ssh-keygen", "-L", "-f", str(file)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def contact(*, address: str | None = None, nics: object = None, keys: object = None) -> Contact:
    return Contact("node", address, None, nics, keys)


def test_openssh_reads_a_certificate_as_it_was_meant(tmp_path: Path) -> None:
    authority = certificates.new_key()
    key = certificates.read_public_key(SSH_PUBLIC_KEY)

    text = shown(tmp_path, certificates.sign(authority, key, wish()))

    assert "Type: ssh-ed25519-cert-v01@openssh.com user certificate" in text
    assert f"Signing CA: ED25519 {authority.get_fingerprint()}" in text
    assert 'Key ID: "acg_1 corr-1"' in text
    assert "Serial: 77" in text
    lines = [line.strip() for line in text.splitlines()]
    assert lines[lines.index("Principals:") + 1] == "moorage-acg_1"
    assert lines[lines.index("Principals:") + 2] == "Critical Options: (none)"
    assert lines[lines.index("Extensions:") + 1 :] == ["permit-pty"]


def test_forwarding_stands_in_a_certificate_only_where_it_is_granted(tmp_path: Path) -> None:
    key = certificates.read_public_key(SSH_PUBLIC_KEY)

    text = shown(tmp_path, certificates.sign(certificates.new_key(), key, wish(forwarding=True)))

    lines = [line.strip() for line in text.splitlines()]
    assert lines[lines.index("Extensions:") + 1 :] == [
        "permit-agent-forwarding",
        "permit-port-forwarding",
        "permit-pty",
    ]


def test_a_certificate_ends_when_it_should() -> None:
    key = certificates.read_public_key(SSH_PUBLIC_KEY)
    text = certificates.sign(certificates.new_key(), key, wish())

    read = asyncssh.import_certificate(text)

    assert read.public_data
    validity = subprocess.run(
        ["ssh-keygen", "-L", "-f", "-"],
        input=text,
        check=True,
        capture_output=True,
        text=True,
        env={"TZ": "UTC"},
    ).stdout
    since, until = NOW - certificates.SLOW_CLOCK, NOW + timedelta(minutes=5)
    form = "%Y-%m-%dT%H:%M:%S"
    assert f"Valid: from {since.strftime(form)} to {until.strftime(form)}" in validity


@pytest.mark.parametrize("kind", ["ed25519", "ecdsa", "rsa"])
def test_keys_that_people_have_are_certified(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "id"
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-f", str(file)], check=True)
    key = certificates.read_public_key((tmp_path / "id.pub").read_text())

    text = shown(tmp_path, certificates.sign(certificates.new_key(), key, wish()))

    assert key.get_fingerprint() in text


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        "ssh-ed25519 AAAA",
        "ssh-dss AAAAB3NzaC1kc3MAAACBAO",
        f"{SSH_PUBLIC_KEY}\n{SSH_PUBLIC_KEY}",
        f'command="rm -rf /" {SSH_PUBLIC_KEY}',
        "\x00",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
    ],
)
def test_what_is_no_public_key_is_refused(text: str) -> None:
    with pytest.raises(rules.KeyRefused):
        certificates.read_public_key(text)


def test_a_short_rsa_key_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "id"
    short = ["ssh-keygen", "-q", "-t", "rsa", "-b", "1984", "-N", "", "-f", str(file)]
    subprocess.run(short, check=True)

    with pytest.raises(rules.KeyRefused, match="2048 bits"):
        certificates.read_public_key((tmp_path / "id.pub").read_text())


def test_a_weak_host_key_is_not_passed_on() -> None:
    small = asyncssh.generate_private_key("ssh-rsa", key_size=1984).export_public_key().decode()
    plain = " ".join(SSH_PUBLIC_KEY.split()[:2])

    assert certificates.host_keys(contact(keys=[small, plain])) == [plain]


def test_a_certificate_is_not_certified_again() -> None:
    key = certificates.read_public_key(SSH_PUBLIC_KEY)
    certificate = certificates.sign(certificates.new_key(), key, wish())

    with pytest.raises(rules.KeyRefused):
        certificates.read_public_key(certificate)


def test_the_operator_s_address_comes_first_and_ipv4_before_ipv6() -> None:
    nics = [
        {"name": "lo", "addresses": ["127.0.0.1", "::1"]},
        {"name": "eth0", "addresses": ["2001:db8::7/64", "fe80::1", "198.18.0.9/24"]},
    ]

    assert certificates.addresses(contact(address="gpu-07.example.org", nics=nics)) == [
        "gpu-07.example.org",
        "198.18.0.9",
        "2001:db8::7",
    ]


@pytest.mark.parametrize(
    "nics",
    [
        None,
        7,
        "x",
        [7],
        [{"addresses": 7}],
        [{"addresses": ["-oProxyCommand=id", "fe80::1%eth0"]}],
        [{"addresses": ["::ffff:127.0.0.1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::1"]}],
    ],
)
def test_nonsense_from_a_host_is_no_address(nics: object) -> None:
    assert certificates.addresses(contact(nics=nics)) == []


def test_host_keys_lose_their_comments_and_nonsense_is_dropped() -> None:
    plain = " ".join(SSH_PUBLIC_KEY.split()[:2])
    said = [SSH_PUBLIC_KEY, plain, "ssh-ed25519 AAAA", 7, "@cert-authority * " + plain, ""]

    assert certificates.host_keys(contact(keys=said)) == [plain]
