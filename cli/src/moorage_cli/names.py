"""From what people type to the object: an id, or a slug, an e-mail, a name that is looked up."""

import re
from collections.abc import AsyncIterable, Callable, Sequence
from dataclasses import replace
from typing import Annotated, TypeVar

import typer

from moorage import Client, Model
from moorage.models import (
    AccessTokenRead,
    AppRead,
    ArtifactRead,
    InstanceRead,
    MembershipRead,
    NodeRead,
    OidcProviderRead,
    OrgRead,
    ProjectRead,
    RegionRead,
    ServiceAccountRead,
    SkuRead,
    SourceRead,
    UserRead,
)
from moorage_cli.failures import Ambiguous, Missing, Refused
from moorage_cli.intent import Placement

ID = re.compile(r"[a-z]{2,5}_[0-9a-z]{26}")
M = TypeVar("M", bound=Model)
GONE = ("released", "failed")
"""Allocations in these states have given their name back."""

OrgName = Annotated[str, typer.Argument(metavar="ORG", help="The org's slug or id.")]
ProjectName = Annotated[
    str, typer.Argument(metavar="PROJECT", help="The project's id, or ORG/PROJECT by slugs.")
]
AppName = Annotated[str, typer.Argument(metavar="APP", help="The app's slug or id.")]
AllocationName = Annotated[
    str,
    typer.Argument(metavar="ALLOCATION", help="The allocation's id; with --project, its name."),
]
InstanceName = Annotated[
    str,
    typer.Argument(
        metavar="INSTANCE",
        help="The instance's id, or ORG/PROJECT/NAME; NAME where only one is called so.",
    ),
]
MemberName = Annotated[
    str,
    typer.Argument(metavar="MEMBER", help="The member's id, or ORG/PROJECT/INSTANCE/NAME."),
]
InOrg = Annotated[str | None, typer.Option("--org", help="The org's slug or id.")]
InProject = Annotated[
    str | None, typer.Option("--project", help="The project's id, or ORG/PROJECT by slugs.")
]


def is_id(text: str) -> bool:
    return ID.fullmatch(text) is not None


async def get_org(client: Client, name: str) -> OrgRead:
    if is_id(name):
        return await client.orgs.get(name)
    return await client.orgs.get(await org_id(client, name))


async def org_id(client: Client, name: str) -> str:
    """An org's id by its slug: among those that you hold something in, then among all you see."""
    if is_id(name):
        return name
    me = await client.me.get()
    held = {grant.org_id for grant in me.grants if grant.org_slug == name}
    if held:
        return held.pop()
    return (await _one(client.orgs.list(), "org", name, by=lambda org: org.slug)).id


async def get_project(client: Client, name: str) -> ProjectRead:
    if is_id(name):
        return await client.projects.get(name)
    return await client.projects.get(await project_id(client, name))


async def project_id(client: Client, name: str) -> str:
    """A project's id by ORG/PROJECT."""
    if is_id(name):
        return name
    org, slash, slug = name.partition("/")
    if not slash:
        raise Refused(f"{name} is not a project's id. Name a project as ORG/{name}.")
    me = await client.me.get()
    held = {
        grant.project_id
        for grant in me.grants
        if grant.project_id and (grant.org_slug, grant.project_slug) == (org, slug)
    }
    if held:
        return str(held.pop())
    projects = client.projects.list(await org_id(client, org))
    return (await _one(projects, "project", name, by=lambda found: f"{org}/{found.slug}")).id


async def get_user(client: Client, name: str) -> UserRead:
    if is_id(name):
        return await client.users.get(name)
    return await _one(client.users.list(), "user", name, by=lambda user: user.email)


async def get_membership(
    client: Client, name: str, *, org: str | None, project: str | None
) -> MembershipRead:
    """A membership by its id, or by e-mail in an org or a project."""
    if is_id(name):
        return await client.memberships.get(name)
    place = org_or_project(org, project)
    if place == "org":
        memberships = client.memberships.list_in_org(await org_id(client, str(org)))
    else:
        memberships = client.memberships.list_in_project(await project_id(client, str(project)))
    return await _one(memberships, "membership", name, by=lambda membership: membership.email)


def org_or_project(org: str | None, project: str | None) -> str:
    """Where to look; exactly one of both must be named."""
    if (org is None) == (project is None):
        raise Refused("Name either --org or --project.")
    return "org" if org is not None else "project"


async def get_service_account(
    client: Client, name: str, *, project: str | None
) -> ServiceAccountRead:
    """A service account by its id, or by its name in a project."""
    if is_id(name):
        return await client.service_accounts.get(name)
    if project is None:
        raise Refused(f"{name} is not an id. With --project a service account goes by its name.")
    accounts = client.service_accounts.list(await project_id(client, project))
    return await _one(accounts, "service account", name, by=lambda account: account.name)


async def get_token(client: Client, name: str) -> AccessTokenRead:
    """A token of the caller by its id or its name; a revoked one has no name any more."""
    tokens = client.access_tokens.list()
    if is_id(name):
        return await _one(tokens, "token", name, by=lambda token: token.id)
    return await _one(
        tokens, "token", name, by=lambda token: "" if token.revoked_at else token.name
    )


async def get_oidc_provider(client: Client, name: str) -> OidcProviderRead:
    if is_id(name):
        return await client.oidc_providers.get(name)
    providers = client.oidc_providers.list()
    return await _one(providers, "provider", name, by=lambda provider: provider.slug)


