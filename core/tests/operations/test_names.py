"""Operations tell what their instances and members are called."""

from core.tests.factories.instances import make_echo
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site


async def test_who_reads_operations_reads_names(site: Site) -> None:
    echo = await make_echo(await make_tenant(site))
    instance = await echo.running(replicas=1)
    members = (await echo.admin.get(f"/v1/instances/{instance['id']}/members")).json()["items"]
    names = {each["id"]: each["name"] for each in members}

    listed = (await echo.admin.get(f"/v1/operations?project={echo.project}")).json()["items"]

    assert {each["instance_name"] for each in listed} == {instance["name"]}
    told = {each["member_id"]: each["member_name"] for each in listed if each["member_id"]}
    assert told == {id: names[id] for id in told}
    assert told
