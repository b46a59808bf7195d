"""The permission keys of the core, in order. Handlers ask for a key, never for a role.

Keys of apps and of families are not here: they arrive as data and are plain strings under the app's
own name. `authorize` treats both alike.
"""

from enum import StrEnum


class Permission(StrEnum):
    AUDIT_ENTRY_READ = "audit.entry.read"
    EVENTS_EVENT_READ = "events.event.read"
    EVENTS_WEBHOOK_CREATE = "events.webhook.create"
    EVENTS_WEBHOOK_DELETE = "events.webhook.delete"
    EVENTS_WEBHOOK_READ = "events.webhook.read"
    EVENTS_WEBHOOK_REDELIVER = "events.webhook.redeliver"
    EVENTS_WEBHOOK_UPDATE = "events.webhook.update"
    IAM_MEMBER_ADD = "iam.member.add"
    IAM_MEMBER_READ = "iam.member.read"
    IAM_MEMBER_REMOVE = "iam.member.remove"
    IAM_MEMBER_UPDATE = "iam.member.update"
    IAM_OIDC_PROVIDER_CREATE = "iam.oidc_provider.create"
    IAM_OIDC_PROVIDER_DELETE = "iam.oidc_provider.delete"
    IAM_OIDC_PROVIDER_READ = "iam.oidc_provider.read"
    IAM_OIDC_PROVIDER_UPDATE = "iam.oidc_provider.update"
    IAM_ORG_APPOINT_ADMIN = "iam.org.appoint_admin"
    IAM_ORG_CREATE = "iam.org.create"
    IAM_ORG_DELETE = "iam.org.delete"
    IAM_ORG_READ = "iam.org.read"
    IAM_ORG_UPDATE = "iam.org.update"
    IAM_PROJECT_CREATE = "iam.project.create"
    IAM_PROJECT_DELETE = "iam.project.delete"
    IAM_PROJECT_READ = "iam.project.read"
    IAM_PROJECT_UPDATE = "iam.project.update"
    IAM_ROLE_READ = "iam.role.read"
    IAM_SELF_MANAGE = "iam.self.manage"
    IAM_SELF_READ = "iam.self.read"
    IAM_SERVICE_ACCOUNT_CREATE = "iam.service_account.create"
    IAM_SERVICE_ACCOUNT_DELETE = "iam.service_account.delete"
    IAM_SERVICE_ACCOUNT_MANAGE_KEYS = "iam.service_account.manage_keys"
    IAM_SERVICE_ACCOUNT_READ = "iam.service_account.read"
    IAM_SERVICE_ACCOUNT_UPDATE = "iam.service_account.update"
    IAM_USER_CREATE = "iam.user.create"
    IAM_USER_READ = "iam.user.read"
    IAM_USER_RESET_PASSWORD = "iam.user.reset_password"
    IAM_USER_UPDATE = "iam.user.update"
    PLATFORM_METRICS_READ = "platform.metrics.read"
    PLATFORM_ORG_LIST = "platform.org.list"
