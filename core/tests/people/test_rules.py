"""Pure decisions about accounts and tokens."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Kind
from moorage_core.authz.roles import ROLES, SELF, Role
from moorage_core.people import rules

NOW = datetime(2026, 3, 1, tzinfo=UTC)
FIVE = timedelta(minutes=5)


@pytest.mark.parametrize(
    ("wrong", "minutes"),
    [
        (0, None),
        (4, None),
        (5, 5),
        (6, 10),
        (7, 15),
        (10_000, 15),
    ],
)
def test_an_account_is_locked_twice_as_long_after_each_further_wrong_password(
    wrong: int, minutes: int | None
) -> None:
    lock = rules.lock_for(wrong, after=5, first=FIVE)

    assert lock == (None if minutes is None else timedelta(minutes=minutes))


@given(st.integers(0, 200))
def test_a_further_wrong_password_never_shortens_the_lock(wrong: int) -> None:
    before = rules.lock_for(wrong, after=5, first=FIVE) or timedelta()
    after = rules.lock_for(wrong + 1, after=5, first=FIVE) or timedelta()

    assert before <= after <= rules.LOCK_LIMIT


def test_a_lock_ends_at_its_moment() -> None:
    assert not rules.is_locked(None, now=NOW)
    assert rules.is_locked(NOW + timedelta(seconds=1), now=NOW)
    assert not rules.is_locked(NOW, now=NOW)


def test_a_session_is_idle_only_when_the_note_of_its_last_use_must_be_older() -> None:
    """Its use is noted once a minute, so that a busy session is not written with every request."""
    idle = timedelta(hours=2)

    assert not rules.is_idle(NOW - idle - rules.SEEN_EVERY, now=NOW, idle=idle)
    assert rules.is_idle(NOW - idle - rules.SEEN_EVERY * 1.1, now=NOW, idle=idle)


def test_a_csrf_token_belongs_to_one_session_and_does_not_give_it_away() -> None:
    one, other = rules.csrf_token("moor_ses_one"), rules.csrf_token("moor_ses_other")

    assert one != other
    assert "moor_ses" not in one
    assert one == rules.csrf_token("moor_ses_one")


def test_a_role_that_this_release_does_not_know_grants_nothing() -> None:
    """After a downgrade, say."""
    grants = rules.user_grants([("org_a", None, "emperor"), ("org_a", "prj_a", "viewer")])

    assert [grant.permissions for grant in grants] == [
        frozenset(str(key) for key in ROLES[Role.VIEWER].permissions)
    ]


def test_a_person_holds_keys_on_themselves_and_where_they_have_roles() -> None:
    who = rules.person("usr_x", "X", [("org_a", "prj_a", "viewer")], credential="pat_x")

    assert (who.kind, who.credential) == (Kind.USER, "pat_x")
    assert who.own == frozenset(str(key) for key in SELF)
    assert [(grant.org, grant.project) for grant in who.grants] == [("org_a", "prj_a")]


@pytest.mark.parametrize(
    ("permissions", "org", "own"),
    [
        (None, None, SELF),
        (None, "org_a", rules.RESTRICTED_OWN),
        ([], None, frozenset[Permission]()),
        (["iam.self.read"], None, {Permission.IAM_SELF_READ}),
        (["iam.self.manage"], None, frozenset[Permission]()),
        (["iam.self.manage", "iam.role.read"], "org_a", {Permission.IAM_ROLE_READ}),
    ],
)
def test_a_narrow_token_never_manages_its_owners_account(
    permissions: list[str] | None, org: str | None, own: frozenset[str]
) -> None:
    row = {"permissions": permissions, "org_id": org}

    assert rules.token_own(row, frozenset(str(key) for key in SELF)) == frozenset(own)
