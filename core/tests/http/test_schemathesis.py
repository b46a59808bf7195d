"""The whole API against its own contract: generated requests, good and bad, with every check on.

As a tenant admin who names real things; what only those who run the platform may do also as one.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import strategies as st
from schemathesis.config import SchemathesisConfig
from schemathesis.python import asgi

from core.tests.callers import Caller
from core.tests.factories import requests
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site
from moorage_core.kit import pagination
from moorage_core.main import build_api, open_platform
from moorage_core.settings import Settings

CONFIG = {
    "generation": {"max-examples": 3, "deterministic": True, "database": "none"},
    # Systematic requests are thought of while tests are collected, when nobody calls yet: all that
    # they could show is a 401 or a 405. `test_nobody` asks every route for those.
    "phases": {"coverage": {"enabled": False}},
    # Told apart by code instead: see `a_good_request_is_understood`.
    "checks": {"positive_data_acceptance": {"enabled": False}},
}
ENDLESS = [spec.path for spec in requests.routes() if requests.is_stream(spec)]
ELSEWHERE = ["/v1/auth/oidc/{provider}/start", "/v1/auth/oidc/{provider}/callback"]
"""Ask a sign-in provider over the network; core/tests/oidc has one."""

BEYOND_SCHEMAS = (
    "holds \\u0000 or half of a surrogate pair",
    "name allocations, or ",
    "deadline goes with the policy deadline",
    "not a cursor of this list",
)
"""How refusals begin that no schema foretells: of text, of fields together, of other lists."""

schemathesis.openapi.format(
    "cursor", st.integers(0, 10**9).map(lambda number: pagination.encode_cursor(str(number)))
)


@schemathesis.check
def a_good_request_is_understood(ctx: Any, response: Any, case: Any) -> None:
    """A rule may refuse what the schema allows, by a code of its own. The form must be right."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    assert response.status_code not in (400, 405, 406, 411, 413, 415)
    if response.status_code == 422 and response.json()["code"] == "malformed":
        faults = response.json()["errors"]
        # Under a name that an object does not take, schemathesis puts whatever it likes.
        if not any(fault["location"].endswith("[key]") for fault in faults):
            told = [fault for fault in faults if not fault["message"].startswith(BEYOND_SCHEMAS)]
            assert told == []


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Opened in the event loop that schemathesis runs the app in."""
    async with open_platform(app.state.settings, background=False) as platform:
        app.state.platform = platform
        yield


app = build_api(Settings(), lifespan=lifespan)
config = SchemathesisConfig.from_dict(CONFIG)
whole = schemathesis.openapi.from_dict(requests.DOCUMENT, config=config)
whole.app = app
schema = whole.exclude(path=[*ENDLESS, *ELSEWHERE])
of_the_platform = schema.include(name=[spec.label for spec in requests.routes(platform=True)])


_caller: list[Caller] = []
"""Who the test that runs calls as."""


@schema.auth(refresh_interval=None)
class Proof:
    """Proves the caller in a way that schemathesis can take away again."""

    def get(self, case: Any, context: Any) -> str:
        # Asked already while tests are collected, when nobody calls yet.
        person = _caller[-1].person if _caller else None
        return person.token if person is not None else "nobody"

    def set(self, case: Any, data: str, context: Any) -> None:
        case.headers["Authorization"] = f"Bearer {data}"


@pytest.fixture(scope="module", autouse=True)
def served(site: Site) -> Iterator[None]:
    app.state.settings = site.platform.settings
    yield
    asgi.shutdown_lifespans()


@pytest.fixture(scope="module")
async def tenant(site: Site) -> Tenant:
    return await (await make_tenant(site)).fill()


@pytest.fixture(scope="module")
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


@pytest.mark.rule("ER-2")
@schema.parametrize()
def test_a_tenant_admin_meets_the_contract(case: Any, tenant: Tenant) -> None:
    for name in case.path_parameters or {}:
        case.path_parameters[name] = tenant.ids[name]

    _call(case, tenant.admin)


@of_the_platform.parametrize()
def test_a_platform_admin_meets_the_contract(case: Any, root: Caller) -> None:
    _call(case, root)


def _call(case: Any, caller: Caller) -> None:
    _caller[:] = [caller]
    if (case.query or {}).get("wait"):
        case.query["wait"] = 0
    case.call_and_validate()
