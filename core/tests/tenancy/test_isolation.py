"""Every route, and everybody who has no business there.

Generated from the routes: a new one is covered as soon as it is declared. What a stranger gets for
a real thing must be what they get for an id that names nothing, byte for byte but for the
correlation id and the ids that they sent themselves; and nothing may change.
"""

import base64
import json
from dataclasses import dataclass
from datetime import timedelta

import httpx2
import pytest
from joserfc import jwt
from joserfc.jwk import OKPKey

from core.tests.callers import Caller
from core.tests.factories import requests
from core.tests.factories.controllers import WATCH_KEYS
from core.tests.factories.requests import NODE_KEYS, PLATFORM_KEYS, SELF_KEYS, Request
from core.tests.factories.tenancy import make_project
from core.tests.factories.tenants import Bearer, Tenant, make_tenant, mint
from core.tests.site import Rows, Site
from moorage_core.http.routing import PUBLIC, RouteSpec
from moorage_core.kit import tokens

NAME_PLATES = {"get_org"}
"""Those who run the platform see that an org exists and what it is called."""
THE_PLATFORMS_TO_SEE = {"org", "user", "provider", "token", "session", "node", "enrolment"}
"""People and how they sign in are the platform's, machines are, and the records about them."""
THE_ORGS = {"org", "source", "login"}
"""What belongs to an org as a whole is seen from all of its projects."""
WHOSE = {"list_logins": {"user"}}
"""By route: whose what belongs to an org is, to those who see it."""
SHOWN_TO_ALL = {
    "family",
    "channel",
    "stream",
    "region",
    "sku",
    "region_slug",
    "sku_slug",
    "user_code",
}
"""What the platform itself shows to everybody who is signed in; some are but three words."""
SESSIONS_ALONE = {"approve_device_code", "deny_device_code"}
"""Routes that take no token, whatever it names."""
NO_NAME = {"consent"}
"""Digests of what an app asks for: apps that ask for the same have the same."""
_ADMISSION = {"app", "slug"}
ADMITTED = {"get_admission": _ADMISSION, "list_admissions": _ADMISSION}
"""By route: what those who run the platform see of a tenant's things, because they let them in."""
HOLDING = {"get_node": {"allocation"}, "list_nodes": {"allocation"}}
"""By route: the ids of what tenants hold of the platform's own machines."""
RECORDED = {"list_audit_entries": _ADMISSION, "list_events": _ADMISSION}
"""By route: the same, as it is on record that they did."""
PROTECTED = requests.routes(public=False)
REFERRING = [spec for spec in PROTECTED if requests.references(spec)]
NESTED = [
    spec
    for spec in PROTECTED
    if len(requests.names(spec)) > 1 and requests.names(spec)[-1] not in SHOWN_TO_ALL
]


@dataclass(frozen=True)
class Town:
    """A tenant, and those around it."""

    site: Site
    acme: Tenant
    rival: Tenant
    stranger: Caller
    """Tenant admin of another org."""
    neighbour: Caller
    """Project admin of another project of the same org."""
    robot: Caller
    """A service account of that other project, with all that one can hold."""
    root: Caller
    """Platform admin."""
    agent: Caller
    """Of a node that the other tenant holds."""
    nobodies: dict[str, Caller]
    """Callers that no credential proves."""


@pytest.fixture(scope="module", params=["ENABLE", "DISABLE"], ids=["both walls", "code alone"])
async def town(site: Site, request: pytest.FixtureRequest) -> Town:
    """Once as it is, and once with row-level security switched off: each wall stands by itself."""
    for (table,) in await site.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"):
        await site.rows(f"ALTER TABLE {table} {request.param} ROW LEVEL SECURITY")
    acme = await (await make_tenant(site)).fill()
    rival = await (await make_tenant(site)).fill()
    beta = await make_project(site.sql, acme.org, "beta")
    next_door = await Tenant(site, acme.org, beta, acme.admin).fill()
    expired = await site.actor("tenant_admin", org=acme.org, expires_in=timedelta(days=-1))
    return Town(
        site=site,
        acme=acme,
        rival=rival,
        stranger=rival.admin,
        neighbour=await site.actor("project_admin", project=beta),
        robot=await mint(next_door),
        root=await site.actor("platform_admin"),
        agent=await requests.agent_of(rival),
        nobodies={
            "anonymous": Caller(site.client, None),
            "expired": expired,
            "invented token": Bearer(site.client, tokens.new(tokens.ACCESS_TOKEN)),
            "invented session": Bearer(site.client, tokens.new(tokens.SESSION)),
            "signed by somebody else": Bearer(site.client, _forged(site, acme)),
            "signed by nobody": Bearer(site.client, _unsigned(site, acme)),
        },
    )


