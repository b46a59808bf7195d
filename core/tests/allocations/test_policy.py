"""What policy says to machines: the same when asked as when enforced, in every layer."""

import itertools
from typing import Any

import pytest

from core.tests.allocations import holding
from core.tests.callers import Caller
from core.tests.factories import machines
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.policy.places import PLATFORM, written
from core.tests.site import Site

LAYERS = ("global", "tenant", "org", "project")
GPUS = 4


def documents(region: str, sku: str) -> dict[str, tuple[dict[str, Any], bool]]:
    """What a layer may say of a request for one machine, and whether that allows it."""
    return {
        "nothing": ({}, True),
        "region allowed": ({"regions": {"allow": [region]}}, True),
        "other region allowed": ({"regions": {"allow": ["elsewhere"]}}, False),
        "region denied": ({"regions": {"deny": [region]}}, False),
        "other region denied": ({"regions": {"deny": ["elsewhere"]}}, True),
        "sku allowed": ({"skus": {"allow": [sku]}}, True),
        "other sku allowed": ({"skus": {"allow": ["tiny"]}}, False),
        "sku denied": ({"skus": {"deny": [sku]}}, False),
        "other sku denied": ({"skus": {"deny": ["tiny"]}}, True),
        "enough gpus": ({"quotas": {"gpus": GPUS}}, True),
        "too few gpus": ({"quotas": {"gpus": GPUS - 1}}, False),
        "enough machines": ({"quotas": {"allocations": 1}}, True),
        "no machines": ({"quotas": {"allocations": 0}}, False),
        "kind denied": ({"operations": {"deny": ["allocate"]}}, False),
    }


NAMES = list(documents("", ""))
PAIRS = [
    (upper, lower, one, two)
    for upper, lower in itertools.combinations(LAYERS, 2)
    for one, two in itertools.product(("region denied", "sku allowed", "too few gpus"), repeat=2)
]


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


@pytest.fixture
async def root(site: Site) -> Caller:
    await site.sql.execute("DELETE FROM overlays WHERE level = 'global'")
    # Of what other tests hold, the platform's layer would count everything.
    await site.sql.execute("UPDATE allocations SET status = 'released', due_at = NULL")
    return await site.actor("platform_admin")


async def write(root: Caller, tenant: Tenant, layer: str, document: dict[str, Any]) -> None:
    where = {
        "global": (root, PLATFORM),
        "tenant": (root, f"/v1/platform/orgs/{tenant.org.id}/overlay"),
        "org": (tenant.admin, f"/v1/orgs/{tenant.org.id}/overlay"),
        "project": (tenant.admin, f"/v1/projects/{tenant.project.id}/overlay"),
    }
    caller, path = where[layer]
    await written(caller, path, document)


async def explained(tenant: Tenant, region: str, sku: str, **more: Any) -> dict[str, Any]:
    question = {
        "project": tenant.project.id,
        "operation": "allocate",
        "region": region,
        "sku": sku,
        **more,
    }
    answer = await tenant.admin.post("/v1/policy/explain", question)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def check_alike(tenant: Tenant, region: str, sku: str, **more: Any) -> bool:
    """Whether it is allowed; both answers say the same, with the same sentences."""
    count = more.get("count", 1)
    decision = await explained(tenant, region, sku, allocations=count)
    answer = await holding.ask(tenant.admin, tenant.project.id, region, sku, **more)
    if decision["allowed"]:
        assert answer.status_code == 201, answer.text
        return True
    assert (answer.status_code, answer.json()["code"]) == (403, "policy_refused")
    refusals = [v for v in decision["verdicts"] if v["allowed"] is False]
    assert [(e["location"], e["message"]) for e in answer.json()["errors"]] == [
        (verdict["layer"], verdict["sentence"]) for verdict in refusals
    ]
    assert refusals[0]["who_can_change"] in answer.json()["detail"]
    return False


@pytest.mark.rule("AL-3")
@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("name", NAMES)
async def test_what_a_layer_says_is_enforced_as_it_is_explained(
    site: Site, tenant: Tenant, root: Caller, layer: str, name: str
) -> None:
    region, sku, _ = await machines.make_pool(site, 1, gpus=GPUS)
    document, allows = documents(region, sku)[name]
    await write(root, tenant, layer, document)

    assert await check_alike(tenant, region, sku) is allows


