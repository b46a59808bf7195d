"""Every route is in the table, every key is somebody's, and the golden files say so."""

import itertools
from typing import Any

import pytest
from fastapi.routing import APIRoute
from starlette.routing import Route

from core.tests import golden_files
from core.tests.factories import requests
from moorage_core import api
from moorage_core.authz.permissions import Permission
from moorage_core.authz.roles import (
    GRANT_PERMISSIONS,
    NODE_PERMISSIONS,
    ROLES,
    SELF,
    SERVICE_ACCOUNT_PERMISSIONS,
    WATCH_PERMISSIONS,
    Role,
)
from moorage_core.http.routing import PUBLIC, RouteSpec
from moorage_core.main import build_api
from moorage_core.settings import Settings
from tools import gen

ASKED_INSIDE = {Permission.PLATFORM_ORG_LIST, Permission.POLICY_OVERRIDE}
"""Keys that no route declares: they widen what a route shows or does."""


def test_every_address_is_declared() -> None:
    app = build_api(Settings())
    plain = [route.path for route in app.routes if isinstance(route, Route)]
    declared = {(spec.method, spec.path) for spec in api.specs()}

    served = {
        (method, route.path)
        for routes in api.ROUTERS
        for route in routes.router.routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    }
    documented = {
        (method.upper(), path)
        for path, operations in app.openapi()["paths"].items()
        for method in operations
    }

    assert plain == [], "an address that the framework serves by itself"
    assert len(app.routes) == len(api.ROUTERS)
    assert all(isinstance(r, APIRoute) for routes in api.ROUTERS for r in routes.router.routes)
    assert served == declared == documented


def test_names_of_operations_are_unique() -> None:
    names = [spec.name for spec in api.specs()]

    assert len(names) == len(set(names))


@pytest.mark.parametrize("spec", api.specs(), ids=lambda spec: spec.label)
def test_a_route_declares_what_it_answers(spec: RouteSpec) -> None:
    operation = requests.operation(spec)
    answers = {int(status) for status in operation["responses"]}

    expected = {422, 429, 503}
    expected |= {401, 403} if spec.key != PUBLIC else set[int]()
    expected |= {400, 409, 413} if spec.kind == "mutation" else set[int]()
    expected |= {413} if spec.kind == "machine" and spec.method != "GET" else set[int]()
    expected |= {404} if _names_things(spec) else set[int]()
    assert expected <= answers
    assert operation["x-permission"] == spec.key
    assert operation["description"].endswith(".")


def _names_things(spec: RouteSpec) -> bool:
    """Whether the caller names something that may not be there. A list has filters instead."""
    return bool(requests.names(spec)) or (spec.kind == "mutation" and requests.references(spec))


@pytest.mark.parametrize("spec", api.specs(), ids=lambda spec: spec.label)
def test_every_refusal_is_a_problem_document(spec: RouteSpec) -> None:
    responses: dict[str, Any] = requests.operation(spec)["responses"]

    for status, response in responses.items():
        if int(status) >= 400:
            schema = response["content"]["application/problem+json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/Problem"}


def test_keys_are_sorted_and_spelled_alike() -> None:
    keys = [key.value for key in Permission]
    names = [key.name for key in Permission]

    assert keys == sorted(keys)
    assert names == [key.upper().replace(".", "_") for key in keys]


def test_every_key_opens_some_route() -> None:
    declared = {spec.key for spec in api.specs()} - {PUBLIC}

    assert declared <= {str(key) for key in Permission}
    assert {key for key in Permission if key not in declared} == ASKED_INSIDE


def test_every_key_is_held_by_somebody() -> None:
    of_machines = NODE_PERMISSIONS | GRANT_PERMISSIONS | WATCH_PERMISSIONS
    held = (SELF | of_machines).union(*(role.permissions for role in ROLES.values()))

    assert held == frozenset(Permission)


def test_a_role_holds_all_that_the_one_below_holds() -> None:
    order = (
        Role.VIEWER,
        Role.PROJECT_MEMBER,
        Role.PROJECT_ADMIN,
        Role.TENANT_ADMIN,
        Role.PLATFORM_ADMIN,
    )

    for lower, higher in itertools.pairwise(order):
        assert ROLES[lower].permissions < ROLES[higher].permissions


def test_what_agents_may_do_nobody_else_may() -> None:
    others = (SELF | GRANT_PERMISSIONS).union(*(role.permissions for role in ROLES.values()))

    assert not NODE_PERMISSIONS & others


def test_nothing_that_only_people_may_do_is_open_to_service_accounts() -> None:
    assert not SERVICE_ACCOUNT_PERMISSIONS & SELF
    assert ROLES[Role.PROJECT_ADMIN].permissions >= SERVICE_ACCOUNT_PERMISSIONS


def test_the_matrix_of_roles_is_as_written_down() -> None:
    golden_files.check("role_matrix.txt", gen.role_matrix())


def test_the_table_of_routes_is_as_written_down() -> None:
    golden_files.check("routes.txt", gen.route_table())
