"""`moor allocations`, against a real platform."""

from dataclasses import dataclass

import pytest

from cli.tests.conftest import Moor
from sdk.tests import running


@dataclass(frozen=True)
class Place:
    project: str
    region: str
    sku: str
    node: str

    @property
    def options(self) -> tuple[str, ...]:
        return ("--sku", self.sku, "--region", self.region)


@pytest.fixture
def place(admin: Moor) -> Place:
    """A project, and one host without agent that it could hold."""
    word = f"a{running.free_port()}"
    admin("orgs", "create", word, "--name", "Acme", "--admin", running.ADMIN)
    admin("projects", "create", word, "alpha", "--name", "Alpha")
    admin("regions", "create", word, "--name", "Region")
    made = admin(
        *("skus", "create", word, "--name", "Class", "--cpus", "4", "--memory", "1"),
        *("--price", "1.00", "--currency", "EUR"),
    )
    assert made.code == 0, made.err
    node = admin(
        *("nodes", "create", word, "--region", word, "--sku", word, "--reach", "ssh"),
        *("--address", "198.18.0.9", "-o", "json"),
    )
    return Place(f"{word}/alpha", word, word, node.json()["id"])


def test_a_machine_is_asked_for_shown_and_given_back(admin: Moor, place: Place) -> None:
    created = admin("allocations", "create", place.project, *place.options, "--name", "head")
    shown = admin("allocations", "get", "head", "--project", place.project, "-o", "json").json()
    renamed = admin(
        *("allocations", "update", "head", "--project", place.project),
        *("--name", "login-node", "--metadata", '{"a": 1}', "-o", "json"),
    ).json()
    evidence = admin("allocations", "evidence", shown["id"])
    released = admin("allocations", "release", shown["id"], "--yes")

    assert created.code == 0, created.err
    assert "head (" in created.out
    assert "1 of 1 nodes were free." in created.out
    assert shown["status"] == "active"
    assert (renamed["name"], renamed["metadata"]) == ("login-node", {"a": 1})
    assert "has said nothing yet" in evidence.out
    assert released.code == 0, released.err
    assert "login-node is releasing." in released.out
    assert "(estimate)" in released.out


def test_a_release_is_not_meant_by_accident(admin: Moor, place: Place) -> None:
    made = admin("allocations", "create", place.project, *place.options, "-o", "json").json()

    answer = admin("allocations", "release", made["allocations"][0]["id"])

    assert answer.code != 0
    assert "Everything on it is wiped" in answer.err


def test_an_operator_gives_a_named_node_and_takes_it_back(admin: Moor, place: Place) -> None:
    given = admin(
        *("allocations", "create-on", place.node, place.project),
        *("--reason", "the one with the big disk", "-o", "json"),
    ).json()
    id = given["allocations"][0]["id"]

    taken = admin("allocations", "force-release", id, "--reason", "it is on fire", "--yes")
    listed = admin("allocations", "list", place.project, "-o", "json").json()["items"]

    assert "is released." in taken.out
    assert [(each["id"], each["status"]) for each in listed] == [(id, "released")]


def test_metadata_that_is_no_object_is_refused_here(admin: Moor, place: Place) -> None:
    answer = admin("allocations", "create", place.project, *place.options, "--metadata", "[1]")

    assert answer.code != 0
    assert "JSON object" in answer.err


def test_policy_is_explained_for_machines_alone(admin: Moor, place: Place) -> None:
    answer = admin("policy", "explain", place.project, "-", "allocate", *place.options)

    assert answer.code == 0, answer.err
