"""What whoever is called at night reads first."""

import re

import pytest

from moorage_echo import cluster, echod, release

RUNBOOK = release.HERE.joinpath("runbook.md").read_text()


@pytest.mark.rule("ON-7")
def test_the_runbook_begins_at_the_correlation_id() -> None:
    commands = re.findall(r"^\$ (.*)$", RUNBOOK, re.MULTILINE)

    assert commands[0] == "moor triage CORRELATION"


def test_the_runbook_names_what_is_on_a_host() -> None:
    for path in (cluster.PROGRAM, cluster.SETTINGS, cluster.KEY, str(echod.STATE), cluster.UNIT):
        assert path in RUNBOOK
