"""Machines and work on them, written straight into the database.

What a test is about it makes through the API; this is for everything around it.
"""

from typing import TYPE_CHECKING, Any, LiteralString, cast

from psycopg.types.json import Jsonb

from core.tests.site import fresh
from moorage_core.kit import tokens
from moorage_core.kit.ids import (
    PLATFORM_ORG,
    AccessCredentialId,
    AccessGrantId,
    AllocationId,
    EnrolmentId,
    EvidenceId,
    LoginId,
    NodeId,
    OperationGrantId,
    OperationId,
    RegionId,
    RuntimeSecretId,
    SecretId,
    SkuId,
    TaskId,
)

if TYPE_CHECKING:
    from core.tests.factories.tenants import Tenant
    from core.tests.site import Site

SSH_PUBLIC_KEY = (
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIM6WfDN5euvk3apZIl5x3v974kKRh1I+NiyjGZJTxfQL test"
)

INVENTORY: dict[str, Any] = {
    "hostname": "host",
    "os": {"id": "debian", "version": "13", "kernel": "6.12"},
    "arch": "x86_64",
    "cpu": {"model": "test", "sockets": 1, "cores": 4, "threads": 4},
    "memory_bytes": 8 << 30,
    "disks": [],
    "nics": [{"name": "eth0", "mac": "02:00:00:00:00:01", "addresses": ["198.18.0.9"]}],
    "gpus": [],
    "gpu_source": "none",
    "ssh_host_keys": [" ".join(SSH_PUBLIC_KEY.split()[:2])],
}


async def insert(site: "Site", table: str, **values: Any) -> str:
    """One row; its id."""
    given = {k: Jsonb(v) if isinstance(v, dict) else v for k, v in values.items()}
    columns, marks = ", ".join(given), ", ".join(["%s"] * len(given))
    statement = cast(LiteralString, f"INSERT INTO {table} ({columns}) VALUES ({marks})")
    await site.sql.execute(statement, [*given.values()])
    return str(values.get("id", ""))


async def now(site: "Site") -> Any:
    return (await site.rows("SELECT now()"))[0][0]


async def make_region_row(site: "Site", slug: str | None = None) -> str:
    at, slug = await now(site), slug or f"region-{fresh()}"
    return await insert(
        site, "regions", id=RegionId.new(), slug=slug, name=slug, created_at=at, updated_at=at
    )


async def make_sku_row(site: "Site", slug: str | None = None, *, gpus: int = 0) -> str:
    at, slug = await now(site), slug or f"sku-{fresh()}"
    return await insert(
        site,
        "skus",
        id=SkuId.new(),
        slug=slug,
        name=slug,
        cpus=1,
        memory_bytes=1 << 20,
        gpus=gpus,
        gpu_model="H200" if gpus else None,
        price_micros=2_500_000,
        currency="EUR",
        created_at=at,
        updated_at=at,
    )


async def make_node_row(
    site: "Site", *, region: str | None = None, sku: str | None = None, **values: Any
) -> str:
    """An agent's node that was heard of just now and that anybody could get."""
    at = await now(site)
    node: dict[str, Any] = {
        "id": NodeId.new(),
        "org_id": PLATFORM_ORG,
        "name": f"node-{fresh()}",
        "region_id": region or await make_region_row(site),
        "sku_id": sku or await make_sku_row(site),
        "reach": "agent",
        "status": "available",
        "status_since": at,
        "enrolled_at": at,
        "last_seen_at": at,
        "inventory": INVENTORY,
        "inventory_at": at,
        "created_at": at,
        "updated_at": at,
    }
    return await insert(site, "nodes", **(node | values))


async def give_node_token(site: "Site", node: str) -> str:
    """A token as an agent holds it."""
    token = tokens.new_marked(tokens.NODE, site.platform.node_key)
    await site.sql.execute(
        "UPDATE nodes SET token_hash = %s, token_expires_at = now() + interval '10 minutes'"
        " WHERE id = %s",
        (tokens.digest(token), node),
    )
    return token


