"""What may happen to orgs, projects and memberships. Pure."""

from moorage_core.authz.roles import ROLES, Level, Role
from moorage_core.errors import ApiError, Conflict, Fault, Forbidden
from moorage_core.kit.ids import PLATFORM_ORG


class SlugTaken(Conflict):
    """Another one already has this slug."""

    code = "slug_taken"


class MembershipExists(Conflict):
    """This person already has a role here."""

    code = "membership_exists"


class LastAdmin(Conflict):
    """An org needs at least one admin whose account is enabled."""

    code = "last_admin"


class AdminLeft(Conflict):
    """Somebody can still run the platform."""

    code = "admin_left"


class NotEmpty(Conflict):
    """Something still lives inside."""

    code = "not_empty"


class RoleNotHere(ApiError):
    """This role cannot be given in this place."""

    status = 422
    code = "role_not_here"


class BeyondCeiling(Forbidden):
    """Nobody can grant what they do not hold."""

    code = "beyond_ceiling"


def level(org: str, project: str | None) -> Level:
    if project is not None:
        return Level.PROJECT
    return Level.PLATFORM if org == PLATFORM_ORG else Level.ORG


def check_role_fits(role: Role, where: Level) -> None:
    """Refuse, for example, a project role on an org."""
    if where in ROLES[role].levels:
        return
    fitting = sorted(r.value for r, definition in ROLES.items() if where in definition.levels)
    raise RoleNotHere(
        f"The role {role} cannot be given on a {where}."
        f" Here one of these can: {', '.join(fitting)}.",
        errors=[Fault("body.role", f"one of {', '.join(fitting)}")],
    )


def check_ceiling(role: Role, lacking: list[str], *, org: str, project: str | None) -> None:
    """Refuse to let somebody hand out keys that they lack themselves."""
    if lacking:
        raise BeyondCeiling(
            f"The role {role} holds permissions that you lack here: {', '.join(lacking)}.",
            org=org,
            project=project,
        )


def runs_org(role: str, *, org: str, project: str | None) -> bool:
    """Whether the role is the one that an org cannot be without."""
    needed = Role.PLATFORM_ADMIN if org == PLATFORM_ORG else Role.TENANT_ADMIN
    return project is None and role == needed


def check_not_last_admin(others: set[str]) -> None:
    """An org without an admin could only be opened again by break-glass."""
    if not others:
        raise LastAdmin(
            "This is the last admin of the org whose account is enabled. Give the role to somebody "
            "else first."
        )


def check_empty(noun: str, id: str, holding: list[str]) -> None:
    if holding:
        names = ", ".join(holding[:5]) + (" and more" if len(holding) > 5 else "")
        raise NotEmpty(f"The {noun} {id} still holds: {names}. Delete those first.")


def check_no_instances(project: str, running: list[str]) -> None:
    """What runs is taken down by whoever runs it: nobody else would know what is lost."""
    if running:
        names = ", ".join(running[:5]) + (" and more" if len(running) > 5 else "")
        raise NotEmpty(f"Project {project} still has instances: {names}. Decommission those first.")


def check_no_machines(project: str, holding: list[str]) -> None:
    """Machines are given back by whoever holds them: nobody else would know what runs there."""
    if holding:
        names = ", ".join(holding[:5]) + (" and more" if len(holding) > 5 else "")
        raise NotEmpty(f"Project {project} still holds machines: {names}. Release those first.")
