"""The client has a method for every operation of the contract, and no other."""

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from moorage import Client, Model
from moorage._operation import Operation

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def contract() -> dict[str, dict[str, Any]]:
    """The operations of the contract by id, with where they are. Those of agents are not for us."""
    document = json.loads((ROOT / "contract/openapi.json").read_text())
    return {
        operation["operationId"]: {**operation, "method": method.upper(), "path": path}
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if "agent" not in operation["tags"]
    }


def declared() -> list[tuple[str, Operation]]:
    """Every method of the client that declares an operation."""
    client = Client("https://moorage.example.org")
    return [
        (f"{group}.{name}", function.__dict__["operation"])
        for group, held in vars(client).items()
        for name, function in inspect.getmembers(type(held), inspect.isfunction)
        if "operation" in function.__dict__
    ]


def test_every_operation_has_exactly_one_method(contract: dict[str, dict[str, Any]]) -> None:
    methods = [operation.id for _, operation in declared()]

    assert sorted(methods) == sorted(contract)


def test_methods_call_what_the_contract_says(contract: dict[str, dict[str, Any]]) -> None:
    for name, operation in declared():
        promised = contract[operation.id]

        assert (operation.method, operation.path) == (promised["method"], promised["path"]), name
        assert operation.kind == promised["x-route-class"], name
        assert operation.public == (promised["x-permission"] == "public"), name


def test_every_public_method_of_a_group_is_documented() -> None:
    client = Client("https://moorage.example.org")

    bare = [
        f"{group}.{name}"
        for group, held in vars(client).items()
        if not group.startswith("_")
        for name, function in inspect.getmembers(type(held), inspect.isfunction)
        if not name.startswith("_") and not function.__doc__
    ]

    assert bare == []


def test_every_filter_of_the_contract_can_be_given(contract: dict[str, dict[str, Any]]) -> None:
    spelled = {"limit": "page_size", "type": "types"}
    for name, operation in declared():
        taken = set(inspect.signature(_function(name)).parameters)
        asked = contract[operation.id].get("parameters", [])
        query = [p["name"] for p in asked if p["in"] == "query"]

        # Lists go on by themselves, so the cursor is not for the caller.
        missing = [q for q in query if q not in taken and spelled.get(q) not in taken]
        assert set(missing) <= {"after"}, name


def test_every_field_of_a_request_can_be_given(contract: dict[str, dict[str, Any]]) -> None:
    schemas = json.loads((ROOT / "contract/openapi.json").read_text())["components"]["schemas"]
    for name, operation in declared():
        body = contract[operation.id].get("requestBody", {}).get("content", {})
        reference = body.get("application/json", {}).get("schema", {}).get("$ref", "")
        fields = schemas.get(reference.rpartition("/")[2], {}).get("properties", {})

        assert set(fields) <= _taken(_function(name)), name


def _taken(function: Any) -> set[str]:
    """What a method takes: its parameters, and the fields of those that are shapes."""
    taken = inspect.signature(function, eval_str=True).parameters
    shapes = [p.annotation for p in taken.values() if inspect.isclass(p.annotation)]
    inside = [shape.model_fields for shape in shapes if issubclass(shape, Model)]
    return {*taken, *(name for fields in inside for name in fields)}


def _function(name: str) -> Any:
    group, method = name.split(".")
    return getattr(type(vars(Client("https://moorage.example.org"))[group]), method)
