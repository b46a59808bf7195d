"""When keys sign: never a moment without one, and none that came as a surprise."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from moorage_core.signing import rules

NOW = datetime(2026, 3, 1, tzinfo=UTC)
MONTH = timedelta(days=30)
TEN = timedelta(minutes=10)


def make(existing: list[rules.KeyTimes], now: datetime) -> rules.KeyTimes | None:
    return rules.next_key(existing, now=now, lifetime=MONTH, token_lifetime=TEN)


def test_the_first_key_signs_at_once() -> None:
    key = make([], NOW)

    assert key is not None
    assert (key.signs_from, key.signs_until) == (NOW, NOW + MONTH)


def test_no_key_is_made_while_the_present_one_has_time_left() -> None:
    key = make([], NOW)
    assert key is not None

    assert make([key], NOW + MONTH - rules.ANNOUNCED_BEFORE - timedelta(seconds=1)) is None


def test_the_next_key_is_made_an_hour_before_it_signs() -> None:
    key = make([], NOW)
    assert key is not None

    following = make([key], key.signs_until - rules.ANNOUNCED_BEFORE)

    assert following is not None
    assert following.signs_from == key.signs_until


def test_a_key_verifies_until_the_last_token_that_it_signed_has_ended() -> None:
    key = make([], NOW)

    assert key is not None
    assert key.verifies_until >= key.signs_until + TEN


def test_after_a_long_sleep_a_key_signs_at_once() -> None:
    key = make([], NOW)
    assert key is not None

    following = make([key], key.signs_until + timedelta(days=3))

    assert following is not None
    assert following.signs_from == key.signs_until + timedelta(days=3)


@given(st.lists(st.integers(1, 50), min_size=5, max_size=60))
def test_whoever_looks_every_now_and_then_finds_one_signer(minutes: list[int]) -> None:
    """The sweep looks every ten minutes; being late by up to fifty does no harm."""
    lifetime, keys, now = timedelta(hours=5), list[rules.KeyTimes](), NOW
    for pause in minutes:
        made = rules.next_key(keys, now=now, lifetime=lifetime, token_lifetime=TEN)
        keys += [made] if made else []
        signers = [key for key in keys if key.signs_from <= now < key.signs_until]

        assert len(signers) == 1
        now += timedelta(minutes=pause)
