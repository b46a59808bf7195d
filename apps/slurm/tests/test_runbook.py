"""What whoever is called at night reads first."""

import re
from pathlib import Path

import moorage_slurm
from moorage_slurm import archive, health, render
from moorage_slurm.onhost import status
from moorage_slurm.patience import PAUSES

RUNBOOK = Path(moorage_slurm.__file__).with_name("runbook.md").read_text()


def test_the_runbook_begins_at_the_correlation_id() -> None:
    commands = re.findall(r"^\$ (.*)$", RUNBOOK, re.MULTILINE)

    assert commands[0] == "moor triage CORRELATION"


def test_the_runbook_names_what_is_on_a_host() -> None:
    for name in (
        archive.PATH,
        f"{render.LOOKOUT}.socket",
        f"{render.PEOPLE}.path",
        *status.DAEMONS,
    ):
        assert name in RUNBOOK
    assert f"port {status.LOOKOUT[1]}" in RUNBOOK


def test_the_runbook_knows_every_trouble_that_a_person_has_to_see_to() -> None:
    said = {"free_mb": 1, "resolves_in": 9.0, "misnamed": "203.0.113.9"}
    for trouble in health.host_troubles(said, skew=400):
        beginning = re.split(r" [\d+]", trouble)[0]
        assert beginning in RUNBOOK, trouble


def test_the_runbook_says_how_often_a_repair_is_asked_for() -> None:
    minutes = [f"{pause / 60:.0f}" for pause in PAUSES]

    assert f"after {', '.join(minutes[:-1])} and {minutes[-1]} minutes" in RUNBOOK
