"""A request for every route, made from what the route declares: nothing here lists routes.

Path and query come from the parameters' names, headers from the OpenAPI document, bodies from the
name of the body's schema. What is not known here fails with a sentence that says what to add.
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import httpx2
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from core.tests.callers import Caller
from core.tests.factories import (
    agentless,
    artifacts,
    catalog,
    controllers,
    families,
    instances,
    machines,
    members,
    operations,
)
from core.tests.factories.tenants import PASSWORD, STATES, Bearer, Holder, Tenant
from core.tests.site import Site, fresh
from moorage_core import api
from moorage_core.authz.permissions import Permission
from moorage_core.authz.roles import GRANT_PERMISSIONS, NODE_PERMISSIONS, ROLES, SELF, Role
from moorage_core.http.routing import PUBLIC, RouteSpec
from moorage_core.kit.ids import PLATFORM_ORG, Id
from moorage_core.main import build_api
from moorage_core.settings import Settings

DOCUMENT: dict[str, Any] = build_api(Settings()).openapi()
PLATFORM_KEYS = {str(key) for key in ROLES[Role.PLATFORM_ADMIN].permissions} - {
    str(key) for key in ROLES[Role.TENANT_ADMIN].permissions
}
"""Keys that only those who run the platform hold."""
GRANT_KEYS = {str(key) for key in GRANT_PERMISSIONS} - {
    str(key) for key in ROLES[Role.TENANT_ADMIN].permissions
}
"""Keys that only the token of a live operation holds."""
SELF_KEYS = {str(key) for key in SELF}
NODE_KEYS = {str(key) for key in NODE_PERMISSIONS}
"""Keys that agents hold and nobody else."""
NARROWING = ("org", "project")
"""Query parameters by which lists are narrowed to a place."""

Ids = Mapping[str, str]
Body = Callable[[Ids], dict[str, Any]]


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: dict[str, str] = field(default_factory=dict[str, str])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: dict[str, Any] | None = None

    def with_headers(self, **headers: str) -> "Request":
        spelled = {name.replace("_", "-"): value for name, value in headers.items()}
        return replace(self, headers=self.headers | spelled)

    async def send(self, caller: Caller) -> httpx2.Response:
        options: dict[str, Any] = {"params": self.query, "headers": dict(self.headers)}
        if self.body is not None:
            options["json"] = self.body
        return await caller.call(self.method, self.path, **options)

    async def peek(self, site: Site, caller: Caller) -> httpx2.Response:
        """Send it, and hang up at the first bytes of the body. For streams that never end."""
        prepared = site.client.build_request(
            self.method, self.path, params=self.query, headers=self.headers | caller.proof
        )
        sent: list[Any] = []
        begun = asyncio.Event()
        incoming = iter([{"type": "http.request", "body": b"", "more_body": False}])

        async def receive() -> Any:
            if (first := next(incoming, None)) is not None:
                return first
            await begun.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)
            if message["type"] == "http.response.body":
                begun.set()
            if message.get("more_body"):
                # Whoever hung up takes no more.
                await asyncio.Event().wait()

        await site.api(_scope(prepared), receive, send)
        body = b"".join(message.get("body", b"") for message in sent[1:])
        return httpx2.Response(sent[0]["status"], headers=sent[0]["headers"], content=body)


def _scope(request: httpx2.Request) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.url.scheme,
        "path": request.url.path,
        "raw_path": request.url.raw_path.partition(b"?")[0],
        "query_string": request.url.query,
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": ("127.0.0.1", 4000),
        "server": (request.url.host, request.url.port),
    }


def routes(
    *, kind: str | None = None, public: bool | None = None, platform: bool | None = None
) -> list[RouteSpec]:
    """Routes by what they declare."""
    return [
        spec
        for spec in api.specs()
        if kind in (None, spec.kind)
        and public in (None, spec.key == PUBLIC)
        and platform in (None, spec.key in PLATFORM_KEYS)
    ]


def operation(spec: RouteSpec) -> dict[str, Any]:
    return DOCUMENT["paths"][spec.path][spec.method.lower()]


def is_stream(spec: RouteSpec) -> bool:
    """Whether an allowed call would never end."""
    return spec.path.endswith("/stream")


def takes_json(spec: RouteSpec) -> bool:
    return "application/json" in _content(spec)


def names(spec: RouteSpec) -> list[str]:
    """The path parameters, in order."""
    return re.findall(r"{(\w+)}", spec.path)


def narrowed_by(spec: RouteSpec) -> list[str]:
    """The query parameters by which the route can be narrowed to a place."""
    return list(_query_names(spec, narrow=True))


def build(spec: RouteSpec, ids: Ids, *, narrow: bool = False) -> Request:
    """A good request for the route about the things in `ids`."""
    query = {name: ids[name] for name in _query_names(spec, narrow=narrow)}
    asked = _parameters(spec, "header")
    headers = {"if-match": '"1"'} if "if-match" in asked else {}
    if "moorage-pull" in asked:
        headers["moorage-pull"] = ids.get("pull_secret", "none")
    return Request(spec.method, spec.path.format(**ids), query, headers, _body(spec, ids))


async def build_about(spec: RouteSpec, tenant: Tenant, caller: Caller) -> Request:
    """A request that succeeds, about things of the tenant and the version that they are at."""
    await tenant.fill("org", "project", *names(spec))
    if spec.name in STATES:
        await STATES[spec.name](tenant)
    request = build(spec, tenant.ids)
    if "if-match" not in request.headers:
        return request
    read = await caller.get(request.path)
    return request.with_headers(if_match=read.headers.get("etag", '"1"'))


def random_ids(spec: RouteSpec) -> dict[str, str]:
    """Ids of the same kinds that name nothing."""
    made = {"org": _random("org_"), "project": _random("prj_")}
    for name, schema in _parameters(spec, "path").items():
        prefix = re.match(r"\^([a-z]+_)", schema.get("pattern", ""))
        made[name] = _random(prefix[1]) if prefix else f"none-{fresh()}"
    return made


async def right_caller(site: Site, spec: RouteSpec, tenant: Tenant) -> Caller:
    """Somebody who may call the route about the tenant's things."""
    if spec.key == PUBLIC:
        return Caller(site.client, None)
    if spec.key in NODE_KEYS:
        return await agent_of(tenant)
    if (controller := await controllers.right_caller(tenant, spec.key)) is not None:
        return controller
    if spec.key == Permission.APPS_OPERATION_REPORT:
        await operations.held(tenant)
    if spec.key in GRANT_KEYS:
        operation = await tenant.id("operation")
        return Holder(site.client, tenant.secrets["operation"], operation)
    return await site.actor("platform_admin") if spec.key in PLATFORM_KEYS else tenant.admin


