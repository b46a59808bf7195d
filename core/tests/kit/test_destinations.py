"""Which addresses are public, and which hosts are this machine. Spelling: webhooks and sources."""

import ipaddress

import pytest

from moorage_core.kit import destinations


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("0.0.0.0", False),
        ("10.1.2.3", False),
        ("100.64.0.1", False),
        ("127.0.0.1", False),
        ("169.254.169.254", False),
        ("172.31.255.255", False),
        ("192.0.0.1", False),
        ("192.0.2.1", False),
        ("192.168.0.1", False),
        ("198.18.0.1", False),
        ("203.0.113.1", False),
        ("224.0.0.1", False),
        ("239.1.1.1", False),
        ("240.0.0.1", False),
        ("255.255.255.255", False),
        ("8.8.8.8", True),
        ("::", False),
        ("::1", False),
        ("::8.8.8.8", False),
        ("::ffff:10.0.0.1", False),
        ("::ffff:8.8.8.8", True),
        ("64:ff9b::10.0.0.1", False),
        ("64:ff9b::8.8.8.8", True),
        ("64:ff9b:1::8.8.8.8", False),
        ("100::1", False),
        ("2001::1", False),
        ("2001:db8::1", False),
        ("2002:7f00:1::1", False),
        ("2002:808:808::1", False),
        ("3fff::1", False),
        ("5f00::1", False),
        ("fc00::1", False),
        ("fe80::1", False),
        ("fec0::1", False),
        ("ff0e::1", False),
        ("2606:4700::1", True),
    ],
)
def test_only_addresses_of_the_public_internet_are_public(address: str, public: bool) -> None:
    assert destinations.is_public(ipaddress.ip_address(address)) is public


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("localhost", True),
        ("a.localhost", True),
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("10.0.0.1", False),
        ("localhost.example", False),
        ("example.org", False),
    ],
)
def test_loopback_is_this_machine(host: str, here: bool) -> None:
    assert destinations.is_this_machine(host) is here