async def make_allocation_row(tenant: "Tenant", node: str | None = None, **values: Any) -> str:
    """An active one, of the tenant's project."""
    site = tenant.site
    at, node = await now(site), node or await make_node_row(site)
    await site.sql.execute("UPDATE nodes SET status = 'allocated' WHERE id = %s", (node,))
    found = await site.rows(
        "SELECT n.name, r.slug, s.slug, s.gpus, s.price_micros, s.currency FROM nodes n"
        " JOIN regions r ON r.id = n.region_id JOIN skus s ON s.id = n.sku_id WHERE n.id = %s",
        node,
    )
    name, region, sku, gpus, price, currency = found[0]
    allocation: dict[str, Any] = {
        "id": AllocationId.new(),
        "org_id": tenant.org.id,
        "project_id": tenant.project.id,
        "name": f"machine-{fresh()}",
        "node_id": node,
        "node_name": name,
        "region": region,
        "sku": sku,
        "gpus": gpus,
        "price_micros": price,
        "currency": currency,
        "status": "active",
        "placement": {"strategy": "spread", "why": "test", "considered": 1, "free": 1},
        "requested_by": tenant.admin.id,
        "held_from": at,
        "correlation_id": "test",
        "created_at": at,
        "updated_at": at,
    }
    return await insert(site, "allocations", **(allocation | values))


async def make_operation_row(tenant: "Tenant", *allocations: str, **values: Any) -> str:
    """A running node.session on the allocations."""
    site, id = tenant.site, OperationId.new()
    at = await now(site)
    later = (await site.rows("SELECT now() + interval '1 hour'"))[0][0]
    place = {"org_id": tenant.org.id, "project_id": tenant.project.id}
    operation: dict[str, Any] = {
        "id": id,
        **place,
        "kind": "node.session",
        "status": "running",
        "reason": "test",
        "requested_by_kind": "user",
        "requested_by": tenant.admin.id,
        "requested_by_name": "test",
        "lease_expires_at": later,
        "deadline": later,
        "correlation_id": "test",
        "created_at": at,
        "updated_at": at,
    }
    await insert(site, "operations", **(operation | values))
    for allocation in allocations:
        await insert(
            site, "operation_allocations", operation_id=id, allocation_id=allocation, **place
        )
    return id


async def give_grant(tenant: "Tenant", operation: str, *, fence: int = 1) -> str:
    """The token of an operation, as whoever claimed it holds it."""
    token = tokens.new_marked(tokens.OPERATION_GRANT, tenant.site.platform.node_key)
    await insert(
        tenant.site,
        "operation_grants",
        id=OperationGrantId.new(),
        operation_id=operation,
        org_id=tenant.org.id,
        project_id=tenant.project.id,
        fence=fence,
        token_hash=tokens.digest(token),
        created_at=await now(tenant.site),
    )
    return token


async def make_task_row(tenant: "Tenant", operation: str, allocation: str, **values: Any) -> str:
    site = tenant.site
    at = await now(site)
    node = (await site.rows("SELECT node_id FROM allocations WHERE id = %s", allocation))[0][0]
    due = (await site.rows("SELECT now() + interval '1 hour'"))[0][0]
    task: dict[str, Any] = {
        "id": TaskId.new(),
        "org_id": tenant.org.id,
        "project_id": tenant.project.id,
        "operation_id": operation,
        "allocation_id": allocation,
        "node_id": node,
        "reach": "agent",
        "kind": "exec",
        "key": f"step/{fresh()}",
        "fence": 1,
        "run_as": "root",
        "input": {"argv": ["true"]},
        "fingerprint": b"\0" * 32,
        "timeout_seconds": 60,
        "output_limit": 1 << 20,
        "status": "queued",
        "due_at": due,
        "correlation_id": "test",
        "created_at": at,
    }
    return await insert(site, "tasks", **(task | values))


# Things by the name of the path parameter that names them


async def make_region(tenant: "Tenant") -> str:
    return await make_region_row(tenant.site)


async def make_sku(tenant: "Tenant") -> str:
    return await make_sku_row(tenant.site)


