"""A publisher, and a store of bytes of a test's own."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site
from moorage_core.artifacts.local_blobs import LocalBlobs


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


@pytest.fixture
def blobs(tmp_path: Path) -> Iterator[LocalBlobs]:
    store = LocalBlobs(tmp_path, reserve=0)
    yield store
    store.close()


async def pieces(*content: bytes) -> AsyncIterator[bytes]:
    for piece in content:
        yield piece
