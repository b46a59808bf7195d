"""Whose address counts, with and without proxies in between."""

import ipaddress

import pytest

from moorage_core.kit.addresses import caller

PROXIES = [ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("fd00::/8")]


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("192.0.2.7", "", "192.0.2.7"),
        ("192.0.2.7", "198.51.100.1", "192.0.2.7"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "6.6.6.6, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "nonsense", "unknown"),
        ("fd00::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("::ffff:192.0.2.7", "", "192.0.2.7"),
        ("", "", "unknown"),
    ],
)
def test_the_nearest_address_that_is_no_proxy_of_ours_counts(
    peer: str, forwarded: str, expected: str
) -> None:
    assert caller(peer, forwarded, PROXIES) == expected


def test_without_trusted_proxies_nothing_forwarded_is_believed() -> None:
    assert caller("10.0.0.1", "198.51.100.1", []) == "10.0.0.1"
