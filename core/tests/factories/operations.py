"""Operations of apps in the states in which people, or controllers, do something about them."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from core.tests.factories.instances import Echo, make_echo

if TYPE_CHECKING:
    from core.tests.factories.tenants import Tenant


async def _asked(tenant: "Tenant") -> tuple[Echo, str]:
    """Something that is wished of an instance of its own, and that nobody has begun."""
    echo = await make_echo(tenant)
    instance = (await echo.running())["id"]
    tenant.ids["operation"] = (await echo.ask(instance, "restart"))["id"]
    return echo, tenant.ids["operation"]


async def asked(tenant: "Tenant") -> None:
    await _asked(tenant)


async def _held(tenant: "Tenant") -> tuple[Echo, dict[str, Any]]:
    echo, _ = await _asked(tenant)
    (brief,) = await echo.claim()
    return echo, brief


async def failed(tenant: "Tenant") -> None:
    echo, brief = await _held(tenant)
    await echo.say(brief, "failed", recovery="reconcilable")


async def blocked(tenant: "Tenant") -> None:
    echo, brief = await _held(tenant)
    await echo.say(brief, "blocked")


async def held(tenant: "Tenant") -> None:
    """A controller has it. The token is among the tenant's secrets."""
    _, brief = await _held(tenant)
    tenant.secrets["operation"] = brief["grant"]


STATES = {
    "cancel_operation": asked,
    "abandon_operation": asked,
    "retry_operation": failed,
    "resume_operation": blocked,
}
BODIES: dict[str, Callable[[Mapping[str, str]], dict[str, Any]]] = {
    "VerbCreate": lambda ids: {"reason": "somebody has looked at it"},
    "ReportCreate": lambda ids: {"fence": 1, "sequence": 1, "state": "running"},
}