@pytest.mark.rule("AL-3")
@pytest.mark.parametrize(("upper", "lower", "one", "two"), PAIRS)
async def test_two_layers_are_enforced_as_they_are_explained(
    site: Site, tenant: Tenant, root: Caller, upper: str, lower: str, one: str, two: str
) -> None:
    region, sku, _ = await machines.make_pool(site, 1, gpus=GPUS)
    known = documents(region, sku)
    # The lower one first: one that names what is above is refused when it is written.
    await write(root, tenant, lower, known[two][0])
    await write(root, tenant, upper, known[one][0])

    assert await check_alike(tenant, region, sku) is (known[one][1] and known[two][1])


@pytest.mark.parametrize("layer", LAYERS)
async def test_what_is_held_counts_until_it_is_given_back(
    site: Site, tenant: Tenant, root: Caller, layer: str
) -> None:
    region, sku, _ = await machines.make_pool(site, 4, gpus=GPUS)
    await write(root, tenant, layer, {"quotas": {"gpus": 2 * GPUS, "allocations": 2}})

    (first,) = await holding.held(tenant, region, sku)
    too_many = await check_alike(tenant, region, sku, count=2)
    second = await check_alike(tenant, region, sku)
    third = await check_alike(tenant, region, sku)
    await holding.release(tenant, first["id"])
    again = await check_alike(tenant, region, sku)

    assert (too_many, second, third, again) == (False, True, False, True)


async def test_what_other_projects_hold_counts_for_their_org(site: Site, root: Caller) -> None:
    tenant, stranger = await make_tenant(site), await make_tenant(site)
    region, sku, _ = await machines.make_pool(site, 2, gpus=GPUS)
    await write(root, tenant, "org", {"quotas": {"allocations": 1}})
    await holding.held(stranger, region, sku)

    member = await site.actor("project_admin", project=tenant.project)
    mine = await holding.ask(member, tenant.project.id, region, sku)

    assert mine.status_code == 201, mine.text
    decision = await explained(tenant, region, sku)
    sentences = [v["sentence"] for v in decision["verdicts"] if v["allowed"] is False]
    assert sentences == [
        f"Org {tenant.org.slug}'s layer allows 1 allocations: 1 in use, 0 left, 1 more asked for."
    ]


async def test_where_no_app_is_involved_no_layer_speaks_of_one(
    site: Site, tenant: Tenant, root: Caller
) -> None:
    decision = await explained(tenant, "eu", "h")

    said = {v["layer"]: v["allowed"] for v in decision["verdicts"]}
    assert said == {
        "catalog": None,
        "entitlement": None,
        "consent": None,
        "family": None,
        "trust": None,
        "global": True,
        "tenant": True,
        "org": True,
        "project": True,
        "entitlement_overlay": None,
    }


async def test_a_kind_that_is_about_an_app_must_name_it(tenant: Tenant) -> None:
    answer = await tenant.admin.post(
        "/v1/policy/explain", {"project": tenant.project.id, "operation": "instance.deploy"}
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "app_missing")
    assert "say which" in answer.text


async def test_a_release_is_never_refused(site: Site, tenant: Tenant, root: Caller) -> None:
    await write(root, tenant, "project", {"operations": {"allow": []}})

    answer = await tenant.admin.post(
        "/v1/policy/explain", {"project": tenant.project.id, "operation": "release"}
    )

    assert answer.json()["allowed"] is True


async def test_a_named_node_is_given_within_quotas_and_overlays_too(
    site: Site, tenant: Tenant, root: Caller
) -> None:
    region, _, (node,) = await machines.make_pool(site, 1)
    await write(root, tenant, "project", {"regions": {"deny": [region]}})

    answer = await root.post(
        f"/v1/nodes/{node}/allocations",
        {"project": tenant.project.id, "reason": "the one with the big disk"},
    )

    assert (answer.status_code, answer.json()["code"]) == (403, "policy_refused")