async def make_node(tenant: "Tenant") -> str:
    return await make_node_row(tenant.site)


async def make_enrolment(tenant: "Tenant") -> str:
    site = tenant.site
    later = (await site.rows("SELECT now() + interval '1 hour'"))[0][0]
    return await insert(
        site,
        "enrolments",
        id=EnrolmentId.new(),
        org_id=PLATFORM_ORG,
        node_id=await make_node_row(site, status="enrolling", enrolled_at=None),
        token_hash=tokens.digest(fresh()),
        expires_at=later,
        created_at=await now(site),
        created_by="test",
    )


async def make_allocation(tenant: "Tenant") -> str:
    return await make_allocation_row(tenant)


async def make_operation(tenant: "Tenant") -> str:
    operation = await make_operation_row(tenant, await tenant.id("allocation"))
    tenant.secrets["operation"] = await give_grant(tenant, operation)
    return operation


async def make_task(tenant: "Tenant") -> str:
    operation, allocation = await tenant.id("operation"), await tenant.id("allocation")
    task = await make_task_row(tenant, operation, allocation)
    site, place = tenant.site, {"org_id": tenant.org.id, "project_id": tenant.project.id}
    node = (await site.rows("SELECT node_id FROM tasks WHERE id = %s", task))[0][0]
    await insert(
        site,
        "task_outputs",
        task_id=task,
        stream="stdout",
        at_offset=0,
        node_id=node,
        content=b"hello\n",
        **place,
    )
    await insert(
        site,
        "node_evidence",
        id=EvidenceId.new(),
        node_id=node,
        allocation_id=allocation,
        kind="ssh.login",
        key=fresh(),
        received_at=await now(site),
        data={},
        **place,
    )
    await _secret(tenant, operation, node, task)
    return task


async def _secret(tenant: "Tenant", operation: str, node: str, task: str) -> None:
    site, place = tenant.site, {"org_id": tenant.org.id, "project_id": tenant.project.id}
    at, id, secret = await now(site), RuntimeSecretId.new(), SecretId.new()
    await insert(
        site,
        "secrets",
        id=secret,
        purpose="runtime",
        key_version=1,
        wrapped_key=b"",
        ciphertext=b"",
        created_at=at,
        **place,
    )
    await insert(
        site,
        "runtime_secrets",
        id=id,
        operation_id=operation,
        name="key",
        purpose="cluster_key",
        secret_id=secret,
        expires_at=at,
        created_at=at,
        **place,
    )
    await insert(
        site,
        "secret_deliveries",
        runtime_secret_id=id,
        operation_id=operation,
        fence=1,
        node_id=node,
        task_id=task,
        at=at,
        **place,
    )


async def make_login(tenant: "Tenant") -> str:
    has = await tenant.site.rows(
        "SELECT id FROM logins WHERE org_id = %s AND user_id = %s", tenant.org.id, tenant.admin.id
    )
    return has[0][0] if has else await make_login_row(tenant, tenant.admin.id)


async def make_login_row(tenant: "Tenant", user: str) -> str:
    site = tenant.site
    taken = (await site.rows("SELECT coalesce(max(uid), 199999) FROM logins"))[0][0]
    return await insert(
        site,
        "logins",
        id=LoginId.new(),
        org_id=tenant.org.id,
        user_id=user,
        login=f"u{fresh()}"[:31],
        uid=taken + 1,
        created_at=await now(site),
    )


