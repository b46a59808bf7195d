"""Labs do not collide."""

from ipaddress import IPv4Network

import pytest

from moorage_lab import addresses
from moorage_lab.errors import BadRequest, MachineLacks


def test_the_first_lab_takes_the_first_network() -> None:
    assert addresses.choose([IPv4Network("10.0.0.0/8")]) == 0


def test_a_lab_takes_no_network_that_is_in_use_in_any_size() -> None:
    taken = [IPv4Network("198.18.0.0/24"), IPv4Network("198.18.2.7/32")]

    chosen = addresses.choose(taken)

    assert chosen == 1
    assert addresses.choose([*taken, addresses.SUBNETS[chosen]]) == 3


def test_a_machine_whose_range_is_used_up_says_so() -> None:
    with pytest.raises(MachineLacks, match="Take a lab down"):
        addresses.choose([IPv4Network("198.16.0.0/14")])


def test_the_machine_the_hosts_and_the_silent_address_are_all_different() -> None:
    hosts = [addresses.host(3, number) for number in range(1, addresses.MOST_HOSTS + 1)]

    everybody = {addresses.machine(3), addresses.silent(3), *hosts}

    assert len(everybody) == addresses.MOST_HOSTS + 2
    assert all(address in addresses.SUBNETS[3] for address in everybody)


def test_the_longest_link_name_fits_into_the_kernels_fifteen_characters() -> None:
    last = len(addresses.SUBNETS) - 1

    names = [addresses.link(last), addresses.link(last, 200, "b")]

    assert names == ["mlab511", "mlab511-210b"]
    assert len(f"vb-{addresses.link(last, addresses.MOST_HOSTS)}") <= 15


@pytest.mark.parametrize("count", [0, -1, addresses.MOST_HOSTS + 1])
def test_a_lab_without_hosts_or_with_too_many_is_refused(count: int) -> None:
    with pytest.raises(BadRequest, match=r"1 to \d+ hosts"):
        addresses.check_count(count)


def test_a_links_name_leads_to_its_subnet_and_a_strangers_to_none() -> None:
    ours = ["mlab0", "mlab0-11", "mlab0-11b", "mlab7"]
    strangers = ["eth0", "mlab", "mlab0-eth", "xmlab0", "mlab0.5", "-1"]

    assert [addresses.subnet_of(link) for link in ours] == [0, 0, 0, 7]
    assert {addresses.subnet_of(link) for link in strangers} == {-1}
