"""Ceilings: nobody gives a service account what they lack, and some keys no account can hold."""

import pytest

from core.tests.factories.tenants import ACCOUNT_PERMISSIONS, Bearer, Tenant, make_tenant, mint
from core.tests.site import Site, fresh
from moorage_core.authz.permissions import Permission
from moorage_core.authz.roles import SERVICE_ACCOUNT_PERMISSIONS
from moorage_core.service_accounts import rules

NARROW = ["iam.service_account.create", "iam.service_account.read", "iam.project.read"]


@pytest.fixture(scope="module")
async def tenant(site: Site) -> Tenant:
    return await (await make_tenant(site)).fill("account", "key")


def accounts_of(tenant: Tenant) -> str:
    return f"/v1/projects/{tenant.project.id}/service-accounts"


async def make(tenant: Tenant, *permissions: str) -> dict[str, str]:
    answer = await tenant.admin.post(
        accounts_of(tenant), {"name": f"r {fresh()}", "permissions": list(permissions)}
    )
    assert answer.status_code == 201, answer.text
    return answer.json()


async def act_as(tenant: Tenant, account: dict[str, str]) -> Bearer:
    """The account itself, with a token of minutes."""
    owner = Tenant(tenant.site, tenant.org, tenant.project, tenant.admin)
    owner.ids["account"] = account["id"]
    return await mint(owner)


@pytest.mark.parametrize(
    "key", [*sorted({str(key) for key in Permission} - set(ACCOUNT_PERMISSIONS)), "no.such.key"]
)
async def test_keys_beyond_a_project_are_not_for_accounts(tenant: Tenant, key: str) -> None:
    body = {"name": f"r {fresh()}", "permissions": ["iam.project.read", key]}

    answer = await tenant.admin.post(accounts_of(tenant), body)

    assert (answer.status_code, answer.json()["code"]) == (422, "permission_unknown")
    assert [fault["message"] for fault in answer.json()["errors"]] == [key]


async def test_nobody_gives_an_account_what_they_lack(tenant: Tenant) -> None:
    """An account that may make accounts, and little else, makes none that may do more."""
    maker = await make(tenant, *NARROW)
    caller = await act_as(tenant, maker)

    more = await caller.post(
        accounts_of(tenant), {"name": f"r {fresh()}", "permissions": ["iam.member.add"]}
    )
    same = await caller.post(
        accounts_of(tenant), {"name": f"r {fresh()}", "permissions": ["iam.project.read"]}
    )

    assert (more.status_code, more.json()["code"]) == (403, "beyond_ceiling")
    assert "iam.member.add" in more.json()["detail"]
    assert same.status_code == 201


async def test_nobody_takes_the_keys_of_an_account_that_may_do_more(tenant: Tenant) -> None:
    """Whoever gives an account a key can act as it."""
    strong = await make(tenant, *ACCOUNT_PERMISSIONS)
    weak = await make(tenant, "iam.service_account.manage_keys", "iam.service_account.read")
    caller = await act_as(tenant, weak)

    answer = await caller.post(f"/v1/service-accounts/{strong['id']}/keys", {})

    assert (answer.status_code, answer.json()["code"]) == (403, "beyond_ceiling")


async def test_a_project_member_makes_no_accounts(site: Site, tenant: Tenant) -> None:
    member = await site.actor("project_member", project=tenant.project)

    answer = await member.post(accounts_of(tenant), {"name": "r", "permissions": []})

    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


async def test_an_account_acts_in_its_project_alone(site: Site, tenant: Tenant) -> None:
    caller = await mint(tenant)

    own = await caller.get(f"/v1/projects/{tenant.project.id}")
    org = await caller.patch(f"/v1/orgs/{tenant.org.id}", {"name": "Mine"}, version=1)
    password = await caller.post("/v1/me/password", {"current": "x", "password": "y" * 12})

    assert own.status_code == 200
    assert org.status_code in (403, 404)
    assert (password.status_code, password.json()["code"]) == (403, "forbidden")


async def test_a_name_is_used_once_in_a_project(tenant: Tenant) -> None:
    first = await make(tenant)
    other = await make(tenant)
    taken = {"name": first["name"], "permissions": []}

    again = await tenant.admin.post(accounts_of(tenant), taken)
    renamed = await tenant.admin.patch(
        f"/v1/service-accounts/{other['id']}", {"name": first["name"]}, version=1
    )
    itself = await tenant.admin.patch(
        f"/v1/service-accounts/{first['id']}", {"name": first["name"]}, version=1
    )

    assert (again.status_code, again.json()["code"]) == (409, "name_taken")
    assert (renamed.status_code, renamed.json()["code"]) == (409, "name_taken")
    assert itself.status_code == 200


async def test_an_account_has_ten_live_keys_at_most(tenant: Tenant) -> None:
    account = await make(tenant)
    path = f"/v1/service-accounts/{account['id']}/keys"
    ids = [(await tenant.admin.post(path, {})).json()["id"] for _ in range(rules.KEYS_AT_MOST)]

    refused = await tenant.admin.post(path, {})
    await tenant.admin.delete(f"{path}/{ids[0]}")
    accepted = await tenant.admin.post(path, {})

    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_keys")
    assert accepted.status_code == 201


@pytest.mark.parametrize(
    "key",
    [
        {"kty": "OKP", "crv": "Ed25519", "x": "short"},
        {"kty": "OKP", "crv": "X25519", "x": "A" * 43},
        {"kty": "RSA", "n": "AQAB", "e": "AQAB"},
        {"kty": "OKP", "crv": "Ed25519", "x": "A" * 43, "d": "A" * 43},
        {"kty": "OKP", "crv": "Ed25519"},
        {},
        "A" * 43,
    ],
    ids=str,
)
async def test_a_key_is_the_public_half_of_an_ed25519_pair(tenant: Tenant, key: object) -> None:
    answer = await tenant.admin.post(
        f"/v1/service-accounts/{tenant.ids['account']}/keys", {"public_key": key}
    )

    assert answer.status_code == 422


def test_what_an_account_can_hold_means_something_inside_one_project() -> None:
    assert {key.split(".")[1] for key in SERVICE_ACCOUNT_PERMISSIONS} <= {
        "app",
        "artifact",
        "decision",
        "entitlement",
        "entry",
        "event",
        "family",
        "instance",
        "operation",
        "operator",
        "overlay",
        "publisher_key",
        "source",
        "version",
        "webhook",
        "member",
        "org",
        "project",
        "service_account",
        "access",
        "allocation",
        "credential",
        "login",
        "region",
        "session",
        "sku",
        "task",
    }
