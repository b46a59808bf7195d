"""`moor regions`, `moor skus` and `moor nodes`, against a real platform."""

import pytest

from cli.tests import test_catalog_pages as pages
from cli.tests.conftest import Moor
from sdk.tests import running

PAGE = "enrol-nodes.md"


@pytest.fixture
def place(admin: Moor) -> tuple[str, str]:
    """A region and a SKU, by their slugs."""
    word = running.free_port()
    region, sku = f"r{word}", f"s{word}"
    admin("regions", "create", region, "--name", "North")
    made = admin(
        *("skus", "create", sku, "--name", "Small", "--cpus", "4", "--memory", "8"),
        *("--price", "2.50", "--currency", "EUR", "-o", "json"),
    ).json()
    assert (made["price_micros"], made["memory_bytes"]) == (2_500_000, 8 << 30)
    return region, sku


@pytest.fixture
def node(admin: Moor, place: tuple[str, str]) -> str:
    region, sku = place
    name = f"n{running.free_port()}"
    made = admin(
        *("nodes", "create", name, "--region", region, "--sku", sku),
        *("--label", "rack=r12", "-o", "json"),
    ).json()
    assert (made["status"], made["labels"]) == ("enrolling", {"rack": "r12"})
    return name


def test_a_node_goes_by_its_name(admin: Moor, place: tuple[str, str], node: str) -> None:
    cordoned = admin("nodes", "cordon", node, "-o", "json").json()
    listed = admin("nodes", "list", "--region", place[0], "--status", "enrolling")
    reachable = admin("nodes", "list", "--sku", place[1], "--unreachable", "-o", "json").json()
    renamed = admin("nodes", "update", node, "--name", f"{node}b", "-o", "json").json()

    assert cordoned["cordoned"] is True
    assert node in listed.out
    assert reachable["items"] == []
    assert renamed["name"] == f"{node}b"
    assert admin("nodes", "get", node).code == 4


def test_the_line_for_a_host_is_one_line_and_stands_alone(admin: Moor, node: str) -> None:
    ran = admin("nodes", "enrol", node)

    [line] = ran.out.splitlines()
    assert line.startswith("MOORAGE_URL='http")
    assert "MOORAGE_TOKEN=moor_enr_" in line
    shown = admin("nodes", "enrolments", node, "-o", "json").json()["items"]
    assert [entry["used_at"] for entry in shown] == [None]
    assert admin("nodes", "revoke-enrolment", shown[0]["id"]).code == 0


def test_a_node_is_taken_out_with_a_reason(admin: Moor, node: str) -> None:
    aside = admin("nodes", "quarantine", node, "--reason", "it smells of smoke", "-o", "json")
    back = admin("nodes", "resume", node, "-o", "json")
    gone = admin("nodes", "retire", node, "--reason", "it burned down", "--yes", "-o", "json")

    states = [ran.json()["status"] for ran in (aside, back, gone)]
    assert states == ["quarantined", "enrolling", "retired"]
    assert aside.json()["status_reason"] == "it smells of smoke"


def test_a_region_and_a_price_change(admin: Moor, place: tuple[str, str]) -> None:
    region, sku = place

    retired = admin("regions", "update", region, "--retire", "-o", "json").json()
    dearer = admin("skus", "update", sku, "--price", "3.000001", "-o", "json").json()
    odd = admin("skus", "update", sku, "--price", "0.0000001")

    assert retired["retired_at"] is not None
    assert dearer["price_micros"] == 3_000_001
    assert odd.code == 1
    assert "not a price" in odd.err
    assert region in admin("regions", "get", region).out
    assert sku in admin("skus", "list").out


def test_a_node_is_enrolled_as_the_page_says(admin: Moor, process: Moor) -> None:
    typed = [line for line in pages.lines(PAGE) if not line.startswith("moor ca ")]
    word = running.free_port()
    renamed = {"north": f"north{word}", "h200x8": f"h{word}", "gpu-07": f"gpu{word}"}

    pages.play(process, typed, renamed, stdin="never typed")

    assert f"gpu{word}" in admin("nodes", "list", "--region", f"north{word}").out


def test_the_commands_for_the_authority_are_there(process: Moor) -> None:
    verbs = [line.split()[2] for line in pages.lines(PAGE) if line.startswith("moor ca ")]

    assert verbs == ["rotate", "status", "switch", "finish"]
    for verb in verbs:
        assert process("ca", verb, "--help").code == 0
