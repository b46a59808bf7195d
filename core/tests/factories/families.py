"""Families and sources for tests, made through the API."""

from typing import TYPE_CHECKING, Any

from core.tests.site import fresh

if TYPE_CHECKING:
    from core.tests.factories.tenants import Tenant


def family_body(name: str, *more: str) -> dict[str, Any]:
    """What writes a family; `more` are last words of further keys."""
    space = name.replace("-", "_")
    keys = [
        {"key": f"{space}.thing.{word}", "description": f"May {word} things."}
        for word in ("read", *more)
    ]
    keys.append(
        {
            "key": f"{space}.instance.read",
            "description": "May look at instances.",
            "means": "apps.instance.read",
        }
    )
    return {"description": "What its apps have in common.", "keys": keys}


def admission_body(name: str) -> dict[str, Any]:
    return {"keys": [f"{name.replace('-', '_')}.thing.read"]}


async def make_family(tenant: "Tenant") -> str:
    """A family to which the tenant's app is admitted."""
    name, app = f"f-{fresh()}", await tenant.id("app")
    root = await tenant.site.actor("platform_admin")
    made = await root.put(f"/v1/families/{name}", family_body(name))
    assert made.status_code == 200, made.text
    admitted = await root.put(f"/v1/families/{name}/admissions/{app}", admission_body(name))
    assert admitted.status_code == 200, admitted.text
    return name


def source_body(**fields: Any) -> dict[str, Any]:
    return {
        "slug": f"s-{fresh()}",
        "name": "Registry",
        "kind": "oci",
        "url": "https://registry.example.org",
        "credential": {"username": "ada", "password": f"secret {fresh()}"},
        **fields,
    }


async def make_source(tenant: "Tenant") -> str:
    made = await tenant.admin.post(f"/v1/orgs/{tenant.org.id}/sources", source_body())
    assert made.status_code == 201, made.text
    return made.json()["id"]