def _claims(site: Site, tenant: Tenant) -> dict[str, object]:
    url = site.platform.settings.url
    now = int(site.platform.clock.now().timestamp())
    return {
        "iss": url,
        "aud": url,
        "sub": tenant.ids["account"],
        "key": tenant.ids["key"],
        "iat": now,
        "exp": now + 600,
    }


def _forged(site: Site, tenant: Tenant) -> str:
    """Everything right but the key that signed."""
    published = site.platform.keyset.published(site.platform.clock.now())
    header = {"alg": "Ed25519", "kid": published[0].id if published else "none", "typ": "at+jwt"}
    key = OKPKey.generate_key("Ed25519")
    return jwt.encode(header, _claims(site, tenant), key, algorithms=["Ed25519"])


def _unsigned(site: Site, tenant: Tenant) -> str:
    parts = ({"alg": "none", "typ": "at+jwt"}, _claims(site, tenant))
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in parts]
    return (b".".join(encoded) + b".").decode()


def id_of(spec: RouteSpec) -> str:
    return spec.label


@pytest.mark.parametrize("spec", requests.routes(), ids=id_of)
def test_a_route_asks_for_a_key_or_says_why_it_is_public(spec: RouteSpec) -> None:
    assert spec.key, f"{spec.label} declares no permission key"
    assert (spec.key == PUBLIC) == bool(spec.why_public)
    assert not (spec.key == PUBLIC and spec.kind == "mutation"), "a change needs somebody to note"


@pytest.mark.parametrize("spec", PROTECTED, ids=id_of)
async def test_without_a_valid_credential_a_route_says_only_that(
    town: Town, spec: RouteSpec
) -> None:
    before = await _everything(town.site)
    request = requests.build(spec, town.acme.ids)

    for name, nobody in town.nobodies.items():
        answer = await request.send(nobody)

        assert answer.status_code == 401, f"{name}: {answer.text}"
        assert answer.json()["code"] == "unauthenticated", name
        assert answer.headers["www-authenticate"].startswith("Bearer"), name
    assert await _everything(town.site) == before


@pytest.mark.rule("ER-4")
@pytest.mark.parametrize("who", ["stranger", "neighbour", "robot", "root"])
@pytest.mark.parametrize("spec", REFERRING, ids=id_of)
async def test_foreign_things_look_like_things_that_do_not_exist(
    town: Town, spec: RouteSpec, who: str
) -> None:
    if _is_their_own_business(spec, who):
        return
    caller: Caller = getattr(town, who)
    before = await _everything(town.site)
    real, none = town.acme.ids, requests.random_ids(spec)
    none |= {name: real[name] for name in SHOWN_TO_ALL if name in real}
    if not requests.names(spec) and who in ("neighbour", "robot"):
        # Their own org with a project that is not theirs, against one that is not there.
        none["org"] = real["org"]

    for_real = await _send(town.site, requests.build(spec, real, narrow=True), caller)
    for_none = await _send(town.site, requests.build(spec, none, narrow=True), caller)

    assert _masked(for_real, real) == _masked(for_none, none)
    assert for_real.status_code in _refusals(spec, who), for_real.text
    assert await _everything(town.site) == before


@pytest.mark.parametrize("who", ["stranger", "neighbour", "robot", "root"])
@pytest.mark.parametrize("spec", [s for s in PROTECTED if s.kind == "read"], ids=id_of)
async def test_what_a_foreign_caller_can_read_names_nothing_foreign(
    town: Town, spec: RouteSpec, who: str
) -> None:
    caller: Caller = getattr(town, who)
    before = await _everything(town.site)
    request = requests.build(spec, town.acme.ids)
    said = request.path + str(request.query) + str(request.body)
    sent = {value for value in town.acme.ids.values() if value in said}

    answer = await _send(town.site, request, caller)

    theirs = SHOWN_TO_ALL | NO_NAME
    if who in ("neighbour", "robot"):
        theirs |= THE_ORGS | WHOSE.get(spec.name, set[str]())
    if who == "root":
        theirs |= THE_PLATFORMS_TO_SEE | (ADMITTED | HOLDING | RECORDED).get(spec.name, set[str]())
    hidden = {v for k, v in town.acme.ids.items() if k not in theirs} | {town.acme.project.slug}
    assert answer.status_code in (200, 403, 404)
    assert [value for value in hidden - sent if value in answer.text] == []
    assert await _everything(town.site) == before


