"""Drains have owners: each takes back its own."""

from typing import Any

import pytest

from moorage_slurm.onhost import nodes


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
