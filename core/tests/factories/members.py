"""Members of instances, made through the API and by a controller that a test plays."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.tests.factories import machines
from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.played import SUCCEEDS, Brief, Controller, Said

if TYPE_CHECKING:
    from core.tests.factories.tenants import Tenant

__all__ = ["Brief", "Controller", "Said"]


def failing(*kinds: str, recovery: str = "terminal") -> Callable[[Brief], Said]:
    """Everything succeeds but these kinds, where they are about a member."""
    error = {"code": "broken", "message": "It does not work."}

    def says(brief: Brief) -> Said:
        if brief["kind"] in kinds and brief.get("member") is not None:
            return {"state": "failed", "recovery": recovery, "error": error}
        return SUCCEEDS

    return says


@dataclass
class Running:
    """An instance that runs, and its controller."""

    echo: Echo
    id: str
    controller: Controller

    @property
    def admin(self) -> Any:
        return self.echo.admin

    async def members(self, **query: Any) -> list[dict[str, Any]]:
        answer = await self.admin.get(f"/v1/instances/{self.id}/members", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()["items"]

    async def member(self, name: str) -> dict[str, Any]:
        found = [each for each in await self.members(removed=True) if each["name"] == name]
        assert len(found) == 1, name
        return found[0]

    async def ask(self, verb: str, body: Any, *, status: int = 202) -> dict[str, Any]:
        """Of several members: drain, resume, remove; `add` for more of them."""
        path = f"/v1/instances/{self.id}/members" + ("" if verb == "add" else f"/{verb}")
        answer = await self.admin.post(path, body)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def of(self, verb: str, *names: str, status: int = 202, **more: Any) -> dict[str, Any]:
        """The same of members by their names, for the test's reason."""
        ids = [(await self.member(name))["id"] for name in names]
        return await self.ask(verb, {"members": ids, "reason": "test", **more}, status=status)

    async def operation(self, id: str) -> dict[str, Any]:
        answer = await self.admin.get(f"/v1/operations/{id}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def component(self, key: str) -> dict[str, Any]:
        found = (await self.echo.get(self.id))["components"]
        return next(each for each in found if each["key"] == key)


async def running(echo: Echo, *, replicas: int = 2) -> Running:
    """An instance with a leader and replicas that work."""
    made = await echo.deploy(replicas=replicas)
    controller = Controller(echo.tenant.site, echo.operator)
    await controller.run()
    controller.seen.clear()
    return Running(echo, made["id"], controller)


# For tests of every route


async def make_instance(tenant: "Tenant") -> str:
    """One that runs, with a leader and two replicas."""
    made = await running(await make_echo(tenant))
    found = {each["name"]: each["id"] for each in await made.members()}
    tenant.ids["member"], tenant.ids["other_member"] = found["replica-1"], found["replica-2"]
    tenant.ids["instance_operator"] = made.echo.operator
    return made.id


async def make_member(tenant: "Tenant") -> str:
    """A replica that works."""
    await tenant.id("instance")
    return tenant.ids["member"]


async def spare_machine(tenant: "Tenant") -> None:
    """A machine on which nobody stands."""
    await tenant.id("instance")
    tenant.ids["spare_allocation"] = await machines.make_allocation_row(tenant)


async def drained(tenant: "Tenant") -> None:
    """The tenant's member is drained."""
    await tenant.id("instance")
    body = {"members": [tenant.ids["member"]], "reason": "test"}
    path = f"/v1/instances/{tenant.ids['instance']}/members/drain"
    answer = await tenant.admin.post(path, body)
    assert answer.status_code in (202, 409), answer.text
    await Controller(tenant.site, tenant.ids["instance_operator"]).run()


FACTORIES = {"instance": make_instance, "member": make_member}
STATES = {
    "add_members": spare_machine,
    "replace_member": spare_machine,
    "resume_members": drained,
}


def _some(ids: Mapping[str, str]) -> dict[str, Any]:
    return {"members": [ids.get("member", "mem_" + "7" * 26)], "reason": "a fan is loud"}


BODIES: dict[str, Callable[[Mapping[str, str]], dict[str, Any]]] = {
    "MembersAdd": lambda ids: {
        "component": "replica",
        "allocations": [ids.get("spare_allocation", "alc_" + "7" * 26)],
    },
    "MembersDrain": _some,
    "MembersRemove": _some,
    "MembersResume": _some,
    "MemberReplace": lambda ids: {
        "allocation": ids.get("spare_allocation", "alc_" + "7" * 26),
        "reason": "a fan is loud",
    },
}
