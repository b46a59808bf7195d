"""What whoever has no credential gets from every route, whatever they send. From the routes."""

from collections import defaultdict

import pytest

from core.tests.factories import requests
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.http.test_bad_input import BAD_JSON, assert_problems
from core.tests.site import Site
from moorage_core.http.routing import RouteSpec

METHODS = {"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"}
TAKES_A_BODY = [spec for spec in requests.routes(public=False) if requests.takes_json(spec)]


@pytest.fixture(scope="module")
async def tenant(site: Site) -> Tenant:
    return await (await make_tenant(site)).fill()


def methods_by_path() -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for spec in requests.routes():
        found[spec.path].add(spec.method)
    return found


BY_PATH = methods_by_path()


@pytest.mark.parametrize("path", BY_PATH)
async def test_a_method_that_a_path_does_not_take_is_refused_with_those_that_it_does(
    site: Site, tenant: Tenant, path: str
) -> None:
    taken = BY_PATH[path]
    for method in sorted(METHODS - taken):
        answer = await site.client.request(method, path.format(**tenant.ids))

        assert answer.status_code == 405, f"{method}: {answer.text}"
        assert set(answer.headers["allow"].split(", ")) == taken, method


@pytest.mark.rule("ER-1")
@pytest.mark.parametrize("spec", TAKES_A_BODY, ids=lambda spec: spec.label)
async def test_nobody_is_told_what_is_wrong_with_a_body(
    site: Site, tenant: Tenant, spec: RouteSpec
) -> None:
    before = await site.everything()
    request = requests.build(spec, tenant.ids)

    answers = {
        name: await site.client.request(
            request.method,
            request.path,
            content=body,
            headers=request.headers | {"content-type": "application/json"},
        )
        for name, body in BAD_JSON.items()
    }

    assert_problems(answers, 401)
    assert await site.everything() == before
