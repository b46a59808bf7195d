"""What an entry hashes to, who may read which entries, and what refusals become."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moorage_core.audit import rules
from moorage_core.audit.models import Denials
from moorage_core.authz.principals import Grant, Kind, Place, Principal

NOON = datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=UTC)
KEY = "audit.entry.read"


def entry(**changes: Any) -> dict[str, Any]:
    fields: dict[str, Any] = dict.fromkeys(rules.FIELDS)
    return fields | {"id": "aud_1", "count": 1, "break_glass": False, "details": {}} | changes


def test_a_moment_has_one_spelling_in_every_time_zone() -> None:
    there = NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))

    assert rules.timestamp(there) == rules.timestamp(NOON) == "2026-03-01T12:00:00.000005+00:00"


@pytest.mark.parametrize("field", rules.FIELDS)
def test_every_field_of_an_entry_is_in_its_hash(field: str) -> None:
    changed = entry(**{field: {"other": 1} if field == "details" else "other"})

    assert rules.content_hash(changed) != rules.content_hash(entry())


def test_fields_beyond_those_of_an_entry_are_not_hashed() -> None:
    assert rules.content_hash(entry() | {"seq": 7, "leaf": b""}) == rules.content_hash(entry())


@given(
    st.dictionaries(
        st.text(), st.one_of(st.text(), st.integers(), st.booleans(), st.none()), max_size=5
    )
)
def test_details_hash_the_same_in_any_order_of_their_keys(details: dict[str, Any]) -> None:
    turned = dict(reversed(details.items()))

    assert rules.canonical(entry(details=turned)) == rules.canonical(entry(details=details))
    assert json.loads(rules.canonical(entry(details=details)))["details"] == details


@pytest.mark.parametrize("value", [0.5, 1e16, {"deep": [1, 0.1]}, (1.0,)])
def test_a_fraction_in_the_details_is_refused(value: Any) -> None:
    with pytest.raises(rules.UnstableDetails):
        rules.content_hash(entry(details={"share": value}))


def reader(*grants: tuple[str, str | None, str]) -> Principal:
    held = tuple(Grant(org, project, frozenset({key})) for org, project, key in grants)
    return Principal(Kind.USER, "usr_1", "Ada", held)


def test_a_reader_sees_whole_orgs_and_single_projects_where_the_key_is_held() -> None:
    ada = reader(("a", None, KEY), ("b", "p1", KEY), ("c", "p2", "other.key.here"))

    assert ada.places(KEY) == [Place("a", None), Place("b", "p1")]


def test_a_project_inside_a_whole_org_is_not_a_place_of_its_own() -> None:
    ada = reader(("a", None, KEY), ("a", "p1", KEY))

    assert ada.places(KEY) == [Place("a", None)]


def test_asking_for_an_org_leaves_the_others_out() -> None:
    ada = reader(("a", None, KEY), ("b", "p1", KEY))

    assert ada.places(KEY, org="b") == [Place("b", "p1")]
    assert ada.places(KEY, org="c") == []


def test_asking_for_a_project_narrows_a_whole_org_to_it() -> None:
    ada = reader(("a", None, KEY), ("b", "p1", KEY))

    assert ada.places(KEY, project="p9") == [Place("a", "p9")]
    assert ada.places(KEY, org="b", project="p1") == [Place("b", "p1")]
    assert ada.places(KEY, org="b", project="p9") == []


def test_a_minute_is_closed_half_a_minute_after_its_end() -> None:
    minute = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    assert not minute < rules.closed_before(minute + timedelta(seconds=90))
    assert minute < rules.closed_before(minute + timedelta(seconds=91))


def test_refusals_become_an_entry_of_whoever_was_refused() -> None:
    denials = Denials(
        org_id="org_1",
        project_id="prj_1",
        principal_kind="user",
        principal_id="usr_1",
        principal_name="Ada",
        route="GET /v1/orgs",
        minute=NOON,
        permission="iam.org.read",
        count=3,
        correlation_id="c-1",
    )

    made = rules.denied_entry(denials, id="aud_9")

    assert (made["actor_id"], made["action"]) == ("usr_1", "iam.org.read")
    assert (made["target"], made["outcome"], made["count"]) == ("GET /v1/orgs", "denied", 3)
    assert made["leaf"] == rules.content_hash(made).hex()
