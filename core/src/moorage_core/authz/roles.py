"""The built-in roles, each a set of permission keys, and where each can be given."""

from dataclasses import dataclass
from enum import StrEnum

from moorage_core.authz.permissions import Permission as P


class Role(StrEnum):
    PLATFORM_ADMIN = "platform_admin"
    TENANT_ADMIN = "tenant_admin"
    PROJECT_ADMIN = "project_admin"
    PROJECT_MEMBER = "project_member"
    VIEWER = "viewer"


class Level(StrEnum):
    """What kind of place a role is given in."""

    PLATFORM = "platform"
    ORG = "org"
    PROJECT = "project"


@dataclass(frozen=True)
class RoleDefinition:
    role: Role
    description: str
    levels: frozenset[Level]
    permissions: frozenset[P]


SELF = frozenset({P.IAM_SELF_READ, P.IAM_SELF_MANAGE, P.IAM_ROLE_READ})
"""What everybody may do with themselves, those without any role included."""

_VIEWER = frozenset(
    {
        P.APPS_INSTANCE_READ,
        P.APPS_OPERATION_READ,
        P.APPS_TASK_READ,
        P.CATALOG_APP_READ,
        P.CATALOG_ENTITLEMENT_READ,
        P.CATALOG_FAMILY_READ,
        P.CATALOG_OPERATOR_READ,
        P.CATALOG_SOURCE_READ,
        P.EVENTS_EVENT_READ,
        P.IAM_LOGIN_READ,
        P.IAM_MEMBER_READ,
        P.IAM_ORG_READ,
        P.IAM_PROJECT_READ,
        P.IAM_SERVICE_ACCOUNT_READ,
        P.INFRA_ACCESS_READ,
        P.INFRA_ALLOCATION_READ,
        P.INFRA_CREDENTIAL_READ,
        P.INFRA_REGION_READ,
        P.INFRA_SESSION_READ,
        P.INFRA_SKU_READ,
        P.POLICY_DECISION_EXPLAIN,
        P.POLICY_OVERLAY_READ,
    }
)
_PROJECT_MEMBER = _VIEWER | {
    P.AUDIT_ENTRY_READ,
    P.CATALOG_ARTIFACT_PULL,
    P.CATALOG_ARTIFACT_READ,
    P.CATALOG_PUBLISHER_KEY_READ,
    P.EVENTS_WEBHOOK_READ,
    P.INFRA_ACCESS_USE,
}
_PROJECT_ADMIN = _PROJECT_MEMBER | {
    P.APPS_INSTANCE_CREATE,
    P.APPS_INSTANCE_DELETE,
    P.APPS_INSTANCE_UPDATE,
    P.APPS_MEMBER_ADD,
    P.APPS_MEMBER_DRAIN,
    P.APPS_MEMBER_REMOVE,
    P.APPS_MEMBER_REPLACE,
    P.APPS_MEMBER_RESUME,
    P.APPS_OPERATION_ABANDON,
    P.APPS_OPERATION_CANCEL,
    P.APPS_OPERATION_CLAIM,
    P.APPS_OPERATION_RESUME,
    P.APPS_OPERATION_RETRY,
    P.CATALOG_APP_CREATE,
    P.CATALOG_APP_DELETE,
    P.CATALOG_APP_UPDATE,
    P.CATALOG_ARTIFACT_CREATE,
    P.CATALOG_ARTIFACT_DELETE,
    P.CATALOG_ARTIFACT_REVOKE,
    P.CATALOG_ARTIFACT_SIGN,
    P.CATALOG_ARTIFACT_UPDATE,
    P.CATALOG_OPERATOR_CREATE,
    P.CATALOG_OPERATOR_DELETE,
    P.CATALOG_PUBLISHER_KEY_CREATE,
    P.CATALOG_PUBLISHER_KEY_REVOKE,
    P.CATALOG_VERSION_CREATE,
    P.CATALOG_VERSION_DEPRECATE,
    P.CATALOG_VERSION_PROMOTE,
    P.CATALOG_VERSION_PUBLISH,
    P.CATALOG_VERSION_RETIRE,
    P.EVENTS_WEBHOOK_CREATE,
    P.EVENTS_WEBHOOK_DELETE,
    P.EVENTS_WEBHOOK_REDELIVER,
    P.EVENTS_WEBHOOK_UPDATE,
    P.IAM_MEMBER_ADD,
    P.IAM_MEMBER_REMOVE,
    P.IAM_MEMBER_UPDATE,
    P.IAM_PROJECT_UPDATE,
    P.IAM_SERVICE_ACCOUNT_CREATE,
    P.IAM_SERVICE_ACCOUNT_DELETE,
    P.IAM_SERVICE_ACCOUNT_MANAGE_KEYS,
    P.IAM_SERVICE_ACCOUNT_UPDATE,
    P.APPS_TASK_CANCEL,
    P.IAM_LOGIN_CREATE,
    P.INFRA_ACCESS_CREATE,
    P.INFRA_ACCESS_DELETE,
    P.INFRA_ALLOCATION_CREATE,
    P.INFRA_ALLOCATION_RELEASE,
    P.INFRA_ALLOCATION_UPDATE,
    P.INFRA_CREDENTIAL_CREATE,
    P.INFRA_CREDENTIAL_REVOKE,
    P.INFRA_CREDENTIAL_ROTATE,
    P.INFRA_CREDENTIAL_USE,
    P.INFRA_SESSION_CREATE,
    P.INFRA_SESSION_END,
}
_TENANT_ADMIN = _PROJECT_ADMIN | {
    P.CATALOG_ENTITLEMENT_CONSENT,
    P.CATALOG_ENTITLEMENT_CREATE,
    P.CATALOG_ENTITLEMENT_DELETE,
    P.CATALOG_ENTITLEMENT_UPDATE,
    P.CATALOG_SOURCE_CREATE,
    P.CATALOG_SOURCE_DELETE,
    P.CATALOG_SOURCE_UPDATE,
    P.IAM_ORG_UPDATE,
    P.IAM_PROJECT_CREATE,
    P.IAM_PROJECT_DELETE,
    P.POLICY_OVERLAY_UPDATE,
    P.POLICY_OVERRIDE,
}
_PLATFORM_ADMIN = _TENANT_ADMIN | {
    P.CATALOG_FAMILY_ADMIT,
    P.CATALOG_FAMILY_WRITE,
    P.IAM_OIDC_PROVIDER_CREATE,
    P.IAM_OIDC_PROVIDER_DELETE,
    P.IAM_OIDC_PROVIDER_READ,
    P.IAM_OIDC_PROVIDER_UPDATE,
    P.IAM_ORG_APPOINT_ADMIN,
    P.IAM_ORG_CREATE,
    P.IAM_ORG_DELETE,
    P.IAM_USER_CREATE,
    P.IAM_USER_READ,
    P.IAM_USER_RESET_PASSWORD,
    P.IAM_USER_UPDATE,
    P.INFRA_NODE_ALLOCATE,
    P.INFRA_NODE_ENROL,
    P.INFRA_NODE_OPERATE,
    P.INFRA_NODE_READ,
    P.INFRA_REGION_WRITE,
    P.INFRA_SKU_WRITE,
    P.PLATFORM_ALLOCATION_RELEASE,
    P.PLATFORM_ARTIFACT_REVOKE,
    P.PLATFORM_INSTANCE_ABANDON,
    P.PLATFORM_INSTANCE_DECOMMISSION,
    P.PLATFORM_INSTANCE_READ_TRIAGE,
    P.PLATFORM_METRICS_READ,
    P.PLATFORM_ORG_LIST,
    P.POLICY_GLOBAL_UPDATE,
}

