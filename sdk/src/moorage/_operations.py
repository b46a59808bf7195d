# Generated from contract/openapi.json by tools/gen_sdk.py; `make gen` writes it.
"""Every operation of the contract: where it is and of which class."""

from moorage._operation import Operation

ABANDON_INSTANCE = Operation(
    "abandon_instance", "POST", "/v1/platform/instances/{instance}/abandon", "mutation"
)
ABANDON_OPERATION = Operation(
    "abandon_operation", "POST", "/v1/operations/{operation}/abandon", "mutation"
)
ADD_MEMBERS = Operation("add_members", "POST", "/v1/instances/{instance}/members", "mutation")
ADD_ORG_MEMBERSHIP = Operation(
    "add_org_membership", "POST", "/v1/orgs/{org}/memberships", "mutation"
)
ADD_PROJECT_MEMBERSHIP = Operation(
    "add_project_membership", "POST", "/v1/projects/{project}/memberships", "mutation"
)
ADMIT_APP = Operation("admit_app", "PUT", "/v1/families/{family}/admissions/{app}", "mutation")
APPOINT_ORG_ADMIN = Operation(
    "appoint_org_admin", "POST", "/v1/break-glass/orgs/{org}/admins", "mutation"
)
APPROVE_DEVICE_CODE = Operation(
    "approve_device_code", "POST", "/v1/auth/device-codes/{user_code}/approve", "machine"
)
CANCEL_OPERATION = Operation(
    "cancel_operation", "POST", "/v1/operations/{operation}/cancel", "mutation"
)
CANCEL_TASK = Operation("cancel_task", "POST", "/v1/tasks/{task}/cancel", "mutation")
CHANGE_PASSWORD = Operation("change_password", "POST", "/v1/me/password", "mutation")
CLAIM = Operation("claim", "POST", "/v1/controller/claims", "machine")
CLEAR_APP_CHANNEL = Operation(
    "clear_app_channel", "DELETE", "/v1/apps/{app}/channels/{channel}", "mutation"
)
COMPLETE_ARTIFACT = Operation(
    "complete_artifact", "POST", "/v1/artifacts/{artifact}/complete", "mutation"
)
CONFIGURE_INSTANCE = Operation(
    "configure_instance", "POST", "/v1/instances/{instance}/configure", "mutation"
)
CONFIRM_SSH_HOST = Operation(
    "confirm_ssh_host", "POST", "/v1/allocations/{allocation}/ssh/confirm", "mutation"
)
CREATE_ACCESS_CREDENTIAL = Operation(
    "create_access_credential", "POST", "/v1/projects/{project}/access-credentials", "mutation"
)
CREATE_ACCESS_GRANT = Operation(
    "create_access_grant", "POST", "/v1/allocations/{allocation}/grants", "mutation"
)
CREATE_ACCESS_TOKEN = Operation("create_access_token", "POST", "/v1/access-tokens", "mutation")
CREATE_ALLOCATIONS = Operation(
    "create_allocations", "POST", "/v1/projects/{project}/allocations", "mutation"
)
CREATE_APP = Operation("create_app", "POST", "/v1/projects/{project}/apps", "mutation")
CREATE_APP_VERSION = Operation("create_app_version", "POST", "/v1/apps/{app}/versions", "mutation")
CREATE_ARTIFACT = Operation(
    "create_artifact", "POST", "/v1/projects/{project}/artifacts", "mutation"
)
CREATE_DEVICE_CODE = Operation(
    "create_device_code", "POST", "/v1/auth/device-codes", "machine", public=True
)
CREATE_ENTITLEMENT = Operation(
    "create_entitlement", "POST", "/v1/projects/{project}/entitlements", "mutation"
)
CREATE_INSTANCE = Operation(
    "create_instance", "POST", "/v1/projects/{project}/instances", "mutation"
)
CREATE_LOGIN = Operation("create_login", "POST", "/v1/orgs/{org}/logins", "mutation")
CREATE_NODE = Operation("create_node", "POST", "/v1/nodes", "mutation")
CREATE_NODE_ALLOCATION = Operation(
    "create_node_allocation", "POST", "/v1/nodes/{node}/allocations", "mutation"
)
CREATE_NODE_SESSION = Operation(
    "create_node_session", "POST", "/v1/projects/{project}/node-sessions", "mutation"
)
CREATE_NODES = Operation("create_nodes", "POST", "/v1/node-batches", "mutation")
CREATE_OIDC_PROVIDER = Operation("create_oidc_provider", "POST", "/v1/oidc-providers", "mutation")
CREATE_OPERATION_SECRET = Operation(
    "create_operation_secret", "POST", "/v1/operations/{operation}/secrets", "mutation"
)
CREATE_ORG = Operation("create_org", "POST", "/v1/orgs", "mutation")
CREATE_PROBES = Operation("create_probes", "POST", "/v1/instances/{instance}/probes", "machine")
CREATE_PROJECT = Operation("create_project", "POST", "/v1/orgs/{org}/projects", "mutation")
CREATE_PUBLISHER_KEY = Operation(
    "create_publisher_key", "POST", "/v1/projects/{project}/publisher-keys", "mutation"
)
CREATE_PULL = Operation("create_pull", "POST", "/v1/projects/{project}/pulls", "mutation")
CREATE_REGION = Operation("create_region", "POST", "/v1/regions", "mutation")
CREATE_SERVICE_ACCOUNT = Operation(
    "create_service_account", "POST", "/v1/projects/{project}/service-accounts", "mutation"
)
CREATE_SERVICE_ACCOUNT_KEY = Operation(
    "create_service_account_key", "POST", "/v1/service-accounts/{account}/keys", "mutation"
)
CREATE_SKU = Operation("create_sku", "POST", "/v1/skus", "mutation")
CREATE_SOURCE = Operation("create_source", "POST", "/v1/orgs/{org}/sources", "mutation")
CREATE_TASKS = Operation("create_tasks", "POST", "/v1/operations/{operation}/tasks", "machine")
CREATE_USER = Operation("create_user", "POST", "/v1/users", "mutation")
CREATE_WEBHOOK = Operation("create_webhook", "POST", "/v1/webhooks", "mutation")
DECOMMISSION_INSTANCE = Operation(
    "decommission_instance", "POST", "/v1/instances/{instance}/decommission", "mutation"
)
DELETE_APP = Operation("delete_app", "DELETE", "/v1/apps/{app}", "mutation")
DELETE_APP_VERSION = Operation(
    "delete_app_version", "DELETE", "/v1/app-versions/{version}", "mutation"
)
DELETE_ARTIFACT = Operation("delete_artifact", "DELETE", "/v1/artifacts/{artifact}", "mutation")
DELETE_ENTITLEMENT = Operation(
    "delete_entitlement", "DELETE", "/v1/entitlements/{entitlement}", "mutation"
)
DELETE_OIDC_PROVIDER = Operation(
    "delete_oidc_provider", "DELETE", "/v1/oidc-providers/{provider}", "mutation"
)
DELETE_ORG = Operation("delete_org", "DELETE", "/v1/orgs/{org}", "mutation")
DELETE_PROJECT = Operation("delete_project", "DELETE", "/v1/projects/{project}", "mutation")
DELETE_SERVICE_ACCOUNT = Operation(
    "delete_service_account", "DELETE", "/v1/service-accounts/{account}", "mutation"
)
DELETE_SOURCE = Operation("delete_source", "DELETE", "/v1/sources/{source}", "mutation")
DELETE_WEBHOOK = Operation("delete_webhook", "DELETE", "/v1/webhooks/{webhook}", "mutation")
DENY_DEVICE_CODE = Operation(
    "deny_device_code", "POST", "/v1/auth/device-codes/{user_code}/deny", "machine"
)
DEPRECATE_APP_VERSION = Operation(
    "deprecate_app_version", "POST", "/v1/app-versions/{version}/deprecate", "mutation"
)
DRAIN_MEMBERS = Operation(
    "drain_members", "POST", "/v1/instances/{instance}/members/drain", "mutation"
)
END_ACCESS_GRANT = Operation("end_access_grant", "DELETE", "/v1/grants/{grant}", "mutation")
END_OPERATION = Operation("end_operation", "POST", "/v1/operations/{operation}/end", "mutation")
END_SESSION = Operation("end_session", "DELETE", "/v1/sessions/{session}", "mutation")
EXPLAIN_POLICY = Operation("explain_policy", "POST", "/v1/policy/explain", "read")
FINISH_SIGN_IN = Operation(
    "finish_sign_in", "GET", "/v1/auth/oidc/{provider}/callback", "machine", public=True
)
FORCE_DECOMMISSION_INSTANCE = Operation(
    "force_decommission_instance",
    "POST",
    "/v1/platform/instances/{instance}/decommission",
    "mutation",
)
FORCE_RELEASE_ALLOCATION = Operation(
    "force_release_allocation", "POST", "/v1/platform/allocations/{allocation}/release", "mutation"
)
GET_ACCESS_CREDENTIAL = Operation(
    "get_access_credential", "GET", "/v1/access-credentials/{credential}", "read"
)
GET_ACCESS_GRANT = Operation("get_access_grant", "GET", "/v1/grants/{grant}", "read")
GET_ADMISSION = Operation("get_admission", "GET", "/v1/families/{family}/admissions/{app}", "read")
GET_ALLOCATION = Operation("get_allocation", "GET", "/v1/allocations/{allocation}", "read")
GET_ALLOCATION_EVIDENCE = Operation(
    "get_allocation_evidence", "GET", "/v1/allocations/{allocation}/evidence", "read"
)
GET_APP = Operation("get_app", "GET", "/v1/apps/{app}", "read")
GET_APP_OPERATOR = Operation("get_app_operator", "GET", "/v1/app-operators/{operator}", "read")
GET_APP_VERSION = Operation("get_app_version", "GET", "/v1/app-versions/{version}", "read")
GET_ARTIFACT = Operation("get_artifact", "GET", "/v1/artifacts/{artifact}", "read")
GET_AUDIT_ENTRY = Operation("get_audit_entry", "GET", "/v1/audit/{entry}", "read")
GET_AUDIT_PROOF = Operation("get_audit_proof", "GET", "/v1/audit/{entry}/proof", "read")
GET_DELIVERY = Operation(
    "get_delivery", "GET", "/v1/webhooks/{webhook}/deliveries/{delivery}", "read"
)
GET_DEVICE_CODE = Operation("get_device_code", "GET", "/v1/auth/device-codes/{user_code}", "read")
GET_ENTITLEMENT = Operation("get_entitlement", "GET", "/v1/entitlements/{entitlement}", "read")
GET_ENTITLEMENT_OVERLAY = Operation(
    "get_entitlement_overlay", "GET", "/v1/entitlements/{entitlement}/overlay", "read"
)
GET_FAMILY = Operation("get_family", "GET", "/v1/families/{family}", "read")
GET_GLOBAL_OVERLAY = Operation("get_global_overlay", "GET", "/v1/policy/global", "read")
GET_INSTANCE = Operation("get_instance", "GET", "/v1/instances/{instance}", "read")
GET_JWKS = Operation("get_jwks", "GET", "/.well-known/jwks.json", "read", public=True)
GET_ME = Operation("get_me", "GET", "/v1/me", "read")
GET_MEMBER = Operation("get_member", "GET", "/v1/members/{member}", "read")
GET_MEMBERSHIP = Operation("get_membership", "GET", "/v1/memberships/{membership}", "read")
GET_METRICS = Operation("get_metrics", "GET", "/metrics", "read")
GET_NODE = Operation("get_node", "GET", "/v1/nodes/{node}", "read")
GET_OFFER = Operation("get_offer", "GET", "/v1/projects/{project}/offers/{app}", "read")
GET_OIDC_PROVIDER = Operation("get_oidc_provider", "GET", "/v1/oidc-providers/{provider}", "read")
GET_OPENAPI = Operation("get_openapi", "GET", "/v1/openapi.json", "read", public=True)
GET_OPERATION = Operation("get_operation", "GET", "/v1/operations/{operation}", "read")
GET_ORG = Operation("get_org", "GET", "/v1/orgs/{org}", "read")
GET_ORG_OVERLAY = Operation("get_org_overlay", "GET", "/v1/orgs/{org}/overlay", "read")
GET_PERMISSION_DIFF = Operation(
    "get_permission_diff", "GET", "/v1/entitlements/{entitlement}/diff", "read"
)
GET_PLAN = Operation("get_plan", "GET", "/v1/plans/{plan}", "read")
GET_PROJECT = Operation("get_project", "GET", "/v1/projects/{project}", "read")
GET_PROJECT_OVERLAY = Operation(
    "get_project_overlay", "GET", "/v1/projects/{project}/overlay", "read"
)
GET_PROJECT_POLICY = Operation("get_project_policy", "GET", "/v1/projects/{project}/policy", "read")
GET_PULL_CONTENT = Operation("get_pull_content", "GET", "/v1/pulls/{pull}/content", "machine")
GET_REGION = Operation("get_region", "GET", "/v1/regions/{region}", "read")
GET_SERVICE_ACCOUNT = Operation(
    "get_service_account", "GET", "/v1/service-accounts/{account}", "read"
)
GET_SKU = Operation("get_sku", "GET", "/v1/skus/{sku}", "read")
GET_SOURCE = Operation("get_source", "GET", "/v1/sources/{source}", "read")
GET_SSH_HOST = Operation("get_ssh_host", "GET", "/v1/allocations/{allocation}/ssh", "read")
GET_STATUS = Operation("get_status", "GET", "/v1/status", "read", public=True)
GET_TASK = Operation("get_task", "GET", "/v1/tasks/{task}", "read")
GET_TASK_OUTPUT = Operation("get_task_output", "GET", "/v1/tasks/{task}/output", "read")
GET_TENANT_OVERLAY = Operation(
    "get_tenant_overlay", "GET", "/v1/platform/orgs/{org}/overlay", "read"
)
GET_TRIAGE = Operation("get_triage", "GET", "/v1/triage/{correlation}", "read")
GET_USER = Operation("get_user", "GET", "/v1/users/{user}", "read")
GET_VIEW = Operation("get_view", "GET", "/v1/instances/{instance}/views/{view}", "read")
GET_WEBHOOK = Operation("get_webhook", "GET", "/v1/webhooks/{webhook}", "read")
GIVE_CONSENT = Operation(
    "give_consent", "POST", "/v1/entitlements/{entitlement}/consent", "mutation"
)
ISSUE_CERTIFICATE = Operation(
    "issue_certificate", "POST", "/v1/grants/{grant}/certificates", "mutation"
)
ISSUE_ENROLMENT = Operation("issue_enrolment", "POST", "/v1/nodes/{node}/enrolments", "mutation")
ISSUE_PASSWORD_CODE = Operation(
    "issue_password_code", "POST", "/v1/users/{user}/password-codes", "mutation"
)
LEAVE = Operation("leave", "DELETE", "/v1/controller/replicas/{replica}", "machine")
LINK_OIDC_IDENTITY = Operation(
    "link_oidc_identity", "PUT", "/v1/oidc-providers/{provider}/identities/{user}", "mutation"
)
LIST_ACCESS_CREDENTIALS = Operation(
    "list_access_credentials", "GET", "/v1/projects/{project}/access-credentials", "read"
)
LIST_ACCESS_GRANTS = Operation(
    "list_access_grants", "GET", "/v1/allocations/{allocation}/grants", "read"
)
LIST_ACCESS_TOKENS = Operation("list_access_tokens", "GET", "/v1/access-tokens", "read")
LIST_ACTIONS = Operation("list_actions", "GET", "/v1/instances/{instance}/actions", "read")
LIST_ADMISSIONS = Operation("list_admissions", "GET", "/v1/families/{family}/admissions", "read")
LIST_ALL_INSTANCES = Operation("list_all_instances", "GET", "/v1/instances", "read")
LIST_ALLOCATIONS = Operation(
    "list_allocations", "GET", "/v1/projects/{project}/allocations", "read"
)
LIST_APP_CHANNELS = Operation("list_app_channels", "GET", "/v1/apps/{app}/channels", "read")
LIST_APP_OPERATORS = Operation(
    "list_app_operators", "GET", "/v1/projects/{project}/app-operators", "read"
)
LIST_APP_PROMOTIONS = Operation("list_app_promotions", "GET", "/v1/apps/{app}/promotions", "read")
LIST_APP_VERSIONS = Operation("list_app_versions", "GET", "/v1/apps/{app}/versions", "read")
LIST_APPS = Operation("list_apps", "GET", "/v1/apps", "read")
LIST_ARTIFACT_INSTANCES = Operation(
    "list_artifact_instances", "GET", "/v1/artifacts/{artifact}/instances", "read"
)
LIST_ARTIFACT_SIGNATURES = Operation(
    "list_artifact_signatures", "GET", "/v1/artifacts/{artifact}/signatures", "read"
)
LIST_ARTIFACTS = Operation("list_artifacts", "GET", "/v1/projects/{project}/artifacts", "read")
LIST_AUDIT_ENTRIES = Operation("list_audit_entries", "GET", "/v1/audit", "read")
LIST_AUDIT_SEALS = Operation("list_audit_seals", "GET", "/v1/audit/seals", "read")
LIST_DELIVERIES = Operation("list_deliveries", "GET", "/v1/webhooks/{webhook}/deliveries", "read")
LIST_ENROLMENTS = Operation("list_enrolments", "GET", "/v1/nodes/{node}/enrolments", "read")
LIST_ENTITLEMENTS = Operation(
    "list_entitlements", "GET", "/v1/projects/{project}/entitlements", "read"
)
LIST_EVENTS = Operation("list_events", "GET", "/v1/events", "read")
LIST_FAMILIES = Operation("list_families", "GET", "/v1/families", "read")
LIST_INSTANCE_OPERATIONS = Operation(
    "list_instance_operations", "GET", "/v1/instances/{instance}/operations", "read"
)
LIST_INSTANCES = Operation("list_instances", "GET", "/v1/projects/{project}/instances", "read")
LIST_LOGINS = Operation("list_logins", "GET", "/v1/orgs/{org}/logins", "read")
LIST_MEMBERS = Operation("list_members", "GET", "/v1/instances/{instance}/members", "read")
LIST_NODE_SESSIONS = Operation(
    "list_node_sessions", "GET", "/v1/projects/{project}/node-sessions", "read"
)
LIST_NODES = Operation("list_nodes", "GET", "/v1/nodes", "read")
LIST_OIDC_PROVIDERS = Operation("list_oidc_providers", "GET", "/v1/oidc-providers", "read")
LIST_OPERATION_CHILDREN = Operation(
    "list_operation_children", "GET", "/v1/operations/{operation}/children", "read"
)
LIST_OPERATION_STEPS = Operation(
    "list_operation_steps", "GET", "/v1/operations/{operation}/steps", "read"
)
LIST_OPERATION_TASKS = Operation(
    "list_operation_tasks", "GET", "/v1/operations/{operation}/tasks", "read"
)
LIST_OPERATIONS = Operation("list_operations", "GET", "/v1/operations", "read")
LIST_OPERATORS_OF_APP = Operation(
    "list_operators_of_app", "GET", "/v1/apps/{app}/operators", "read"
)
LIST_ORG_MEMBERSHIPS = Operation(
    "list_org_memberships", "GET", "/v1/orgs/{org}/memberships", "read"
)
LIST_ORGS = Operation("list_orgs", "GET", "/v1/orgs", "read")
LIST_PRINCIPALS = Operation(
    "list_principals", "GET", "/v1/instances/{instance}/principals", "machine"
)
LIST_PROJECT_MEMBERSHIPS = Operation(
    "list_project_memberships", "GET", "/v1/projects/{project}/memberships", "read"
)
LIST_PROJECTS = Operation("list_projects", "GET", "/v1/orgs/{org}/projects", "read")
LIST_PUBLISHER_KEYS = Operation(
    "list_publisher_keys", "GET", "/v1/projects/{project}/publisher-keys", "read"
)
LIST_REGIONS = Operation("list_regions", "GET", "/v1/regions", "read")
LIST_REVISIONS = Operation("list_revisions", "GET", "/v1/instances/{instance}/revisions", "read")
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
LIST_SKUS = Operation("list_skus", "GET", "/v1/skus", "read")
LIST_SOURCES = Operation("list_sources", "GET", "/v1/sources", "read")
LIST_SSH_AUTHORITIES = Operation(
    "list_ssh_authorities", "GET", "/v1/platform/ssh-authorities", "read"
)
LIST_USERS = Operation("list_users", "GET", "/v1/users", "read")
LIST_VIEWS = Operation("list_views", "GET", "/v1/instances/{instance}/views", "read")
LIST_WEBHOOKS = Operation("list_webhooks", "GET", "/v1/webhooks", "read")
LOGIN = Operation("login", "POST", "/v1/auth/login", "machine", public=True)
MAINTAIN_NODE = Operation("maintain_node", "POST", "/v1/nodes/{node}/maintenance", "mutation")
MINT_TOKEN = Operation("mint_token", "POST", "/v1/auth/token", "machine", public=True)
OPEN_TRIAGE = Operation("open_triage", "POST", "/v1/platform/triage/{correlation}", "mutation")
PLAN_CHANGE = Operation("plan_change", "POST", "/v1/instances/{instance}/plans", "mutation")
PLAN_INSTANCE = Operation("plan_instance", "POST", "/v1/projects/{project}/plans", "mutation")
PROMOTE_APP_VERSION = Operation(
    "promote_app_version", "POST", "/v1/apps/{app}/promotions", "mutation"
)
PUBLISH_APP_VERSION = Operation(
    "publish_app_version", "POST", "/v1/app-versions/{version}/publish", "mutation"
)
PUT_ARTIFACT_CONTENT = Operation(
    "put_artifact_content", "PUT", "/v1/artifacts/{artifact}/content", "machine"
)
PUT_ENTITLEMENT_OVERLAY = Operation(
    "put_entitlement_overlay", "PUT", "/v1/entitlements/{entitlement}/overlay", "mutation"
)
PUT_FAMILY = Operation("put_family", "PUT", "/v1/families/{family}", "mutation")
PUT_GLOBAL_OVERLAY = Operation("put_global_overlay", "PUT", "/v1/policy/global", "mutation")
PUT_OBSERVED = Operation("put_observed", "PUT", "/v1/instances/{instance}/observed", "machine")
PUT_ORG_OVERLAY = Operation("put_org_overlay", "PUT", "/v1/orgs/{org}/overlay", "mutation")
PUT_PROJECT_OVERLAY = Operation(
    "put_project_overlay", "PUT", "/v1/projects/{project}/overlay", "mutation"
)
PUT_TENANT_OVERLAY = Operation(
    "put_tenant_overlay", "PUT", "/v1/platform/orgs/{org}/overlay", "mutation"
)
PUT_VIEW = Operation("put_view", "PUT", "/v1/instances/{instance}/views/{view}", "machine")
QUARANTINE_NODE = Operation("quarantine_node", "POST", "/v1/nodes/{node}/quarantine", "mutation")
REDEEM_DEVICE_CODE = Operation(
    "redeem_device_code", "POST", "/v1/auth/device-token", "machine", public=True
)
REDELIVER = Operation(
    "redeliver", "POST", "/v1/webhooks/{webhook}/deliveries/{delivery}/redeliveries", "mutation"
)
REGISTER_APP_OPERATOR = Operation(
    "register_app_operator", "POST", "/v1/projects/{project}/app-operators", "mutation"
)
REIMAGE_NODE = Operation("reimage_node", "POST", "/v1/nodes/{node}/reimage", "mutation")
RELEASE_ALLOCATION = Operation(
    "release_allocation", "POST", "/v1/allocations/{allocation}/release", "mutation"
)
REMOVE_APP_OPERATOR = Operation(
    "remove_app_operator", "DELETE", "/v1/app-operators/{operator}", "mutation"
)
REMOVE_MEMBERS = Operation(
    "remove_members", "POST", "/v1/instances/{instance}/members/remove", "mutation"
)
REMOVE_MEMBERSHIP = Operation(
    "remove_membership", "DELETE", "/v1/memberships/{membership}", "mutation"
)
RENEW_OPERATION = Operation(
    "renew_operation", "POST", "/v1/operations/{operation}/renew", "mutation"
)
REPAIR_INSTANCE = Operation(
    "repair_instance", "POST", "/v1/instances/{instance}/repair", "mutation"
)
REPLACE_APP_VERSION = Operation(
    "replace_app_version", "PUT", "/v1/app-versions/{version}", "mutation"
)
REPLACE_MEMBER = Operation("replace_member", "POST", "/v1/members/{member}/replace", "mutation")
REPORT_MANY = Operation("report_many", "POST", "/v1/controller/reports", "machine")
REPORT_OPERATION = Operation(
    "report_operation", "POST", "/v1/operations/{operation}/report", "machine"
)
REPORT_USAGE = Operation("report_usage", "POST", "/v1/usage", "machine")
REQUEST_REPAIR = Operation(
    "request_repair", "POST", "/v1/instances/{instance}/repair-requests", "machine"
)
RESTART_INSTANCE = Operation(
    "restart_instance", "POST", "/v1/instances/{instance}/restart", "mutation"
)
RESTORE_APP_VERSION = Operation(
    "restore_app_version", "POST", "/v1/app-versions/{version}/restore", "mutation"
)
RESUME_MEMBERS = Operation(
    "resume_members", "POST", "/v1/instances/{instance}/members/resume", "mutation"
)
RESUME_NODE = Operation("resume_node", "POST", "/v1/nodes/{node}/resume", "mutation")
RESUME_OPERATION = Operation(
    "resume_operation", "POST", "/v1/operations/{operation}/resume", "mutation"
)
RETIRE_APP_VERSION = Operation(
    "retire_app_version", "POST", "/v1/app-versions/{version}/retire", "mutation"
)
RETIRE_NODE = Operation("retire_node", "POST", "/v1/nodes/{node}/retire", "mutation")
RETRY_OPERATION = Operation(
    "retry_operation", "POST", "/v1/operations/{operation}/retry", "mutation"
)
REVOKE_ACCESS_CREDENTIAL = Operation(
    "revoke_access_credential", "POST", "/v1/access-credentials/{credential}/revoke", "mutation"
)
REVOKE_ACCESS_TOKEN = Operation(
    "revoke_access_token", "DELETE", "/v1/access-tokens/{token}", "mutation"
)
REVOKE_ARTIFACT = Operation(
    "revoke_artifact", "POST", "/v1/artifacts/{artifact}/revoke", "mutation"
)
REVOKE_ARTIFACT_AS_PLATFORM = Operation(
    "revoke_artifact_as_platform", "POST", "/v1/break-glass/artifacts/{artifact}/revoke", "mutation"
)
REVOKE_ENROLMENT = Operation("revoke_enrolment", "DELETE", "/v1/enrolments/{enrolment}", "mutation")
REVOKE_PUBLISHER_KEY = Operation(
    "revoke_publisher_key", "POST", "/v1/publisher-keys/{publisher_key}/revoke", "mutation"
)
REVOKE_SERVICE_ACCOUNT_KEY = Operation(
    "revoke_service_account_key", "DELETE", "/v1/service-accounts/{account}/keys/{key}", "mutation"
)
ROLLBACK_INSTANCE = Operation(
    "rollback_instance", "POST", "/v1/instances/{instance}/rollback", "mutation"
)
ROTATE_ACCESS_CREDENTIAL = Operation(
    "rotate_access_credential", "POST", "/v1/access-credentials/{credential}/rotate", "mutation"
)
ROTATE_CREDENTIALS = Operation(
    "rotate_credentials", "POST", "/v1/instances/{instance}/rotate", "mutation"
)
ROTATE_SSH_AUTHORITY = Operation(
    "rotate_ssh_authority", "POST", "/v1/platform/ssh-authorities/rotate", "mutation"
)
ROTATE_WEBHOOK_SECRET = Operation(
    "rotate_webhook_secret", "POST", "/v1/webhooks/{webhook}/secret-rotations", "mutation"
)
RUN_ACTION = Operation(
    "run_action", "POST", "/v1/instances/{instance}/actions/{action}", "mutation"
)
SCAN_SSH_HOST = Operation(
    "scan_ssh_host", "POST", "/v1/allocations/{allocation}/ssh/scan", "mutation"
)
SET_PASSWORD = Operation("set_password", "POST", "/v1/auth/password", "machine", public=True)
SET_SSH_HOST = Operation("set_ssh_host", "PUT", "/v1/allocations/{allocation}/ssh", "mutation")
SIGN_ARTIFACT = Operation(
    "sign_artifact", "POST", "/v1/artifacts/{artifact}/signatures", "mutation"
)
START_INSTANCE = Operation("start_instance", "POST", "/v1/instances/{instance}/start", "mutation")
START_SIGN_IN = Operation(
    "start_sign_in", "GET", "/v1/auth/oidc/{provider}/start", "machine", public=True
)
STOP_INSTANCE = Operation("stop_instance", "POST", "/v1/instances/{instance}/stop", "mutation")
STREAM_EVENTS = Operation("stream_events", "GET", "/v1/events/stream", "read")
UNLINK_OIDC_IDENTITY = Operation(
    "unlink_oidc_identity", "DELETE", "/v1/oidc-providers/{provider}/identities/{user}", "mutation"
)
UPDATE_ALLOCATION = Operation(
    "update_allocation", "PATCH", "/v1/allocations/{allocation}", "mutation"
)
UPDATE_APP = Operation("update_app", "PATCH", "/v1/apps/{app}", "mutation")
UPDATE_ARTIFACT = Operation("update_artifact", "PATCH", "/v1/artifacts/{artifact}", "mutation")
UPDATE_ENTITLEMENT = Operation(
    "update_entitlement", "PATCH", "/v1/entitlements/{entitlement}", "mutation"
)
UPDATE_MEMBERSHIP = Operation(
    "update_membership", "PATCH", "/v1/memberships/{membership}", "mutation"
)
UPDATE_NODE = Operation("update_node", "PATCH", "/v1/nodes/{node}", "mutation")
UPDATE_OIDC_PROVIDER = Operation(
    "update_oidc_provider", "PATCH", "/v1/oidc-providers/{provider}", "mutation"
)
UPDATE_ORG = Operation("update_org", "PATCH", "/v1/orgs/{org}", "mutation")
UPDATE_PROJECT = Operation("update_project", "PATCH", "/v1/projects/{project}", "mutation")
UPDATE_REGION = Operation("update_region", "PATCH", "/v1/regions/{region}", "mutation")
UPDATE_SERVICE_ACCOUNT = Operation(
    "update_service_account", "PATCH", "/v1/service-accounts/{account}", "mutation"
)
UPDATE_SKU = Operation("update_sku", "PATCH", "/v1/skus/{sku}", "mutation")
UPDATE_SOURCE = Operation("update_source", "PATCH", "/v1/sources/{source}", "mutation")
UPDATE_USER = Operation("update_user", "PATCH", "/v1/users/{user}", "mutation")
UPDATE_WEBHOOK = Operation("update_webhook", "PATCH", "/v1/webhooks/{webhook}", "mutation")
UPGRADE_INSTANCE = Operation(
    "upgrade_instance", "POST", "/v1/instances/{instance}/upgrade", "mutation"
)
WITHDRAW_APP = Operation(
    "withdraw_app", "DELETE", "/v1/families/{family}/admissions/{app}", "mutation"
)
