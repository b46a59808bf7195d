"""The files that make a host."""

from pathlib import Path

from moorage_lab import files, ssh
from moorage_lab.layout import LabLayout, Places

LAB = LabLayout("lab", 0, Places(run=Path("/run/labs")))
ONE, TWO, THREE = LAB.hosts(3)


def test_a_host_knows_everybody_by_name_without_a_name_server() -> None:
    lines = files.hosts(ONE, [ONE, TWO]).splitlines()

    assert "198.18.0.11 lab-1" in lines
    assert "198.18.0.12 lab-2" in lines
    assert "198.18.0.1 lab-machine" in lines
    assert files.resolver(ONE, dead=False) == ""


def test_a_grown_lab_adds_names_and_keeps_what_others_wrote() -> None:
    before = files.hosts(ONE, [ONE, TWO]) + "203.0.113.9 somebody # lab-3 is no name here\n"

    after = files.with_names(before, [ONE, TWO, THREE])

    assert after == f"{before}198.18.0.13 lab-3\n"
    assert files.with_names(after, [ONE, TWO, THREE]) == after


def test_a_host_has_an_address_and_no_way_out() -> None:
    text = files.network(ONE)

    assert "Address=198.18.0.11/24\n" in text
    assert "Gateway" not in text


def test_a_dead_name_server_is_an_address_that_nobody_has() -> None:
    assert files.resolver(ONE, dead=True) == "nameserver 198.18.0.254\n"


def test_a_clock_is_wrong_in_either_direction() -> None:
    assert "FAKETIME=+300s" in files.clock(300)
    assert "FAKETIME=-90s" in files.clock(-90)


def test_ssh_trusts_the_labs_own_keys_and_nothing_else() -> None:
    text = ssh.config(LAB, [ONE])

    assert "StrictHostKeyChecking yes" in text
    assert "UserKnownHostsFile /run/labs/lab/known_hosts" in text
    assert "IdentitiesOnly yes" in text
    assert ssh.command(ONE, ["echo", "a b"])[-1] == "echo 'a b'"
