"""The embedded store: master keys in files, and their rotation."""

from collections.abc import AsyncIterator

import pytest

from core.tests.factories.tenancy import OrgRow
from core.tests.secrets.custody import Sql, get, put
from moorage_core.main import open_platform
from moorage_core.platform import Platform
from moorage_core.secrets import keyring
from moorage_core.secrets.sweeps import BATCH, RewrapSecrets
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


async def test_secrets_that_do_not_open_keep_none_behind_them_under_the_old_key(
    settings: Settings, platform: Platform, acme: OrgRow, sql: Sql
) -> None:
    id = await put(platform, acme, VALUE)
    await sql.execute(
        """
        INSERT INTO secrets (id, org_id, purpose, store, key_version, wrapped_key, ciphertext,
            created_at)
        SELECT 'sec_' || lpad(n::text, 26, '0'), org_id, purpose, store, key_version, '\\x00',
            ciphertext, created_at
        FROM secrets, generate_series(1, %s) AS n
        """,
        (2 * BATCH,),
    )
    keyring.add(settings.data / "keys", version=2)

    seen = await RewrapSecrets(platform).activate()

    assert seen == {"rewrapped": 1}
    (settings.data / "keys" / "master-1.key").unlink()
    async with open_platform(settings, background=False) as restarted:
        assert await get(restarted, acme, id) == VALUE


async def test_another_process_opens_what_was_sealed_with_a_newer_key(
    platform: Platform, other: Platform, acme: OrgRow
) -> None:
    keyring.add(platform.settings.data / "keys", version=2)
    platform.keyring.reread()

    id = await put(platform, acme, VALUE)

    assert await get(other, acme, id) == VALUE
