"""Where the platform lets itself be sent."""

import ipaddress

import pytest

from moorage_core.credentials import rules


@pytest.mark.parametrize("address", ["10.0.0.7", "192.168.1.1", "198.18.0.2", "fd12::7", "8.8.8.8"])
def test_machines_are_on_private_and_public_addresses(address: str) -> None:
    rules.check_address(ipaddress.ip_address(address), private=True, loopback=False)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "::1",
        "::ffff:127.0.0.1",
        "169.254.169.254",
        "::ffff:169.254.169.254",
        "fe80::1",
        "0.0.0.0",
        "224.0.0.1",
        "fd00:ec2::254",
        "100.100.100.200",
    ],
)
def test_this_machine_and_the_clouds_secrets_are_not_called(address: str) -> None:
    with pytest.raises(rules.AddressRefused):
        rules.check_address(ipaddress.ip_address(address), private=True, loopback=False)


def test_private_addresses_can_be_ruled_out() -> None:
    with pytest.raises(rules.AddressRefused):
        rules.check_address(ipaddress.ip_address("10.0.0.7"), private=False, loopback=False)


def test_a_lab_on_this_machine_can_be_allowed() -> None:
    rules.check_address(ipaddress.ip_address("127.0.0.1"), private=True, loopback=True)


@pytest.mark.parametrize(
    ("outcome", "tries", "believed"),
    [
        ("recorded", 1, True),
        ("recorded", 2, True),
        ("repeated", 2, True),
        ("repeated", 1, False),
        ("late", 2, False),
        ("refused", 1, False),
    ],
)
def test_a_word_that_was_said_twice_for_want_of_an_answer_is_taken(
    outcome: str, tries: int, believed: bool
) -> None:
    assert rules.is_believed(outcome, tries=tries) is believed
