"""Rows of views, as people read them."""

from datetime import UTC, datetime

from moorage.models import ViewRead, ViewRowRead
from moorage_cli.commands import views


def view(type: str) -> ViewRead:
    return ViewRead.model_validate(
        {
            "instance_id": "ins_1",
            "name": "app.jobs",
            "title": "Jobs",
            "columns": [{"name": "job", "title": "Job", "type": type}],
            "key": "job",
            "permission": "app.job.read",
            "readable": True,
            "observed_at": datetime(2026, 1, 1, tzinfo=UTC),
            "generation": 1,
            "row_count": 2,
            "total": 2,
            "truncated": False,
        }
    )


def rows(*keys: str) -> list[ViewRowRead]:
    return [ViewRowRead(key=key, data={"job": key}) for key in keys]


def test_keys_that_are_numbers_are_in_their_order() -> None:
    found = views.ordered(rows("10", "9"), view("integer"))

    assert [row.key for row in found] == ["9", "10"]


def test_keys_that_are_words_stay_as_they_come() -> None:
    found = views.ordered(rows("10", "9"), view("text"))

    assert [row.key for row in found] == ["10", "9"]
