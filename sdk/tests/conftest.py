"""A platform per session, callers, and a wire that can be bad."""

import uuid
from collections.abc import AsyncIterator, Iterator

import pytest

import moorage
from moorage import Client
from moorage.models import OrgRead, ProjectRead
from sdk.tests import running, wire
from sdk.tests.running import Platform
from sdk.tests.wire import Wire

DAY = 86_400


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    with running.running() as started:
        yield started


@pytest.fixture(scope="session")
async def token(platform: Platform) -> str:
    """A token of the first admin."""
    auth = moorage.Password(running.ADMIN, platform.password)
    async with Client(platform.url, auth=auth) as client:
        issued = await client.access_tokens.create(name="tests", expires_in=DAY)
        return issued.token


@pytest.fixture
async def admin(platform: Platform, token: str) -> AsyncIterator[Client]:
    """The first admin, over a good network."""
    async with Client(platform.url, auth=moorage.AccessToken(token)) as client:
        yield client


@pytest.fixture
async def bad(platform: Platform) -> AsyncIterator[Wire]:
    """A network that does to requests what the test tells it to."""
    async with wire.laid(platform.port) as laid:
        yield laid


@pytest.fixture
async def over_bad(bad: Wire, token: str) -> AsyncIterator[Client]:
    """The first admin, over the bad network."""
    async with Client(bad.url, auth=moorage.AccessToken(token)) as client:
        yield client


def new_slug() -> str:
    return f"t{uuid.uuid4().hex[:12]}"


@pytest.fixture
async def org(admin: Client) -> OrgRead:
    """An org whose admin the caller is."""
    return await admin.orgs.create(slug=new_slug(), name="Org", admin_email=running.ADMIN)


@pytest.fixture
async def project(admin: Client, org: OrgRead) -> ProjectRead:
    return await admin.projects.create(org, slug="alpha", name="Alpha")
