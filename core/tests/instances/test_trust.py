"""Instances of versions that are not trusted any more, and keys of families."""

from typing import Any

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from core.tests.callers import Bearer
from core.tests.factories import artifacts, catalog, entitlements, machines
from core.tests.factories.instances import CLUSTER, Echo, make_echo
from core.tests.factories.tenants import make_account, make_tenant
from core.tests.site import Site, fresh
from moorage_core.tasks import commands as tasks

TOUCHING = CLUSTER.replace(
    "touches:\n", "touches:\n  instance.rollback: [leader]\n  instance.restart: [leader]\n"
)
REVOKED = {"reason": "It does harm to whoever runs it."}


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site), more=TOUCHING)


async def publish_with_artifact(echo: Echo, version: str) -> dict[str, Any]:
    """A version that needs a signed artifact; the artifact."""
    content, pair = fresh().encode(), Ed25519PrivateKey.generate()
    found = await artifacts.upload(echo.admin, echo.project, content)
    key = await artifacts.register_key(echo.admin, echo.project, pair)
    signed = await artifacts.sign(echo.admin, found, key["id"], pair)
    assert signed.status_code == 200, signed.text
    named = {name: found[name] for name in ("name", "digest", "size", "media_type")}
    await catalog.publish(echo.admin, echo.app, version=version, artifacts=[named], more=TOUCHING)
    return found | {"content": content}


async def revoke(echo: Echo, artifact: dict[str, Any]) -> None:
    answer = await echo.admin.post(f"/v1/artifacts/{artifact['id']}/revoke", REVOKED)
    assert answer.status_code == 200, answer.text


async def instance_with_artifact(echo: Echo) -> tuple[str, dict[str, Any]]:
    """An instance that went from a version with an artifact to one without."""
    artifact = await publish_with_artifact(echo, "1.1.0")
    made = await echo.running(version="1.1.0")
    return made["id"], artifact


async def test_controllers_are_told_which_bytes_a_version_needs(echo: Echo) -> None:
    id, artifact = await instance_with_artifact(echo)
    await echo.ask(id, "restart")

    (brief,) = await echo.claim()

    names = ("name", "digest", "size")
    assert brief["instance"]["artifacts"] == [{name: artifact[name] for name in names}]


async def test_a_revoked_artifact_names_the_instances_that_it_concerns(
    site: Site, echo: Echo
) -> None:
    id, artifact = await instance_with_artifact(echo)
    other = await echo.running(version="1.0.0")
    await revoke(echo, artifact)

    answer = await echo.admin.get(f"/v1/artifacts/{artifact['id']}/instances")
    stranger = await site.actor("tenant_admin", org=(await make_tenant(site)).org)
    theirs = await stranger.get(f"/v1/artifacts/{artifact['id']}/instances")

    found = [each["id"] for each in answer.json()["items"]]
    assert found == [id]
    assert other["id"] not in found
    assert theirs.status_code == 404


async def test_what_is_revoked_goes_on_and_can_be_stopped_but_not_started(echo: Echo) -> None:
    id, artifact = await instance_with_artifact(echo)
    await revoke(echo, artifact)

    await echo.ask(id, "stop")
    await echo.work()
    answer = await echo.admin.post(f"/v1/instances/{id}/start", {})

    assert (answer.status_code, answer.json()["code"]) == (403, "policy_refused")
    assert (await echo.get(id))["status"] == "stopped"


async def test_going_back_to_what_is_revoked_needs_somebody_who_answers_for_it(
    site: Site, echo: Echo
) -> None:
    id, artifact = await instance_with_artifact(echo)
    await echo.publish("1.2.0", more=TOUCHING)
    await echo.ask(id, "upgrade", {"version": "1.2.0"})
    await echo.work()
    await revoke(echo, artifact)
    body: dict[str, Any] = {"accept_losses": True}
    override = body | {"override": {"reason": "the new one loses data"}}
    project_admin = await site.actor("project_admin", project=echo.tenant.project)

    plain = await echo.admin.post(f"/v1/instances/{id}/rollback", body)
    without_key = await project_admin.post(f"/v1/instances/{id}/rollback", override)
    operation = await echo.ask(id, "rollback", override)
    done = await echo.work()

    assert (plain.status_code, plain.json()["code"]) == (403, "policy_refused")
    assert without_key.status_code == 403
    assert "policy.override" in without_key.json()["detail"]
    assert operation["input"]["override"] == "the new one loses data"
    assert [each["kind"] for each in done] == ["instance.rollback"]
    assert (await echo.get(id))["app_version"] == "1.1.0"


async def put_from(echo: Echo, brief: dict[str, Any], artifact: dict[str, Any]) -> httpx2.Response:
    """Ask for the artifact's bytes on the leader's machine, as whoever holds the operation."""
    listed = await echo.admin.get(f"/v1/instances/{brief['instance']['id']}/members")
    machine = listed.json()["items"][0]["allocation_id"]
    given = {"path": "/opt/echo", "digest": artifact["digest"], "size": artifact["size"]}
    wish = {"key": f"install/{fresh()}", "kind": "put", "allocation": machine, "input": given}
    path = f"/v1/operations/{brief['id']}/tasks"
    return await Bearer(echo.tenant.site.client, brief["grant"]).post(path, {"tasks": [wish]})


