"""Codes: how they read, and who may still decide."""

from datetime import UTC, datetime

import pytest

from moorage_core.device_codes import rules
from moorage_core.device_codes.models import Asked

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def asked(user: str | None = None, *, approved: bool | None = None) -> Asked:
    return Asked("dvc_1", "moor on a", "192.0.2.1", 60, NOW, NOW, user, approved)


@pytest.mark.parametrize("typed", ["BCDF-GHJK", "bcdfghjk", " bcdf ghjk ", "Bcdf-gHJk"])
def test_a_code_is_the_same_however_it_was_typed(typed: str) -> None:
    assert rules.spelled(typed) == "BCDF-GHJK"


@pytest.mark.parametrize(
    ("approved", "status"), [(None, "pending"), (True, "approved"), (False, "denied")]
)
def test_a_code_stands_as_somebody_decided(approved: bool | None, status: str) -> None:
    assert rules.status(asked("usr_1", approved=approved)) == status


def test_to_say_the_same_again_changes_nothing() -> None:
    assert rules.check_decision(asked(), person="usr_1", approved=True)
    assert not rules.check_decision(asked("usr_1", approved=True), person="usr_1", approved=True)


@pytest.mark.parametrize(("person", "approved"), [("usr_1", False), ("usr_2", True)])
def test_a_decision_stands(person: str, approved: bool) -> None:
    with pytest.raises(rules.AlreadyDecided):
        rules.check_decision(asked("usr_1", approved=True), person=person, approved=approved)
