"""What the tests share: tenants, a fleet, and hosts that become nodes."""

from dataclasses import dataclass
from typing import Any

from moorage_lab import Host
from tests.e2e.callers import Caller
from tests.e2e.site import Site

REGION, SKU = "lab", "lab-host"


@dataclass(frozen=True)
class Tenant:
    """An org with one project and its admin."""

    org: str
    project: str
    admin: Caller


@dataclass(frozen=True)
class Member:
    """A lab host that is a node."""

    host: Host
    node: str


def make_tenant(site: Site, admin: Caller, slug: str) -> Tenant:
    """A new org, with an admin who has signed in."""
    address = f"admin@{slug}.example"
    org = admin.post("/v1/orgs", {"slug": slug, "name": slug.title(), "admin_email": address})
    person = make_person(site, admin, address)
    named = {"slug": f"{slug}-research", "name": "Research"}
    project = person.post(f"/v1/orgs/{org['id']}/projects", named)
    return Tenant(org["id"], project["id"], person)


def make_person(site: Site, admin: Caller, email: str) -> Caller:
    """Let somebody whom an org has named set a password, and sign in."""
    (user,) = [user for user in admin.get("/v1/users?limit=200")["items"] if user["email"] == email]
    code = admin.post(f"/v1/users/{user['id']}/password-codes", {})["code"]
    admin.said.pop()  # shown once
    password = f"{email} has a long password"
    site.anybody().post("/v1/auth/password", {"code": code, "password": password})
    return site.sign_in(email, password)


def make_fleet(admin: Caller) -> None:
    """The region of the lab, and a SKU that its hosts meet."""
    admin.post("/v1/regions", {"slug": REGION, "name": "The lab"})
    size = {"cpus": 1, "memory_bytes": 1 << 30, "gpus": 0, "gpu_model": None}
    price = {"price_micros": 1_000_000, "currency": "EUR"}
    admin.post("/v1/skus", {"slug": SKU, "name": "Lab host"} | size | price)


def make_node(admin: Caller, name: str, **more: Any) -> dict[str, Any]:
    node = {"name": name, "region": REGION, "sku": SKU, "reach": "agent"}
    return admin.post("/v1/nodes", node | more)


def line_for(admin: Caller, node: str) -> str:
    """The line to paste on the host."""
    line = admin.post(f"/v1/nodes/{node}/enrolments", {})["line"]
    admin.said.pop()  # shown once
    return line


def paste(host: Host, line: str) -> None:
    """What an administrator does at a host's terminal."""
    host.run("sh", stdin=f"{line}\n".encode(), timeout=120)


def enrol(admin: Caller, host: Host, **more: Any) -> Member:
    """Make a node of a host, by the pasted line, and wait until it is available."""
    node = make_node(admin, host.name, address=str(host.address), **more)
    paste(host, line_for(admin, node["id"]))
    admin.until(f"/v1/nodes/{node['id']}", lambda found: found["status"] == "available")
    return Member(host, node["id"])