async def test_what_somebody_answers_for_reaches_the_machines(echo: Echo) -> None:
    id, artifact = await instance_with_artifact(echo)
    await echo.publish("1.2.0", more=TOUCHING)
    await echo.ask(id, "upgrade", {"version": "1.2.0"})
    await echo.work()
    await revoke(echo, artifact)
    answered = {"accept_losses": True, "override": {"reason": "the new one loses data"}}
    await echo.ask(id, "rollback", answered)
    (brief,) = await echo.claim()

    asked = await put_from(echo, brief, artifact)
    assert asked.status_code == 200, asked.text
    task = asked.json()["tasks"][0]
    site = echo.tenant.site
    ((node,),) = await site.rows("SELECT node_id FROM tasks WHERE id = %s", task["id"])
    await tasks.for_poll(site.platform, node, [])
    content = await tasks.open_content(site.platform, node, task["id"])

    assert b"".join([piece async for piece in content.chunks]) == artifact["content"]


async def test_a_part_of_a_replacement_that_somebody_answers_for_gets_the_bytes(echo: Echo) -> None:
    artifact = await publish_with_artifact(echo, "1.1.0")
    id = (await echo.running(version="1.1.0", replicas=1))["id"]
    await revoke(echo, artifact)
    listed = await echo.admin.get(f"/v1/instances/{id}/members?component=replica")
    given = {
        "allocation": await machines.make_allocation_row(echo.tenant),
        "reason": "it is loud",
        "override": {"reason": "the host is dying"},
    }
    asked = await echo.admin.post(f"/v1/members/{listed.json()['items'][0]['id']}/replace", given)
    assert asked.status_code == 202, asked.text
    (prepare,) = await echo.claim()
    await echo.say(prepare, "succeeded")
    (add,) = await echo.claim()

    assert add["kind"] == "member.add"
    where = f"/v1/operations/{add['id']}/tasks"
    put = {"path": "/opt/echo", "digest": artifact["digest"], "size": artifact["size"]}
    wish = {"key": "install/it", "kind": "put", "allocation": given["allocation"], "input": put}
    holder = Bearer(echo.tenant.site.client, add["grant"])
    answer = await holder.post(where, {"tasks": [wish]})
    assert answer.status_code == 200, answer.text


async def test_an_app_cannot_answer_for_what_is_revoked(echo: Echo) -> None:
    id, artifact = await instance_with_artifact(echo)
    await echo.ask(id, "restart")
    (brief,) = await echo.claim()
    await revoke(echo, artifact)
    await echo.tenant.site.sql.execute(
        "UPDATE operations SET input = jsonb_build_object('override', 'mine') WHERE id = %s",
        (brief["id"],),
    )

    refused = await put_from(echo, brief, artifact)

    assert (refused.status_code, refused.json()["code"]) == (409, "artifact_missing")


# Families


async def test_a_familys_key_opens_instances_of_its_apps_and_no_others(site: Site) -> None:
    tenant = await make_tenant(site)
    name = f"f-{fresh()}"
    space = name.replace("-", "_")
    keys = [
        {"key": f"{space}.instance.{verb}", "description": verb, "means": f"apps.instance.{verb}"}
        for verb in ("read", "update", "create", "delete")
    ]
    root = await site.actor("platform_admin")
    body = {"description": "What its apps have in common.", "keys": keys}
    assert (await root.put(f"/v1/families/{name}", body)).status_code == 200
    granted = "".join(f"  {each['key']}: [viewer, project_admin]\n" for each in keys)
    member_of = f"families: [{name}]\nfamily_grants:\n{granted}"
    other = await make_echo(tenant)

    async def admit(app: dict[str, Any]) -> None:
        path = f"/v1/families/{name}/admissions/{app['id']}"
        answer = await root.put(path, {"keys": [each["key"] for each in keys]})
        assert answer.status_code == 200, answer.text

    echo = await make_echo(tenant, more=CLUSTER + member_of, admit=admit)
    mine, theirs = await echo.running(), await other.running()
    viewer = await site.actor("viewer", project=tenant.project)
    account = await make_account(tenant, f"{space}.instance.read")
    where = f"/v1/projects/{tenant.project.id}"

    lists = [await account.get(path) for path in (f"{where}/instances", "/v1/instances")]
    nothing = await (await make_account(tenant, "catalog.app.read")).get(f"{where}/instances")
    allowed = await viewer.post(f"/v1/instances/{mine['id']}/restart", {})
    refused = await viewer.post(f"/v1/instances/{theirs['id']}/restart", {})
    planned = await viewer.post(f"{where}/plans", await echo.body(kind="instance.deploy"))
    deployed = await viewer.post(f"{where}/instances", await echo.body())
    not_deployed = await viewer.post(f"{where}/instances", await other.body())
    gone = await viewer.post(f"/v1/instances/{mine['id']}/decommission", {})
    not_gone = await viewer.post(f"/v1/instances/{theirs['id']}/decommission", {})

    assert [each.status_code for each in (allowed, planned, deployed, gone)] == [202, 201, 202, 202]
    assert {each.status_code for each in (refused, not_deployed, not_gone, nothing)} == {403}
    assert [each.status_code for each in lists] == [200, 200]
    for listed in lists:
        assert [each["id"] for each in listed.json()["items"]] == [mine["id"]]


# Publishers


async def test_what_runs_can_be_taken_down_when_its_publisher_is_gone(
    site: Site, echo: Echo
) -> None:
    tenant = await make_tenant(site)
    await site.rows("UPDATE apps SET visibility = 'platform' WHERE id = %s", echo.app["id"])
    await entitlements.entitle(tenant.admin, tenant.project.id, echo.app["id"])
    theirs = Echo(tenant, echo.app, echo.version, echo.operator)
    made = await theirs.running()
    await site.rows("UPDATE apps SET closed_at = now() WHERE id = %s", echo.app["id"])

    grown = await tenant.admin.post(f"/v1/instances/{made['id']}/restart", {})
    await theirs.ask(made["id"], "decommission")
    await theirs.work()

    assert made["access"] is None
    assert (grown.status_code, grown.json()["code"]) == (403, "policy_refused")
    assert (await theirs.get(made["id"]))["status"] == "deleted"
