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
        "64:ff9b::169.254.169.254",
        "64:ff9b::127.0.0.1",
        "64:ff9b::100.100.100.200",
        "64:ff9b:1::10.0.0.7",
        "2002:a9fe:a9fe::1",
        "2002:7f00:1::1",
        "2001:0:808:808::5601:5601",  # Teredo: 169.254.169.254 through 8.8.8.8
        "2001:0:a9fe:a9fe::f7f7:f7f7",  # Teredo: 8.8.8.8 through 169.254.169.254
        "::169.254.169.254",
        "::ffff:0:169.254.169.254",
        "fd00:ec2::254%1",
    ],
)
def test_this_machine_and_the_clouds_secrets_are_not_called(address: str) -> None:
    with pytest.raises(rules.AddressRefused):
        rules.check_address(ipaddress.ip_address(address), private=True, loopback=False)


@pytest.mark.parametrize("address", ["10.0.0.7", "64:ff9b::10.0.0.7", "2002:a00:7::1"])
def test_private_addresses_can_be_ruled_out(address: str) -> None:
    with pytest.raises(rules.AddressRefused):
        rules.check_address(ipaddress.ip_address(address), private=False, loopback=False)


@pytest.mark.parametrize("address", ["64:ff9b::8.8.8.8", "2002:808:808::1", "::ffff:8.8.8.8"])
def test_a_machine_behind_a_translator_is_judged_by_its_own_address(address: str) -> None:
    rules.check_address(ipaddress.ip_address(address), private=False, loopback=False)


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
