"""Entries as the platform writes them, and the sweeps and checks that look after them."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from core.tests.callers import Urls
from core.tests.factories.tenancy import OrgRow
from moorage_core import unit
from moorage_core.audit import commands
from moorage_core.audit.report import Report
from moorage_core.audit.sweeps import SealAudit
from moorage_core.authz.principals import Kind, Principal
from moorage_core.events.sweeps import NumberRecords
from moorage_core.operate import audit_verify
from moorage_core.platform import Platform
from moorage_core.settings import Settings

Do = Callable[..., Awaitable[None]]
Seal = Callable[[], Awaitable[dict[str, Any]]]
Verify = Callable[[], Report]

ADA = Principal(Kind.USER, "usr_ada", "Ada Łovelace", credential="ses_1")


@pytest.fixture
def do(platform: Platform, acme: OrgRow) -> Do:
    """`await do("iam.org.update")`: something privileged happens, and gets its number."""

    async def act(
        action: str = "iam.org.update",
        target: str = "org_1",
        *,
        org: str = acme.id,
        project: str | None = None,
        by: Principal = ADA,
        times: int = 1,
        number: bool = True,
        details: dict[str, Any] | None = None,
    ) -> None:
        for _ in range(times):
            async with unit.work(platform, org, principal=by) as ctx:
                commands.record(
                    ctx, action, target, org=org, project=project, details=details or {"n": 1}
                )
        if number:
            await NumberRecords(platform).activate()

    return act


@pytest.fixture
def seal(platform: Platform) -> Seal:
    """Run the sealer once."""
    return SealAudit(platform).activate


@pytest.fixture
def verify(settings: Settings, urls: Urls) -> Verify:
    """What `moor audit verify` finds."""

    def check() -> Report:
        return audit_verify.check(settings, url=urls.owner)

    return check
