# Generated from contract/openapi.json by tools/gen_sdk.py; `make gen` writes it.
"""Every operation of the contract: where it is and of which class."""

from moorage._operation import Operation

ADD_ORG_MEMBER = Operation("add_org_member", "POST", "/v1/orgs/{org}/members", "mutation")
ADD_PROJECT_MEMBER = Operation(
    "add_project_member", "POST", "/v1/projects/{project}/members", "mutation"
)
APPOINT_ORG_ADMIN = Operation(
    "appoint_org_admin", "POST", "/v1/break-glass/orgs/{org}/admins", "mutation"
)
CHANGE_PASSWORD = Operation("change_password", "POST", "/v1/me/password", "mutation")
CREATE_ACCESS_TOKEN = Operation("create_access_token", "POST", "/v1/access-tokens", "mutation")
CREATE_OIDC_PROVIDER = Operation("create_oidc_provider", "POST", "/v1/oidc-providers", "mutation")
CREATE_ORG = Operation("create_org", "POST", "/v1/orgs", "mutation")
CREATE_PROJECT = Operation("create_project", "POST", "/v1/orgs/{org}/projects", "mutation")
CREATE_SERVICE_ACCOUNT = Operation(
    "create_service_account", "POST", "/v1/projects/{project}/service-accounts", "mutation"
)
CREATE_SERVICE_ACCOUNT_KEY = Operation(
    "create_service_account_key", "POST", "/v1/service-accounts/{account}/keys", "mutation"
)
CREATE_USER = Operation("create_user", "POST", "/v1/users", "mutation")
CREATE_WEBHOOK = Operation("create_webhook", "POST", "/v1/webhooks", "mutation")
DELETE_OIDC_PROVIDER = Operation(
    "delete_oidc_provider", "DELETE", "/v1/oidc-providers/{provider}", "mutation"
)
DELETE_ORG = Operation("delete_org", "DELETE", "/v1/orgs/{org}", "mutation")
DELETE_PROJECT = Operation("delete_project", "DELETE", "/v1/projects/{project}", "mutation")
DELETE_SERVICE_ACCOUNT = Operation(
    "delete_service_account", "DELETE", "/v1/service-accounts/{account}", "mutation"
)
DELETE_WEBHOOK = Operation("delete_webhook", "DELETE", "/v1/webhooks/{webhook}", "mutation")
END_SESSION = Operation("end_session", "DELETE", "/v1/sessions/{session}", "mutation")
FINISH_SIGN_IN = Operation(
    "finish_sign_in", "GET", "/v1/auth/oidc/{provider}/callback", "machine", public=True
)
GET_AUDIT_ENTRY = Operation("get_audit_entry", "GET", "/v1/audit/{entry}", "read")
GET_AUDIT_PROOF = Operation("get_audit_proof", "GET", "/v1/audit/{entry}/proof", "read")
GET_DELIVERY = Operation(
    "get_delivery", "GET", "/v1/webhooks/{webhook}/deliveries/{delivery}", "read"
)
GET_JWKS = Operation("get_jwks", "GET", "/.well-known/jwks.json", "read", public=True)
GET_ME = Operation("get_me", "GET", "/v1/me", "read")
GET_MEMBER = Operation("get_member", "GET", "/v1/members/{member}", "read")
GET_METRICS = Operation("get_metrics", "GET", "/metrics", "read")
GET_OIDC_PROVIDER = Operation("get_oidc_provider", "GET", "/v1/oidc-providers/{provider}", "read")
GET_OPENAPI = Operation("get_openapi", "GET", "/v1/openapi.json", "read", public=True)
GET_ORG = Operation("get_org", "GET", "/v1/orgs/{org}", "read")
GET_PROJECT = Operation("get_project", "GET", "/v1/projects/{project}", "read")
GET_SERVICE_ACCOUNT = Operation(
    "get_service_account", "GET", "/v1/service-accounts/{account}", "read"
)
GET_STATUS = Operation("get_status", "GET", "/v1/status", "read", public=True)
GET_USER = Operation("get_user", "GET", "/v1/users/{user}", "read")
GET_WEBHOOK = Operation("get_webhook", "GET", "/v1/webhooks/{webhook}", "read")
ISSUE_PASSWORD_CODE = Operation(
    "issue_password_code", "POST", "/v1/users/{user}/password-codes", "mutation"
)
LINK_OIDC_IDENTITY = Operation(
    "link_oidc_identity", "PUT", "/v1/oidc-providers/{provider}/identities/{user}", "mutation"
)
LIST_ACCESS_TOKENS = Operation("list_access_tokens", "GET", "/v1/access-tokens", "read")
LIST_AUDIT_ENTRIES = Operation("list_audit_entries", "GET", "/v1/audit", "read")
LIST_AUDIT_SEALS = Operation("list_audit_seals", "GET", "/v1/audit/seals", "read")
LIST_DELIVERIES = Operation("list_deliveries", "GET", "/v1/webhooks/{webhook}/deliveries", "read")
LIST_EVENTS = Operation("list_events", "GET", "/v1/events", "read")
LIST_OIDC_PROVIDERS = Operation("list_oidc_providers", "GET", "/v1/oidc-providers", "read")
LIST_ORG_MEMBERS = Operation("list_org_members", "GET", "/v1/orgs/{org}/members", "read")
LIST_ORGS = Operation("list_orgs", "GET", "/v1/orgs", "read")
LIST_PROJECT_MEMBERS = Operation(
    "list_project_members", "GET", "/v1/projects/{project}/members", "read"
)
LIST_PROJECTS = Operation("list_projects", "GET", "/v1/orgs/{org}/projects", "read")
LIST_ROLES = Operation("list_roles", "GET", "/v1/roles", "read")
LIST_SERVICE_ACCOUNT_KEYS = Operation(
    "list_service_account_keys", "GET", "/v1/service-accounts/{account}/keys", "read"
)
LIST_SERVICE_ACCOUNTS = Operation(
    "list_service_accounts", "GET", "/v1/projects/{project}/service-accounts", "read"
)
LIST_SESSIONS = Operation("list_sessions", "GET", "/v1/sessions", "read")
LIST_SIGN_IN_CHOICES = Operation(
    "list_sign_in_choices", "GET", "/v1/auth/oidc/providers", "read", public=True
)
LIST_USERS = Operation("list_users", "GET", "/v1/users", "read")
LIST_WEBHOOKS = Operation("list_webhooks", "GET", "/v1/webhooks", "read")
LOGIN = Operation("login", "POST", "/v1/auth/login", "machine", public=True)
MINT_TOKEN = Operation("mint_token", "POST", "/v1/auth/token", "machine", public=True)
REDELIVER = Operation(
    "redeliver", "POST", "/v1/webhooks/{webhook}/deliveries/{delivery}/redeliveries", "mutation"
)
REMOVE_MEMBER = Operation("remove_member", "DELETE", "/v1/members/{member}", "mutation")
REVOKE_ACCESS_TOKEN = Operation(
    "revoke_access_token", "DELETE", "/v1/access-tokens/{token}", "mutation"
)
REVOKE_SERVICE_ACCOUNT_KEY = Operation(
    "revoke_service_account_key", "DELETE", "/v1/service-accounts/{account}/keys/{key}", "mutation"
)
ROTATE_WEBHOOK_SECRET = Operation(
    "rotate_webhook_secret", "POST", "/v1/webhooks/{webhook}/secret-rotations", "mutation"
)
SET_PASSWORD = Operation("set_password", "POST", "/v1/auth/password", "machine", public=True)
START_SIGN_IN = Operation(
    "start_sign_in", "GET", "/v1/auth/oidc/{provider}/start", "machine", public=True
)
STREAM_EVENTS = Operation("stream_events", "GET", "/v1/events/stream", "read")
UNLINK_OIDC_IDENTITY = Operation(
    "unlink_oidc_identity", "DELETE", "/v1/oidc-providers/{provider}/identities/{user}", "mutation"
)
UPDATE_MEMBER = Operation("update_member", "PATCH", "/v1/members/{member}", "mutation")
UPDATE_OIDC_PROVIDER = Operation(
    "update_oidc_provider", "PATCH", "/v1/oidc-providers/{provider}", "mutation"
)
UPDATE_ORG = Operation("update_org", "PATCH", "/v1/orgs/{org}", "mutation")
UPDATE_PROJECT = Operation("update_project", "PATCH", "/v1/projects/{project}", "mutation")
UPDATE_SERVICE_ACCOUNT = Operation(
    "update_service_account", "PATCH", "/v1/service-accounts/{account}", "mutation"
)
UPDATE_USER = Operation("update_user", "PATCH", "/v1/users/{user}", "mutation")
UPDATE_WEBHOOK = Operation("update_webhook", "PATCH", "/v1/webhooks/{webhook}", "mutation")
