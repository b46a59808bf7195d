"""What a manifest may name agrees with what the core has."""

from moorage_core.authz.permissions import Permission
from moorage_core.authz.roles import ROLES, Level
from moorage_core.events.registry import TYPES
from moorage_manifest import CORE_AREAS
from moorage_manifest import ROLES as GRANTABLE


def test_every_area_of_a_core_key_or_event_is_reserved() -> None:
    areas = {key.partition(".")[0] for key in [*Permission, *TYPES]}

    assert areas - CORE_AREAS == set()


def test_apps_grant_to_exactly_the_roles_that_are_given_in_projects() -> None:
    of_projects = {str(role) for role, held in ROLES.items() if Level.PROJECT in held.levels}

    assert set(GRANTABLE) == of_projects
