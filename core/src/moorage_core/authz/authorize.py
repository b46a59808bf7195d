"""The only door. Set membership, nothing else: no policy language, no role names.

Who holds no key at all where the thing lives gets the 404 of a thing that does not exist. Who holds
some key there, but not this one, knows the thing already and gets a 403 that names the missing key.
"""

from dataclasses import dataclass

from moorage_core.authz.principals import Grant, Principal
from moorage_core.context import Context
from moorage_core.errors import Forbidden, NotFound, not_found
from moorage_core.kit.ids import PLATFORM_ORG


class Hidden(NotFound):
    """There is no such thing, or it is not yours to see."""


@dataclass(frozen=True)
class Resource:
    """Where a thing lives, and what it is called in a refusal."""

    noun: str
    id: str
    org: str
    project: str | None = None
    by_any_project: bool = False
    """The org's own name plate: whoever holds the key in one of its projects may ask too."""

    @property
    def name(self) -> str:
        """What a refusal calls it. There is one platform, so it has no id."""
        return f"{self.noun} {self.id}" if self.id else self.noun


def platform() -> Resource:
    """The platform itself, for keys that concern no tenant."""
    return Resource("the platform", "", PLATFORM_ORG)


def authorize(ctx: Context, key: str, resource: Resource) -> None:
    """Let the caller through, or raise."""
    ctx.checked.add(key)
    covering = [grant for grant in ctx.principal.grants if _covers(grant, resource)]
    if any(key in grant.permissions for grant in covering):
        return
    known = any(grant.permissions for grant in ctx.principal.grants if _knows(grant, resource))
    if not known and resource != platform():
        raise hidden(resource.noun, resource.id)
    raise Forbidden(
        f"This needs the permission {key} on {resource.name}. "
        "Somebody who holds it can give you a role that contains it.",
        org=resource.org if known else None,
        project=resource.project if known else None,
    )


def authorize_self(ctx: Context, key: str) -> None:
    """Let the caller act on itself: its own sessions, tokens, password."""
    ctx.checked.add(key)
    if key not in ctx.principal.own:
        raise Forbidden(f"Your credential does not include {key}. Sign in as a person to do this.")


def authorize_anywhere(ctx: Context, key: str) -> None:
    """For lists that filter by what the caller may see: holding the key somewhere is enough."""
    ctx.checked.add(key)
    if not any(key in grant.permissions for grant in ctx.principal.grants):
        raise Forbidden(f"This needs the permission {key} in at least one org or project.")


def sees(principal: Principal, *, org: str, project: str | None) -> bool:
    """Whether the principal holds any key there at all."""
    place = Resource("", "", org, project)
    return any(grant.permissions for grant in principal.grants if _covers(grant, place))


def missing(
    principal: Principal, keys: frozenset[str], *, org: str, project: str | None
) -> list[str]:
    """The keys among `keys` that the principal lacks there. Nobody grants what they lack."""
    place = Resource("", "", org, project)
    held = [g.permissions for g in principal.grants if _covers(g, place)]
    return sorted(keys.difference(*held))


def hidden(noun: str, id: str) -> Hidden:
    return Hidden(not_found(noun, id).detail)


def _covers(grant: Grant, resource: Resource) -> bool:
    if grant.org != resource.org:
        return False
    return grant.project is None or grant.project == resource.project or resource.by_any_project


def _knows(grant: Grant, resource: Resource) -> bool:
    """An org is no secret to whoever holds a key in one of its projects."""
    itself = resource.id == resource.org == grant.org
    return itself or _covers(grant, resource)
