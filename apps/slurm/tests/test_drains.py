"""Drains have owners, each takes back its own; and jobs have time."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from moorage_slurm import cluster
from moorage_slurm.onhost import nodes

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def node(reason: str, *states: str) -> dict[str, Any]:
    return {"node": "w", "states": [*(states or ("IDLE", "DRAIN"))], "reason": reason}


@pytest.mark.parametrize(
    ("reason", "own", "others"),
    [
        ("moorage cordon: heat (ada)", ["moorage cordon: heat (ada)"], []),
        ("moorage drain: heat (ada)", [], ["moorage drain: heat (ada)"]),
        ("disk is dying", [], ["disk is dying"]),
        ("disk ; moorage cordon: heat", ["moorage cordon: heat"], ["disk"]),
        ("", [], ["no reason given"]),
    ],
)
def test_a_reason_says_who_drained_a_node(reason: str, own: list[str], others: list[str]) -> None:
    assert nodes.parts(node(reason), nodes.CORDON) == (own, others)


def test_a_node_that_is_open_is_drained_by_nobody() -> None:
    assert nodes.parts(node("moorage cordon: old", "IDLE"), nodes.CORDON) == ([], [])


@pytest.mark.parametrize(
    ("given", "overdue"),
    [
        ({}, False),
        ({"policy": "wait"}, False),
        ({"policy": "force"}, True),
        ({"policy": "deadline", "deadline_seconds": 60}, True),
        ({"policy": "deadline", "deadline_seconds": 61}, False),
    ],
)
def test_jobs_have_the_time_that_the_request_leaves_them(
    given: dict[str, Any], overdue: bool
) -> None:
    since = NOON - timedelta(seconds=60)

    assert cluster.is_overdue(given, since=since, now=NOON) is overdue