ROLES: dict[Role, RoleDefinition] = {
    definition.role: definition
    for definition in (
        RoleDefinition(
            Role.PLATFORM_ADMIN,
            "Runs the platform: orgs, people, families, global policy. Sees no tenant's objects.",
            frozenset({Level.PLATFORM}),
            _PLATFORM_ADMIN,
        ),
        RoleDefinition(
            Role.TENANT_ADMIN,
            "Runs one org and all its projects: who may use which app, within which limits.",
            frozenset({Level.PLATFORM, Level.ORG}),
            _TENANT_ADMIN,
        ),
        RoleDefinition(
            Role.PROJECT_ADMIN,
            "Runs one project: its people, service accounts, webhooks, and the apps it publishes.",
            frozenset({Level.PROJECT}),
            _PROJECT_ADMIN,
        ),
        RoleDefinition(
            Role.PROJECT_MEMBER,
            "Works in one project.",
            frozenset({Level.PROJECT}),
            _PROJECT_MEMBER,
        ),
        RoleDefinition(
            Role.VIEWER,
            "Looks, and changes nothing.",
            frozenset({Level.PLATFORM, Level.ORG, Level.PROJECT}),
            _VIEWER,
        ),
    )
}

SERVICE_ACCOUNT_PERMISSIONS: frozenset[P] = _PROJECT_ADMIN
"""What a service account's allowlist may hold: keys that mean something inside one project."""

NODE_PERMISSIONS: frozenset[P] = frozenset({P.INFRA_AGENT_REPORT})
"""What a node's agent may do, and nobody else."""

_INSTANCE = frozenset({P.APPS_INSTANCE_OBSERVE, P.APPS_PRINCIPAL_READ, P.APPS_USAGE_REPORT})
GRANT_PERMISSIONS: frozenset[P] = _INSTANCE | {
    P.APPS_OPERATION_REPORT,
    P.APPS_SECRET_CREATE,
    P.APPS_TASK_CANCEL,
    P.APPS_TASK_CREATE,
    P.APPS_TASK_READ,
}
"""What the token of a live operation opens, on that operation alone."""

WATCH_PERMISSIONS: frozenset[P] = _INSTANCE | {
    P.APPS_INSTANCE_REQUEST_REPAIR,
    P.APPS_PROBE_CREATE,
    P.APPS_TASK_READ,
}
"""What the token of a live watch opens, on its instance alone. It changes nothing on a machine."""
