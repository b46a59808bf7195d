"""The first start: signing keys, the contract's families, and an admin whose password is printed
once.
"""

from dataclasses import dataclass

import moorage_manifest
from moorage_core import unit
from moorage_core.authz.roles import Role
from moorage_core.families import commands as families
from moorage_core.kit import tokens
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.people import passwords
from moorage_core.people import signin as people
from moorage_core.platform import Platform
from moorage_core.signing import commands as signing
from moorage_core.tenancy import memberships


@dataclass(frozen=True)
class FirstAdmin:
    email: str
    password: str


async def first_start(platform: Platform) -> FirstAdmin | None:
    """Make what a new platform needs.

    Safe to run at every start; the admin is made, and returned, once.
    """
    await signing.rotate(platform)
    for family in moorage_manifest.shipped().values():
        async with unit.work(platform, PLATFORM_ORG) as ctx:
            await families.keep_up(ctx, family)
    email = platform.settings.identity.first_admin
    password = tokens.new("")[:24]
    password_hash = await passwords.hash_password(password)
    async with unit.work(platform, PLATFORM_ORG) as ctx:
        membership = await memberships.appoint_first(ctx, email=email, role=Role.PLATFORM_ADMIN)
        if membership is None:
            return None
        await people.give_first_password(ctx, membership.user_id, password_hash=password_hash)
    return FirstAdmin(email, password)
