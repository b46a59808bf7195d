"""The kit over apps that break one rule each: it finds that rule broken, says why, and no other."""

import re
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from conformance.tests import golden_files
from moorage import AccessToken, Client
from moorage_conformance import machines as held_machines
from moorage_conformance import plan, run, tenant
from moorage_conformance.checks import passes
from moorage_conformance.findings import Finding
from moorage_conformance.run import Wish
from moorage_lab.simulated import Host
from tests.e2e.callers import Caller
from tests.e2e.site import Site
from tests.e2e.world import REGION, SKU

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent / "variants"
NODE_ECHO = Path(__file__).parents[2] / "apps/fixtures/node-echo"
VARIANTS = sorted(file for file in HERE.iterdir() if file.name != "README.md")
MACHINES = 4
EACH = {"undisturbed", "conduct"}
"""Passes that every variant goes through."""
TRIES = {"boundary"}
"""In which the kit asks for things in the controller's place, whatever that does."""
CRASHES = 2
"""Deaths of one operation: enough for a variant that cannot bear the first."""
MORE = {
    "AC-2": {"action node_echo.say"},
    "MB-3": {"add", "drain (wait)", "resume (wait)"},
    "MB-4": {"add", "remove"},
    "ON-1": {"restart"},
    "ON-6": {"upgrade", "rollback"},
    "OP-2": {"add", "configure"},
    "OP-7": {"add", "configure"},
    "OP-16": {"add", "configure"},
}
"""What a variant's life has besides its beginning and its end: where it stumbles, and no more."""
ID = re.compile(r"\b[a-z]{3}_[0-9a-z]{26}\b")
HOST = re.compile(r"\bhost \d+\b")
AGAIN = re.compile(r"(host … [^;,]*)(; \1)+")


@dataclass(frozen=True)
class Bench:
    """A project with machines that every variant is judged on, one after the other."""

    client: Client
    project: str
    allocations: list[str]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def bench(site: Site, admin: Caller, machines: list[Host]) -> AsyncIterator[Bench]:
    async with (
        Client(site.url, auth=AccessToken(admin.token)) as client,
        tenant.own(client, ca=None) as where,
        held_machines.held(where, MACHINES, region=REGION, sku=SKU) as held,
    ):
        yield Bench(where.client, where.project, held)


def app_of(variant: Path, folder: Path) -> Path:
    """The app with the variant in the place of its controller or of its runbook."""
    shutil.copytree(NODE_ECHO, folder)
    if variant.suffix == ".md":
        shutil.copy(variant, folder / "runbook.md")
        return folder
    said = folder / plan.FILE
    said.write_text(said.read_text().replace("controller.mjs", str(variant)))
    return folder


def rule_of(variant: Path) -> str:
    return variant.stem.upper()


def weather(rule: str) -> frozenset[str]:
    """The passes in which a variant shows its fault, and those that every variant goes through."""
    judging = {each.name for each in passes.EVERY if rule in {c.rule for c in each.checks}}
    return frozenset(EACH | judging - TRIES)


def told(findings: list[Finding]) -> str:
    """The reasons, without what differs from run to run: ids, and which host was the first."""
    # How many faults are met differs; the first is the same.
    firsts = [(each, each.detail.partition("\nExpected: ")[0]) for each in findings]
    lines = [f"{each.rule} {each.check}\n{first}\n" for each, first in firsts]
    return AGAIN.sub(r"\1", HOST.sub("host …", ID.sub("…", "\n".join(lines))))


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda file: file.stem)
async def test_a_variant_breaks_its_rule_alone(variant: Path, bench: Bench, tmp_path: Path) -> None:
    rule = rule_of(variant)
    wish = Wish(
        plan.read(app_of(variant, tmp_path / "app")),
        bench.client,
        project=bench.project,
        allocations=bench.allocations,
        passes=weather(rule),
        crashes=CRASHES,
        acts=frozenset(MORE.get(rule, ())),
    )

    findings = await run.run(wish, lambda finding: None)

    broken = [each for each in findings if each.outcome == "broken"]
    assert {each.rule for each in broken} == {rule}
    golden_files.check(f"variants/{variant.stem}.txt", told(broken))
