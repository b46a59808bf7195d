"""The kit over the apps of this repository: green, on a real platform with simulated hosts."""

from pathlib import Path

import pytest

from moorage import AccessToken, Client
from moorage_conformance import plan, run
from moorage_conformance.findings import Finding
from moorage_conformance.run import Wish
from moorage_lab.simulated import Host
from tests.e2e.callers import Caller
from tests.e2e.site import Site
from tests.e2e.world import REGION, SKU

pytestmark = pytest.mark.slow

REPO = Path(__file__).parents[2]
NODE_ECHO = REPO / "apps/fixtures/node-echo"


async def judged(site: Site, admin: Caller, app: Path) -> list[Finding]:
    async with Client(site.url, auth=AccessToken(admin.token)) as client:
        wish = Wish(plan.read(app), client, region=REGION, sku=SKU)
        return await run.run(wish, lambda finding: None)


async def test_an_app_in_another_language_keeps_every_rule(
    site: Site, admin: Caller, machines: list[Host]
) -> None:
    findings = await judged(site, admin, NODE_ECHO)

    assert [each for each in findings if each.outcome == "broken"] == []
    assert [host.files for host in machines] == [{}] * len(machines)
