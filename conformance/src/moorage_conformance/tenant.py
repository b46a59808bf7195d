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
REASON = "A conformance run signs in."
TOKEN_SECONDS = 6 * 3600


@dataclass(frozen=True)
class Tenant:
    """A project, and a client of somebody who administers it."""

    project: str
    client: Client
    token: str | None = field(default=None, repr=False)
    """What the client proves itself with, where the kit has it."""
    platform: Client | None = None
    """Of somebody who runs the platform, where the kit works in a project of its own."""


@contextlib.asynccontextmanager
async def own(admin: Client, *, ca: str | Path | None) -> AsyncGenerator[Tenant]:
    """The kit's own project, made where it is not there, and an admin of it for this run alone.

    Runs share the project and nobody: whoever sets a password ends everything signed in by it.
    """
    email = f"run-{secrets.token_hex(6)}@{SLUG}.example"
    try:
        org = await _org(admin, email)
        user = [user async for user in admin.users.list() if user.email == email].pop()
        code = await admin.users.issue_password_code(user, reason=REASON)
    except MoorageError as err:
        raise CannotRun(
            f"The kit cannot make a tenant of its own: {err}. Sign in as somebody who runs the "
            "platform, or name a project that you administer with --project."
        ) from err
    try:
        async with _signed_in(admin.url, email, str(code.code), ca=ca) as (client, token):
            yield Tenant((await _project(client, org)).id, client, token, admin)
    finally:
        with contextlib.suppress(MoorageError):
            await admin.users.update(await admin.users.get(user), disabled=True)


@contextlib.asynccontextmanager
async def _signed_in(
    url: str, email: str, code: str, *, ca: str | Path | None
) -> AsyncGenerator[tuple[Client, str]]:
    """A client of somebody who has a code for a password, and its token."""
    password = secrets.token_urlsafe(32)
    async with Client(url, ca=ca) as nobody:
        await nobody.signing_in.set_password(code=code, password=password)
    async with Client(url, auth=Password(email, password), ca=ca) as person:
        issued = await person.access_tokens.create(name="Conformance", expires_in=TOKEN_SECONDS)
    async with Client(url, auth=AccessToken(issued.token), ca=ca) as client:
        yield client, issued.token


async def _org(admin: Client, email: str) -> OrgRead:
    """The kit's org, of which this person is an admin."""
    found = [org async for org in admin.orgs.list() if org.slug == SLUG]
    if not found:
        return await admin.orgs.create(slug=SLUG, name="Conformance", admin_email=email)
    await admin.orgs.appoint_admin(found[0], email=email, reason=REASON)
    return found[0]


async def _project(client: Client, org: OrgRead) -> ProjectRead:
    found = [project async for project in client.projects.list(org) if project.slug == SLUG]
    if found:
        return found[0]
    return await client.projects.create(org, slug=SLUG, name="Conformance")
