"""Who holds which keys of an app, and through which entitlement. Pure.

A key of an app is never a key of the core. It is held in one project, on one app, for as long as
that project's entitlement stands, and only as the accepted declaration grants it. What is read here
was checked when the version was published; the namespaces are looked at again all the same, so that
no row, however it got there, makes a key of another app or of the core.
"""

from collections.abc import Iterable

from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Grant, Principal
from moorage_core.authz.roles import Role
from moorage_core.entitlements.models import Entitlement
from moorage_core.errors import Forbidden
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


class EntitlementMissing(Forbidden):
    """The project may not use this app."""

    code = "entitlement_missing"


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


def beyond_ceiling(
    entitlements: Iterable[Entitlement], principal: Principal, keys: Iterable[str]
) -> tuple[list[str], list[str]]:
    """Of the keys that somebody wants to hand on: those of no app here, and those they lack.

    A key of a family is handed on for every app here that has it, so must be held on each.
    """
    offers = [(offered(each), due(each, principal)) for each in entitlements]
    wanted = sorted(set(keys))
    unknown = [key for key in wanted if not any(key in there for there, _ in offers)]
    lacking = [
        key for key in wanted if any(key in there and key not in mine for there, mine in offers)
    ]
    return unknown, lacking


def check_held(entitlement: Entitlement, principal: Principal, key: str) -> None:
    if key not in held(entitlement, principal):
        raise Forbidden(
            why_not(entitlement, key), org=entitlement.org_id, project=entitlement.project_id
        )


def why_not(entitlement: Entitlement, key: str) -> str:
    """Why somebody lacks a key of the app, and how to get it."""
    needs = f"This needs the permission {key} on the app {entitlement.app_slug}"
    if not entitlement.enabled:
        return f"{needs}, and the entitlement is disabled. A tenant admin can enable it."
    there = offered(entitlement)
    if key not in there:
        return f"{needs}, which nobody holds: the project's tenant has accepted no such key."
    roles = ", ".join(sorted(there[key])) or "no role"
    return (
        f"{needs}. In this project it comes with: {roles}. A service account needs it on its own"
        " list."
    )


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
    area, dot, _ = key.partition(".")
    return area if dot else ""