async def agent_of(tenant: Tenant) -> Bearer:
    """The agent of the node on which the tenant has its task."""
    site, task = tenant.site, await tenant.id("task")
    ((node,),) = await site.rows("SELECT node_id FROM tasks WHERE id = %s", task)
    return Bearer(site.client, await machines.give_node_token(site, node))


def references(spec: RouteSpec) -> bool:
    """Whether a caller can name a tenant's thing: in the path, the query or the body."""
    if names(spec) or any(_query_names(spec, narrow=True)):
        return True
    return any(value in str(_body(spec, _MARKED)) for value in _MARKED.values())


def _random(prefix: str) -> str:
    kind = type("AnyId", (Id,), {"prefix": prefix.rstrip("_")})
    return str(kind.new())


def _parameters(spec: RouteSpec, place: str) -> dict[str, dict[str, Any]]:
    found = operation(spec).get("parameters", [])
    return {each["name"]: each["schema"] for each in found if each["in"] == place}


def _query_names(spec: RouteSpec, *, narrow: bool) -> Iterator[str]:
    for each in operation(spec).get("parameters", []):
        if each["in"] != "query":
            continue
        known = each["name"] in NARROWING
        assert known or not each["required"], (
            f"{spec.label} needs the query parameter {each['name']!r}. "
            "Teach `_query_names` in core/tests/factories/requests.py where to get one."
        )
        if known and (each["required"] or narrow):
            yield each["name"]


def _body(spec: RouteSpec, ids: Ids) -> dict[str, Any] | None:
    if not takes_json(spec):
        return None
    name = _content(spec)["application/json"]["schema"]["$ref"].rpartition("/")[2]
    assert name in BODIES, (
        f"{spec.label} takes a {name}, of which tests know no example. "
        "Add one to BODIES in core/tests/factories/requests.py."
    )
    return BODIES[name](ids)


def _content(spec: RouteSpec) -> dict[str, Any]:
    """The bodies that the route takes, by their media type."""
    return operation(spec).get("requestBody", {}).get("content", {})


_MARKED = {"org": PLATFORM_ORG[:-1] + "7", "project": "prj_" + "7" * 26}


def _email() -> str:
    return f"somebody-{fresh()}@example.org"


def _node(ids: Ids) -> dict[str, Any]:
    return {
        "name": f"node-{fresh()}",
        "region": ids.get("region_slug", "none"),
        "sku": ids.get("sku_slug", "none"),
    }