@pytest.mark.parametrize("spec", NESTED, ids=id_of)
async def test_a_foreign_thing_does_not_show_behind_a_thing_of_ones_own(
    town: Town, spec: RouteSpec
) -> None:
    before = await _everything(town.site)
    *_, child = requests.names(spec)
    real = town.rival.ids | {child: town.acme.ids[child]}
    none = town.rival.ids | {child: requests.random_ids(spec)[child]}

    for_real = await requests.build(spec, real).send(town.stranger)
    for_none = await requests.build(spec, none).send(town.stranger)

    # Of one's own instance it is no secret that only its controller may say this.
    lacks = spec.key in WATCH_KEYS
    assert for_real.status_code in ({403} if lacks else _refusals(spec, "stranger"))
    assert _masked(for_real, real) == _masked(for_none, none)
    assert await _everything(town.site) == before


@pytest.mark.parametrize("spec", [s for s in PROTECTED if s.key not in NODE_KEYS], ids=id_of)
async def test_whoever_is_root_on_a_node_gets_nowhere_with_its_token(
    town: Town, spec: RouteSpec
) -> None:
    before = await _everything(town.site)

    answer = await requests.build(spec, town.rival.ids).send(town.agent)

    nothing = answer.json() == {"items": [], "next": None}
    assert answer.status_code in (403, 404) or nothing, answer.text
    assert await _everything(town.site) == before


@pytest.mark.parametrize(
    "spec", [s for s in PROTECTED if s.key in NODE_KEYS and requests.names(s)], ids=id_of
)
async def test_another_nodes_tasks_look_like_tasks_that_do_not_exist(
    town: Town, spec: RouteSpec
) -> None:
    before = await _everything(town.site)
    real, none = town.acme.ids, town.acme.ids | {"task": requests.random_ids(spec)["task"]}

    for_real = await requests.build(spec, real).send(town.agent)
    for_none = await requests.build(spec, none).send(town.agent)

    assert for_real.status_code == 404, for_real.text
    assert _masked(for_real, real) == _masked(for_none, none)
    assert await _everything(town.site) == before


async def test_another_nodes_tasks_cannot_be_reported(town: Town) -> None:
    report = {"task": town.acme.ids["task"], "fence": 1, "state": "succeeded"}
    before = await _everything(town.site)

    answer = await town.agent.post("/v1/agent/reports", {"reports": [report]})

    assert [each["outcome"] for each in answer.json()["results"]] == ["refused"]
    assert await _everything(town.site) == before


def _is_their_own_business(spec: RouteSpec, who: str) -> bool:
    """Cells of the matrix in which the thing named is not foreign to the caller."""
    named = set(requests.names(spec) or requests.narrowed_by(spec))
    if named and named <= SHOWN_TO_ALL and spec.kind == "read":
        return True
    if who == "root":
        return spec.key in PLATFORM_KEYS or spec.name in NAME_PLATES | ADMITTED.keys()
    return who in ("neighbour", "robot") and bool(named) and named <= THE_ORGS


def _refusals(spec: RouteSpec, who: str) -> set[int]:
    """404; or 403 where the caller lacks the key everywhere, whatever they name."""
    lacks = spec.key in PLATFORM_KEYS | NODE_KEYS or (who == "robot" and spec.key in SELF_KEYS)
    narrowed_list = spec.kind == "read" and not requests.names(spec)
    lacks = lacks or spec.name in SESSIONS_ALONE
    return {403} if lacks else {403, 404} if narrowed_list else {404}


async def _send(site: Site, request: Request, caller: Caller) -> httpx2.Response:
    endless = request.path.endswith("/stream")
    return await (request.peek(site, caller) if endless else request.send(caller))


def _masked(answer: httpx2.Response, ids: requests.Ids) -> tuple[int, str, dict[str, str]]:
    """An answer without what may differ."""
    headers = dict(answer.headers)
    text = answer.text.replace(headers.pop("x-correlation-id"), "<correlation>")
    # Names that apps choose have any length: it says how long the text is, and no more than that.
    if (length := headers.pop("content-length", None)) is not None:
        assert length == str(len(answer.content))
    # The long ones first: a short name may be a part of an id by chance.
    for name, value in sorted(ids.items(), key=lambda each: -len(each[1])):
        text = text.replace(value, f"<{name}>")
    return answer.status_code, text, headers


async def _everything(site: Site) -> Rows:
    """Every row of every table but what is kept of refusals."""
    return await site.everything(but=("audit_denials", "refusals"))
