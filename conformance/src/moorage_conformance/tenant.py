"""Where the kit works: a project with somebody in it who may do what a publisher and a user do.

With the profile of somebody who runs the platform, an org and a project of the kit's own. With
`--project`, that project, as whoever calls.
"""

import contextlib
import secrets
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path

from moorage import AccessToken, Client, MoorageError, Password
from moorage.models import OrgRead, ProjectRead
from moorage_conformance.findings import CannotRun

SLUG = "conformance"
EMAIL = "conformance@conformance.example"
TOKEN_SECONDS = 6 * 3600


@dataclass(frozen=True)
class Tenant:
    """A project, and a client of somebody who administers it."""

    project: str
    client: Client
    token: str | None = field(default=None, repr=False)
    """What the client proves itself with, where the kit has it."""


@contextlib.asynccontextmanager
async def own(admin: Client, *, ca: str | Path | None) -> AsyncGenerator[Tenant]:
    """The kit's own project, made where it is not there, and its admin, signed in anew."""
    try:
        org = await _org(admin)
        user = [user async for user in admin.users.list() if user.email == EMAIL].pop()
        code = await admin.users.issue_password_code(user, reason="A conformance run signs in.")
    except MoorageError as err:
        raise CannotRun(
            f"The kit cannot make a tenant of its own: {err}. Sign in as somebody who runs the "
            "platform, or name a project that you administer with --project."
        ) from err
    password = secrets.token_urlsafe(32)
    async with Client(admin.url, ca=ca) as nobody:
        await nobody.signing_in.set_password(code=str(code.code), password=password)
    # Another run may set another password meanwhile. A token stays.
    async with Client(admin.url, auth=Password(EMAIL, password), ca=ca) as person:
        issued = await person.access_tokens.create(name="Conformance", expires_in=TOKEN_SECONDS)
    async with Client(admin.url, auth=AccessToken(issued.token), ca=ca) as client:
        try:
            yield Tenant((await _project(client, org)).id, client, issued.token)
        finally:
            with contextlib.suppress(MoorageError):
                await client.access_tokens.revoke(issued)


async def _org(admin: Client) -> OrgRead:
    found = [org async for org in admin.orgs.list() if org.slug == SLUG]
    if found:
        return found[0]
    return await admin.orgs.create(slug=SLUG, name="Conformance", admin_email=EMAIL)


async def _project(client: Client, org: OrgRead) -> ProjectRead:
    found = [project async for project in client.projects.list(org) if project.slug == SLUG]
    if found:
        return found[0]
    return await client.projects.create(org, slug=SLUG, name="Conformance")
