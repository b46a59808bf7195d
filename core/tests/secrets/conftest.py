"""Both stores: a test that asks for `store` runs once with each."""

from collections.abc import Awaitable, Callable, Iterator

import pytest

from core.tests.embedded import places
from core.tests.secrets import openbao_server
from core.tests.secrets.openbao_server import Running
from moorage_core.platform import Platform
from moorage_core.secrets import keyring
from moorage_core.settings import SecretSettings, Settings

Rotate = Callable[[], Awaitable[int]]


@pytest.fixture(scope="session")
def openbao() -> Iterator[Running]:
    """One server for the session; every test has orgs of its own in it."""
    with places.open_place() as place, openbao_server.running(place) as server:
        yield server


@pytest.fixture(params=["embedded", "openbao"])
def store(request: pytest.FixtureRequest) -> SecretSettings:
    if request.param == "embedded":
        return SecretSettings()
    server: Running = request.getfixturevalue("openbao")
    return server.settings


@pytest.fixture
def settings(settings: Settings, store: SecretSettings) -> Settings:
    return settings.model_copy(update={"secrets": store})


@pytest.fixture
def rotate(request: pytest.FixtureRequest, platform: Platform, store: SecretSettings) -> Rotate:
    """Make the next key of the store, as its operator would; the version it has."""

    async def make() -> int:
        if store.store == "embedded":
            keyring.add_next(platform.settings.data / "keys")
            return 2
        server: Running = request.getfixturevalue("openbao")
        server.root.secrets.transit.rotate_key("moorage")
        read = server.root.secrets.transit.read_key("moorage")
        return read["data"]["latest_version"]

    return make
