"""Which verb on members is whose: a golden table of what people and accounts are answered."""

import pytest

from core.tests import golden_files
from core.tests.callers import Caller
from core.tests.factories.instances import make_echo
from core.tests.factories.members import Running, running
from core.tests.factories.tenants import Bearer, make_tenant
from core.tests.site import Site, fresh
from moorage_core.authz.permissions import Permission
from moorage_core.members.verbs import KEYS

VERBS = sorted(KEYS)
ROLES = ("project_admin", "project_member", "viewer")
NOTHING = "7" * 26
GENERIC = [str(Permission.APPS_INSTANCE_READ)]
"""What lets an account see instances, and nothing else."""


async def account(app: Running, permissions: list[str]) -> Caller:
    """A service account of the project with a token of minutes."""
    admin, project = app.admin, app.echo.project
    body = {"name": f"robot {fresh()}", "permissions": permissions}
    made = (await admin.post(f"/v1/projects/{project}/service-accounts", body)).json()
    key = (await admin.post(f"/v1/service-accounts/{made['id']}/keys", {})).json()
    proof = {
        "service_account": made["id"],
        "key": key["id"],
        "client_secret": key["secret"],
    }
    client = app.echo.tenant.site.client
    answer = await client.post("/v1/auth/token", json=proof)
    assert answer.status_code == 200, answer.text
    return Bearer(client, answer.json()["access_token"])


async def ask(app: Running, caller: Caller, verb: str) -> str:
    """What the answer says of the permission: past it, each request names a thing that is not."""
    some = {"members": ["mem_" + NOTHING], "reason": "test"}
    machine = "alc_" + NOTHING
    if verb == "add":
        path = f"/v1/instances/{app.id}/members"
        answer = await caller.post(path, {"component": "replica", "allocations": [machine]})
    elif verb == "replace":
        path = f"/v1/members/{(await app.member('replica-1'))['id']}/replace"
        answer = await caller.post(path, {"allocation": machine, "reason": "test"})
    else:
        answer = await caller.post(f"/v1/instances/{app.id}/members/{verb}", some)
    if answer.status_code == 403:
        return "no"
    assert answer.status_code == 404, answer.text
    return "yes" if NOTHING in answer.json()["detail"] else "unseen"


@pytest.fixture
async def app(site: Site) -> Running:
    return await running(await make_echo(await make_tenant(site)), replicas=1)


async def test_who_may_ask_what_of_members(site: Site, app: Running) -> None:
    """Whoever holds no key in the project does not see that there is anything to ask."""
    tenant = app.echo.tenant
    callers = {role: await site.actor(role, project=tenant.project) for role in ROLES}
    callers["tenant_admin"] = await site.actor("tenant_admin", org=tenant.org)
    callers["platform_admin"] = await site.actor("platform_admin")
    callers["another tenant's admin"] = (await make_tenant(site)).admin
    callers["account that reads"] = await account(app, GENERIC)
    for verb in VERBS:
        callers[f"account with {KEYS[verb]}"] = await account(app, [*GENERIC, str(KEYS[verb])])
    lines = [" ".join([f"{'':32}", *(f"{verb:8}" for verb in VERBS)]).rstrip()]
    for name, caller in callers.items():
        said = [await ask(app, caller, verb) for verb in VERBS]
        lines.append(" ".join([f"{name:32}", *(f"{each:8}" for each in said)]).rstrip())

    golden_files.check("member_verbs.txt", "\n".join([*lines, ""]))
