"""Putting a secret into custody and taking it out, as callers do."""

from typing import Any

import psycopg

from core.tests.factories.tenancy import OrgRow
from moorage_core import unit
from moorage_core.kit.db import org_scope
from moorage_core.platform import Platform
from moorage_core.secrets import commands

Sql = psycopg.AsyncConnection[Any]


async def put(platform: Platform, org: OrgRow, value: bytes) -> str:
    async with unit.work(platform, org.id) as ctx:
        return await commands.put(ctx, value, purpose="test", org=org.id)


async def get(platform: Platform, org: OrgRow, id: str) -> bytes:
    async with platform.database.transaction(org_scope(org.id), read_only=True) as db:
        sealed = await commands.find(db, id, org=org.id)
    return await commands.reveal(platform, sealed)