async def get_app(client: Client, name: str) -> AppRead:
    """An app by its id or its slug, which is its own on the whole platform."""
    if is_id(name):
        return await client.apps.get(name)
    return await _one(client.apps.list(slug=name), "app", name, by=lambda app: app.slug)


async def get_source(client: Client, name: str) -> SourceRead:
    """A source by its id, or by what policy calls it."""
    if is_id(name):
        return await client.sources.get(name)
    return await _one(client.sources.list(), "source", name, by=lambda each: each.policy_name)


async def get_node(client: Client, name: str) -> NodeRead:
    """A node by its id or its name. Retired ones have given their names back."""
    if is_id(name):
        return await client.nodes.get(name)
    found = [node async for node in client.nodes.list(name=name) if node.status != "retired"]
    if not found:
        raise Missing(f"There is no node {name} that you can see.")
    return found[0]


async def get_region(client: Client, name: str) -> RegionRead:
    """A region by its id or its slug."""
    if is_id(name):
        return await client.regions.get(name)
    return await _one(client.regions.list(), "region", name, by=lambda region: region.slug)


async def get_sku(client: Client, name: str) -> SkuRead:
    """A SKU by its id or its slug."""
    if is_id(name):
        return await client.skus.get(name)
    return await _one(client.skus.list(), "SKU", name, by=lambda sku: sku.slug)


async def get_artifact(client: Client, name: str, *, project: str | None) -> ArtifactRead:
    """An artifact by its id, or by its digest or its name in a project."""
    if is_id(name):
        return await client.artifacts.get(name)
    if project is None:
        raise Refused(f"{name} is not an id. With --project an artifact goes by digest or name.")
    where = await project_id(client, project)
    if name.startswith("sha256:"):
        found = client.artifacts.list(where, digest=name)
        return await _one(found, "artifact", name, by=lambda artifact: artifact.digest)
    artifacts = client.artifacts.list(where)
    return await _one(artifacts, "artifact", name, by=lambda artifact: artifact.name)


async def allocation_id(client: Client, name: str, *, project: str | None) -> str:
    """An allocation's id by its name in a project, among those that are held."""
    if is_id(name):
        return name
    if project is None:
        raise Refused(f"{name} is not an id. With --project an allocation goes by its name.")
    held = client.allocations.list(await project_id(client, project))
    found = await _one(
        held, "allocation", name, by=lambda each: "" if each.status in GONE else each.name
    )
    return found.id


async def get_instance(client: Client, name: str) -> InstanceRead:
    """An instance by its id, or by its name among those that are not gone."""
    if is_id(name):
        return await client.instances.get(name)
    project, slash, own = name.rpartition("/")
    if slash and "/" not in project:
        raise Refused(f"{name} is not an instance's id. Name an instance as ORG/PROJECT/NAME.")
    if slash:
        held = client.instances.list_in_project(await project_id(client, project))
    else:
        held = client.instances.list()
    found = await _one(held, "instance", own, by=lambda each: "" if each.deleted_at else each.name)
    return await client.instances.get(found)


async def instance_id(client: Client, name: str) -> str:
    return name if is_id(name) else (await get_instance(client, name)).id


async def member_id(client: Client, name: str) -> str:
    """A member's id by ORG/PROJECT/INSTANCE/NAME."""
    if is_id(name):
        return name
    instance, slash, own = name.rpartition("/")
    if not slash:
        raise Refused(f"{name} is not a member's id. Name one as ORG/PROJECT/INSTANCE/{name}.")
    (found,) = await member_ids(client, await instance_id(client, instance), [own])
    return found


async def member_ids(client: Client, instance: str, named: Sequence[str]) -> list[str]:
    """The ids of members of an instance that are known by name; ids stay as they are."""
    if all(is_id(name) for name in named):
        return [*named]
    known = {member.name: member.id async for member in client.members.list(instance)}
    for name in named:
        if not is_id(name) and name not in known:
            raise Missing(f"The instance has no member {name}. `moor members list` shows them.")
    return [known.get(name, name) for name in named]


async def placed(client: Client, wanted: Placement, *, project: str) -> Placement:
    """A placement with ids in place of the names of allocations."""
    ids = [await allocation_id(client, each, project=project) for each in wanted.allocations]
    return replace(wanted, allocations=ids)


async def credential_id(client: Client, name: str, *, project: str | None) -> str:
    """An access credential's id by its name in a project, among those that are not revoked."""
    if is_id(name):
        return name
    if project is None:
        raise Refused(f"{name} is not an id. With --project a credential goes by its name.")
    held = client.access_credentials.list(await project_id(client, project))
    found = await _one(
        held, "access credential", name, by=lambda each: "" if each.revoked_at else each.name
    )
    return found.id


async def publisher_key_id(client: Client, name: str, *, project: str | None) -> str:
    """A publisher key's id by its name in a project, among those that are not revoked."""
    if is_id(name):
        return name
    if project is None:
        raise Refused(f"{name} is not an id. With --project a publisher key goes by its name.")
    keys = client.publisher_keys.list(await project_id(client, project))
    key = await _one(keys, "publisher key", name, by=lambda key: "" if key.revoked else key.name)
    return key.id


async def _one(items: AsyncIterable[M], noun: str, name: str, *, by: Callable[[M], str]) -> M:
    found = [item async for item in items if by(item).casefold() == name.casefold()]
    if not found:
        raise Missing(f"There is no {noun} {name} that you can see.")
    if len(found) > 1:
        raise Ambiguous(f"{len(found)} things go by the name {name}. Use the {noun}'s id.")
    return found[0]