BODIES: dict[str, Body] = {
    "AccessCredentialCreate": lambda ids: {"name": f"key-{fresh()}", "username": "root"},
    "CredentialRotation": lambda ids: {"overlap_hours": 1},
    "SshHostWrite": lambda ids: {"credential": ids.get("credential", _random("acc_"))},
    "SshHostConfirm": lambda ids: {"fingerprint": agentless.FINGERPRINT},
    "AccessGrantCreate": lambda ids: {"reason": "to look at its logs", "expires_in": 3600},
    "UnixLoginCreate": lambda ids: {"user": ids.get("user", "usr_" + "7" * 26)},
    "SshAuthorityRotate": lambda ids: {"reason": "it is a year old"},
    "SshCertificateCreate": lambda ids: {"public_key": machines.SSH_PUBLIC_KEY},
    "AccessTokenCreate": lambda ids: {
        "name": f"token {fresh()}",
        "expires_in": 3600,
        "org": ids["org"],
        "project": ids["project"],
    },
    "AdmissionWrite": lambda ids: families.admission_body(ids.get("family", "none")),
    "AgentEnrol": lambda ids: {
        "token": "moor_enr_none",
        "public_key": {"kty": "EC", "crv": "P-256", "x": "A" * 43, "y": "A" * 43},
        "assertion": "none",
        "agent_version": "0.1.0",
        "hostname": "host",
        "inventory": {"cpu": {}, "memory_bytes": 0},
    },
    "AgentEvidence": lambda ids: {
        "items": [{"kind": "ssh.login", "key": fresh(), "data": {"login": "ada"}}]
    },
    "AgentPoll": lambda ids: {"wait": 0, "run_id": "run", "agent_version": "0.1.0"},
    "AgentProve": lambda ids: {"node_id": ids.get("node", _random("nod_")), "assertion": "none"},
    "AgentReports": lambda ids: {
        "reports": [{"task": ids.get("task", _random("tsk_")), "fence": 1, "state": "running"}]
    },
    "AppCreate": lambda ids: catalog.new_app(),
    "AppOperatorCreate": lambda ids: {
        "app": ids.get("app", "app_" + "7" * 26),
        "service_account": ids.get("operator_account", "sac_" + "7" * 26),
        "name": f"operator {fresh()}",
    },
    "AppUpdate": lambda ids: {"name": f"App {fresh()}"},
    "AdminAppoint": lambda ids: {"email": _email(), "reason": "Their admin left without a word."},
    "AllocationRelease": lambda ids: {"reason": "the work is done"},
    "AllocationRequest": lambda ids: {
        "sku": ids.get("sku_slug", "none"),
        "region": ids.get("region_slug", "none"),
    },
    "AllocationUpdate": lambda ids: {"name": f"machine-{fresh()}"},
    "ForcedRelease": lambda ids: {"reason": "its tenant does not answer"},
    "NodeAllocationRequest": lambda ids: {
        "project": ids["project"],
        "reason": "they asked for this very one",
    },
    "ArtifactCreate": lambda ids: artifacts.announcement(fresh().encode()),
    "ArtifactUpdate": lambda ids: {"lifecycle": "deprecated"},
    "ConsentGive": lambda ids: {"consent": ids.get("consent", "sha256:" + "0" * 64)},
    "DeviceCodeCreate": lambda ids: {"client": "moor on a host", "token_expires_in": 3600},
    "DeviceTokenRequest": lambda ids: {"device_code": "moor_dvc_none"},
    "EntitlementCreate": lambda ids: {
        "app": ids.get("app", _random("app_")),
        "consent": ids.get("consent", "sha256:" + "0" * 64),
    },
    "EntitlementUpdate": lambda ids: {"enabled": False},
    "FamilyWrite": lambda ids: families.family_body(ids.get("family", "none"), "write"),
    "LeaseRenew": lambda ids: {"lease": 600},
    "OperationEnd": lambda ids: {"outcome": "succeeded", "message": "All is well."},
    "RuntimeSecretCreate": lambda ids: {
        "name": f"key-{fresh()}",
        "purpose": "cluster_key",
        "generate": 32,
    },
    "SessionCreate": lambda ids: {
        "allocations": [ids.get("allocation", "alc_" + "7" * 26)],
        "reason": "its disk is nearly full",
    },
    "TasksCreate": lambda ids: {
        "tasks": [
            {
                "key": f"step/{fresh()}",
                "kind": "exec",
                "allocation": ids.get("allocation", "alc_" + "7" * 26),
                "input": {"argv": ["true"]},
            }
        ]
    },
    "KeyCreate": lambda ids: {"expires_in": 3600},
    "Login": lambda ids: {"email": ids.get("email", _email()), "password": PASSWORD},
    "MembershipAdd": lambda ids: {"email": _email(), "role": "viewer"},
    "MembershipUpdate": lambda ids: {"role": "viewer"},
    "EnrolmentCreate": lambda ids: {"expires_in": 3600},
    "NodeAct": lambda ids: {"reason": "its fan is loud"},
    "NodeBatchCreate": lambda ids: {"nodes": [_node(ids), _node(ids)]},
    "NodeCreate": _node,
    "NodeUpdate": lambda ids: {"labels": {"rack": f"r-{fresh()}"}},
    "OidcProviderCreate": lambda ids: {
        "slug": f"idp-{fresh()}",
        "name": "Example",
        "issuer": "https://id.example.org",
        "client_id": "moorage",
        "client_secret": "a secret of theirs",
        "domains": ["example.org"],
        "enabled": False,
    },
    "OidcIdentityLink": lambda ids: {
        "subject": f"subject {fresh()}",
        "reason": "the person asked for it",
    },
    "OidcProviderUpdate": lambda ids: {"name": f"Example {fresh()}"},
    "OrgCreate": lambda ids: {"slug": f"o-{fresh()}", "name": "Org", "admin_email": _email()},
    "OrgUpdate": lambda ids: {"name": f"Org {fresh()}"},
    "OverlayWrite": lambda ids: {
        "document": {"regions": {"deny": ["nowhere"]}, "quotas": {"gpus": 4096}}
    },
    "PolicyQuestion": lambda ids: {
        "project": ids["project"],
        "app": ids.get("app", "app_" + "7" * 26),
        "operation": "instance.deploy",
    },
    "PasswordChange": lambda ids: {"current": PASSWORD, "password": f"a new one {fresh()}"},
    "PasswordCodeIssue": lambda ids: {"reason": "They lost it and asked by letter."},
    "PasswordSet": lambda ids: {
        "code": ids.get("code", "moor_pwc_none"),
        "password": f"a new one {fresh()}",
    },
    "ProjectCreate": lambda ids: {"slug": f"p-{fresh()}", "name": "Project"},
    "ProjectUpdate": lambda ids: {"name": f"Project {fresh()}"},
    "PromotionCreate": lambda ids: {
        "channel": "dev",
        "version": ids.get("version", "ver_" + "7" * 26),
    },
    "PublisherKeyCreate": lambda ids: artifacts.key_body(
        Ed25519PrivateKey.generate(), ids.get("project", "prj_" + "7" * 26), name=f"key {fresh()}"
    ),
    "PullCreate": lambda ids: {
        "app": ids.get("pulled_app", "app_" + "7" * 26),
        "artifact": "thing.tar",
    },
    "RegionCreate": lambda ids: {"slug": f"r-{fresh()}", "name": "Region"},
    "RegionUpdate": lambda ids: {"name": f"Region {fresh()}"},
    "Revocation": lambda ids: {"reason": "It does harm to whoever runs it."},
    "SecretRotation": lambda ids: {"overlap_hours": 1},
    "ServiceAccountCreate": lambda ids: {
        "name": f"robot {fresh()}",
        "permissions": ["iam.project.read"],
    },
    "ServiceAccountUpdate": lambda ids: {"name": f"robot {fresh()}"},
    "SignatureCreate": lambda ids: {
        "key": ids.get("publisher_key", "pky_" + "7" * 26),
        "signature": ids.get("signature", "A" * 86),
    },
    "SkuCreate": lambda ids: {
        "slug": f"s-{fresh()}",
        "name": "Class",
        "cpus": 4,
        "memory_bytes": 8 << 30,
        "price_micros": 2_500_000,
        "currency": "EUR",
    },
    "SkuUpdate": lambda ids: {"price_micros": 3_000_000},
    "SourceCreate": lambda ids: families.source_body(),
    "SourceUpdate": lambda ids: {"name": f"Registry {fresh()}"},
    "TokenRequest": lambda ids: {
        "service_account": ids["account"],
        "key": ids["key"],
        "client_secret": ids.get("account_secret", "moor_sak_none"),
    },
    "UserCreate": lambda ids: {"email": _email(), "name": "Somebody"},
    "UserUpdate": lambda ids: {"name": f"Somebody {fresh()}"},
    "VersionDeprecate": lambda ids: {"note": "Use another one."},
    "VersionPublish": lambda ids: {},
    "VersionRetire": lambda ids: {"reason": "It has a flaw."},
    "VersionWrite": lambda ids: {"manifest": catalog.manifest(ids.get("slug", "example"))},
    "WebhookCreate": lambda ids: {
        "org": ids["org"],
        "project": ids["project"],
        "url": "https://example.org/hook",
        "types": ["iam.*"],
    },
    "WebhookUpdate": lambda ids: {"types": ["iam.org.*"]},
    **members.BODIES,
    **instances.BODIES,
    **controllers.BODIES,
    **operations.BODIES,
}
