"""The closed lists of the contract: what a manifest may name. Extended only with the contract."""

from typing import Literal, get_args

CONTRACT = 1

Role = Literal["project_admin", "project_member", "viewer"]
Scope = Literal["principals.read", "usage.report", "instance.repair"]
Secret = Literal["cluster_key", "join", "database", "artifact_pull"]
MemberVerb = Literal["add", "drain", "resume", "remove", "replace"]
Effect = Literal["none", "reconfigure", "restart"]
Lock = Literal["none", "member", "instance"]
ModeScope = Literal["project", "tenant", "platform"]
TaskKind = Literal["exec", "put", "get", "packages", "service", "access-sync", "probe"]
ColumnType = Literal["text", "integer", "number", "boolean", "time", "duration", "bytes"]
OperationKind = Literal[
    "instance.deploy",
    "instance.configure",
    "instance.upgrade",
    "instance.rollback",
    "instance.stop",
    "instance.start",
    "instance.restart",
    "instance.repair",
    "instance.decommission",
    "member.add",
    "member.drain",
    "member.resume",
    "member.remove",
    "member.replace",
    "action",
    "credential.rotate",
]

ROLES: tuple[str, ...] = get_args(Role)
OPERATION_KINDS: tuple[str, ...] = get_args(OperationKind)

CORE_AREAS = frozenset(
    {
        "apps",
        "artifacts",
        "audit",
        "catalog",
        "entitlements",
        "events",
        "families",
        "iam",
        "infra",
        "platform",
        "policy",
        "pulls",
        "secrets",
        "sources",
        "usage",
    }
)
"""First words of the platform's own keys and events. No app and no family is called so."""

RESERVED_SLUGS = CORE_AREAS | {
    "action",
    "agent",
    "app",
    "component",
    "contract",
    "controller",
    "core",
    "credential",
    "family",
    "global",
    "instance",
    "member",
    "moor",
    "moorage",
    "node",
    "operation",
    "org",
    "project",
    "store",
    "system",
    "task",
}
"""What no app may be called: the core's areas, and words that would read as the platform's own."""
