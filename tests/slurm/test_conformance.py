"""The kit over Slurm, on real hosts."""

from pathlib import Path

import pytest

from moorage import AccessToken, Client
from moorage_conformance import plan, run
from moorage_conformance.run import Wish
from moorage_slurm import release
from tests.e2e.callers import Caller
from tests.e2e.site import Site
from tests.e2e.world import REGION, SKU, Member

pytestmark = [pytest.mark.lab, pytest.mark.kit]

CRASHES, CANCELS = 1, 2
"""Of one operation: for each cancel of a deployment a whole cluster is made."""


async def test_slurm_keeps_every_rule(
    site: Site, admin: Caller, nodes: list[Member], tmp_path: Path
) -> None:
    release.cut("1.0.0", tmp_path)

    async with Client(site.url, auth=AccessToken(admin.token), ca=admin.ca) as client:
        app = plan.read(tmp_path)
        where = {"ca": admin.ca, "region": REGION, "sku": SKU}
        wish = Wish(app, client, **where, crashes=CRASHES, cancels=CANCELS)
        findings = await run.run(wish, lambda _: None)

    broken = [each for each in findings if each.outcome == "broken"]
    assert not broken, "\n".join(f"{each.rule}: {each.check} {each.detail}" for each in broken)
