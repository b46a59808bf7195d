"""Who holds which keys of an app, and through which entitlement. Pure.

A key of an app is never a key of the core. It is held in one project, on one app, for as long as
that project's entitlement stands, and only as the accepted declaration grants it. What is read here
was checked when the version was published; the namespaces are looked at again all the same, so that
no row, however it got there, makes a key of another app or of the core.
"""

from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Grant, Principal
from moorage_core.authz.roles import Role
from moorage_core.entitlements.models import Entitlement
from moorage_manifest import vocabulary
from moorage_manifest.declarations import Declaration
from moorage_manifest.models import namespace

CORE_AREAS = vocabulary.CORE_AREAS | {key.partition(".")[0] for key in Permission}
COUNTS_AS = {
    Role.PLATFORM_ADMIN.value: Role.PROJECT_ADMIN.value,
    Role.TENANT_ADMIN.value: Role.PROJECT_ADMIN.value,
}
"""What those who run an org are in each of its projects. The platform's org is an org like others:
who runs it is nobody in a tenant's project."""
IN_PROJECT = frozenset({Role.PROJECT_ADMIN.value, Role.PROJECT_MEMBER.value, Role.VIEWER.value})


def held(entitlement: Entitlement, principal: Principal) -> list[str]:
    """The keys that the principal holds through the entitlement: none while it is disabled."""
    return sorted(due(entitlement, principal)) if entitlement.enabled else []


def due(entitlement: Entitlement, principal: Principal) -> frozenset[str]:
    """The keys that the principal holds whenever the entitlement is enabled."""
    there = offered(entitlement)
    keys: set[str] = set()
    for grant in principal.grants:
        if _covers(grant, entitlement):
            keys |= _by_grant(grant, there)
    return frozenset(keys)


def offered(entitlement: Entitlement) -> dict[str, frozenset[str]]:
    """Every key that can be held on the app, and the project roles that hold it by default.

    A key of a family counts if the accepted declaration names the family and the platform admits
    the app to the key.
    """
    accepted = Declaration.model_validate(entitlement.accepted)
    own = {namespace(entitlement.app_slug)} - CORE_AREAS
    families = {namespace(name) for name in accepted.families} - CORE_AREAS - own
    keys = {key: frozenset(roles) for key, roles in accepted.keys.items() if _area(key) in own}
    for key in {*accepted.family_keys, *accepted.family_grants}:
        if _area(key) in families and key in entitlement.admitted:
            keys[key] = frozenset(accepted.family_grants.get(key, ()))
    return {key: roles & IN_PROJECT for key, roles in keys.items()}


def is_foreign(key: str) -> bool:
    """Whether a key belongs to no area of the core, so that only an app or a family can have it."""
    return _area(key) not in CORE_AREAS


def _by_grant(grant: Grant, there: dict[str, frozenset[str]]) -> set[str]:
    if grant.role is None:
        # A service account has no role: only what its own list names.
        return there.keys() & grant.permissions
    role = COUNTS_AS.get(grant.role, grant.role)
    keys = {key for key, roles in there.items() if role in roles}
    return keys if grant.only is None else keys & grant.only


def _covers(grant: Grant, entitlement: Entitlement) -> bool:
    return grant.org == entitlement.org_id and grant.project in (None, entitlement.project_id)


def _area(key: str) -> str:
    return key.partition(".")[0]
