"""The kit over Slurm on real hosts, by the command that a person types."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.callers import Caller
from tests.e2e.world import REGION, SKU, Member

pytestmark = [pytest.mark.lab, pytest.mark.kit]

REPO = Path(__file__).parents[2]
MOOR = (sys.executable, "-c", "from moorage_cli.main import main; main()")
KIT = ("conformance", "run", "--app", "apps/slurm", "--region", REGION, "--sku", SKU)
FEW = ("--crashes", "1", "--cancels", "2")
"""Of one operation: for each cancel of a deployment a whole cluster is made."""


def test_slurm_keeps_every_rule(admin: Caller, nodes: list[Member], tmp_path: Path) -> None:
    caller = {"MOOR_URL": admin.url, "MOOR_TOKEN": admin.token, "MOOR_CA": str(admin.ca)}

    run = [*MOOR, *KIT, *FEW, "--report", str(tmp_path)]
    ended = subprocess.run(run, cwd=REPO, env=os.environ | caller, check=False)

    assert ended.returncode == 0, tmp_path.joinpath("report.md").read_text()
