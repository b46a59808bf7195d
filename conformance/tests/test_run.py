"""The kit over the apps of this repository: green, on a real platform with simulated hosts.

A controller dies and is cancelled a few times in each operation; in `make test-faults` the one that
starts at once does so at every call and every step.
"""

import os
from pathlib import Path

import pytest

from conformance.tests.conftest import RUN
from moorage import AccessToken, Client
from moorage_conformance import plan, run
from moorage_conformance.checks import passes
from moorage_conformance.findings import Finding
from moorage_conformance.run import Wish
from moorage_lab.simulated import Host
from tests.e2e.callers import Caller
from tests.e2e.site import Site
from tests.e2e.world import REGION, SKU

pytestmark = pytest.mark.slow

REPO = Path(__file__).parents[2]
NODE_ECHO = REPO / "apps/fixtures/node-echo"
ECHO = REPO / "apps/echo/src/moorage_echo"
A_FEW = 2
"""Deaths of one operation, and cancels. A controller in Python takes a second to start."""
EVERY = None if os.environ.get("FAULTS") == "all" else A_FEW


async def judged(
    site: Site, admin: Caller, app: Path, *, name: str | None = None, each: int | None = A_FEW
) -> list[Finding]:
    async with Client(site.url, auth=AccessToken(admin.token)) as client:
        wish = Wish(
            plan.read(app),
            client,
            region=REGION,
            sku=SKU,
            name=name,
            crashes=each,
            cancels=each,
        )
        return await run.run(wish, lambda finding: None)


def broken(findings: list[Finding]) -> list[Finding]:
    return [each for each in findings if each.outcome == "broken"]


async def test_an_app_in_another_language_keeps_every_rule(
    site: Site, admin: Caller, machines: list[Host]
) -> None:
    findings = await judged(site, admin, NODE_ECHO, each=EVERY)

    assert broken(findings) == []
    assert {each.rule for each in findings if each.outcome == "kept"} == {
        check.rule for each in passes.EVERY for check in each.checks
    }
    assert [host.files for host in machines] == [{}] * len(machines)


async def test_the_smallest_honest_app_keeps_every_rule(
    site: Site, admin: Caller, machines: list[Host]
) -> None:
    findings = await judged(site, admin, ECHO, name=RUN)

    assert broken(findings) == []
    assert [host.files for host in machines] == [{}] * len(machines)
