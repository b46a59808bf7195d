"""The embedded store: master keys in files, and their rotation."""

from collections.abc import AsyncIterator

import pytest

from core.tests.factories.tenancy import OrgRow
from core.tests.secrets.custody import get, put
from moorage_core.main import open_platform
from moorage_core.platform import Platform
from moorage_core.secrets import keyring
from moorage_core.secrets.sweeps import RewrapSecrets
from moorage_core.settings import SecretSettings, Settings

VALUE = b"the cluster's key"


@pytest.fixture
def store() -> SecretSettings:
    return SecretSettings()


@pytest.fixture
async def other(settings: Settings, platform: Platform) -> AsyncIterator[Platform]:
    """Another process on the same database and folder."""
    async with open_platform(settings, background=False) as running:
        yield running


async def test_the_old_master_key_is_not_needed_after_the_rotation(
    settings: Settings, platform: Platform, acme: OrgRow
) -> None:
    id = await put(platform, acme, VALUE)
    keyring.add(settings.data / "keys", version=2)
    await RewrapSecrets(platform).activate()
    (settings.data / "keys" / "master-1.key").unlink()

    assert await get(platform, acme, id) == VALUE
    async with open_platform(settings, background=False) as restarted:
        assert await get(restarted, acme, id) == VALUE


async def test_another_process_opens_what_was_sealed_with_a_newer_key(
    platform: Platform, other: Platform, acme: OrgRow
) -> None:
    keyring.add(platform.settings.data / "keys", version=2)
    platform.keyring.reread()

    id = await put(platform, acme, VALUE)

    assert await get(other, acme, id) == VALUE