async def make_grant(tenant: "Tenant") -> str:
    site, id, login = tenant.site, AccessGrantId.new(), await tenant.id("login")
    at = await now(site)
    later = (await site.rows("SELECT now() + interval '1 hour'"))[0][0]
    place = {"org_id": tenant.org.id, "project_id": tenant.project.id}
    name, uid = (await site.rows("SELECT login, uid FROM logins WHERE id = %s", login))[0]
    await insert(
        site,
        "access_grants",
        id=id,
        allocation_id=await tenant.id("allocation"),
        user_id=tenant.admin.id,
        login_id=login,
        login=name,
        uid=uid,
        principal=f"moorage-{id}",
        sudo=False,
        forwarding=False,
        granted_by=tenant.admin.id,
        expires_at=later,
        created_at=at,
        updated_at=at,
        **place,
    )
    await insert(
        site,
        "ssh_certificates",
        grant_id=id,
        key_id="test",
        fingerprint="test",
        correlation_id="test",
        issued_at=at,
        expires_at=later,
        **place,
    )
    allocation = await tenant.id("allocation")
    node = (await site.rows("SELECT node_id FROM allocations WHERE id = %s", allocation))[0][0]
    await insert(site, "node_access", node_id=node, allocation_id=allocation, **place)
    return id


async def await_login(tenant: "Tenant") -> None:
    """Somebody of the project who has no login yet."""
    await tenant.id("user")


async def make_credential(tenant: "Tenant") -> str:
    site, id, secret = tenant.site, AccessCredentialId.new(), SecretId.new()
    at = await now(site)
    place = {"org_id": tenant.org.id, "project_id": tenant.project.id}
    await insert(
        site,
        "secrets",
        id=secret,
        purpose="access_credential",
        key_version=1,
        wrapped_key=b"",
        ciphertext=b"",
        created_at=at,
        **place,
    )
    await insert(
        site,
        "access_credentials",
        id=id,
        name=f"key-{fresh()}",
        username="root",
        public_key="ssh-ed25519 AAAA",
        fingerprint="SHA256:test",
        secret_id=secret,
        created_at=at,
        updated_at=at,
        **place,
    )
    leftover = {"entry": f"entry-{fresh()}", "org_id": tenant.org.id, "due_at": at}
    await insert(site, "secret_leftovers", **leftover)
    node = await make_node_row(site, reach="ssh", address="198.18.0.9", ssh_port=22)
    allocation = await make_allocation_row(tenant, node)
    await insert(
        site, "ssh_workers", allocation_id=allocation, worker="test", held_until=at, **place
    )
    await insert(
        site,
        "ssh_hosts",
        allocation_id=allocation,
        credential_id=id,
        address="198.18.0.9",
        port=22,
        updated_at=at,
        **place,
    )
    return id


async def make_pool(
    site: "Site", count: int, *, gpus: int = 0, **values: Any
) -> tuple[str, str, list[str]]:
    """Nodes of a region and a SKU that nobody else uses; the slugs of these, and the nodes' ids."""
    region, sku = f"region-{fresh()}", f"sku-{fresh()}"
    where = {
        "region": await make_region_row(site, region),
        "sku": await make_sku_row(site, sku, gpus=gpus),
    }
    return region, sku, [await make_node_row(site, **where, **values) for _ in range(count)]


async def await_capacity(tenant: "Tenant") -> None:
    """Machines that the tenant could get."""
    region, sku, _ = await make_pool(tenant.site, 2)
    tenant.ids.update(region_slug=region, sku_slug=sku)


async def make_stream(tenant: "Tenant") -> str:
    """One of the three streams of a task's output."""
    return "stdout"


async def await_place(tenant: "Tenant") -> None:
    """A region and a SKU in which a node can be announced."""
    region, sku = f"region-{fresh()}", f"sku-{fresh()}"
    await make_region_row(tenant.site, region)
    await make_sku_row(tenant.site, sku)
    tenant.ids.update(region_slug=region, sku_slug=sku)


async def set_aside(tenant: "Tenant") -> None:
    """The tenant's node is in quarantine."""
    await tenant.site.sql.execute(
        "UPDATE nodes SET status = 'quarantined' WHERE id = %s", (tenant.ids["node"],)
    )


async def await_machine(tenant: "Tenant") -> None:
    """A machine to work on."""
    await tenant.id("allocation")


FACTORIES = {
    "stream": make_stream,
    "region": make_region,
    "sku": make_sku,
    "node": make_node,
    "enrolment": make_enrolment,
    "allocation": make_allocation,
    "operation": make_operation,
    "task": make_task,
    "login": make_login,
    "grant": make_grant,
    "credential": make_credential,
}
