"""Every route is found by the words of its path, and it is the one that the framework finds."""

import re

import pytest
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from core.tests.site import Site
from moorage_core import api
from moorage_core.http.directory import Directory

ROUTES = api.routes()
MOST = 8
"""Routes of one path: its methods, and those that have a word where another has a parameter."""


async def _nobody(scope: Scope, receive: Receive, send: Send) -> None:
    raise AssertionError("nobody asks the framework here")


directory = Directory(ROUTES, _nobody)


def scope_of(route: APIRoute, path: str) -> Scope:
    method = min(route.methods or ())
    return {"type": "http", "method": method, "path": path, "headers": []}


def first(routes: list[APIRoute], scope: Scope) -> APIRoute | None:
    return next((one for one in routes if one.matches(scope)[0] is Match.FULL), None)


def test_there_are_routes() -> None:
    assert len(ROUTES) == len(api.specs()) > 100


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_a_route_is_found_as_the_framework_finds_it(route: APIRoute) -> None:
    path = re.sub(r"{\w+}", "x1", route.path)
    scope = scope_of(route, path)

    found = directory.find(path)

    assert first(found, scope) is first(ROUTES, scope) is not None
    assert len(found) <= MOST


@pytest.mark.parametrize(
    "path",
    ["/", "", "v1/orgs", "/v1", "/v1/orgs/", "//v1/orgs", "/v1/no/such", "/v1/orgs/{}/x/y"],
)
def test_a_path_that_is_no_route_is_none_here_either(path: str) -> None:
    scope = {"type": "http", "method": "GET", "path": path, "headers": []}

    assert first(directory.find(path), scope) is first(ROUTES, scope) is None


async def test_what_is_not_found_is_refused_as_before(site: Site) -> None:
    unknown = await site.client.get("/v1/no/such/address")
    wrong = await site.client.put("/v1/orgs")
    right = await site.client.get("/v1/orgs")

    assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "method_not_allowed")
    assert wrong.headers["allow"] == "GET, POST"
    assert right.status_code == 401
