"""The sealed cookie: it opens for us, within ten minutes, unchanged, and for nobody else."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from moorage_core.oidc import pending
from moorage_core.oidc.pending import PendingLogin
from moorage_core.secrets import keyring
from moorage_core.secrets.keyring import Keyring

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def ring(tmp_path: Path) -> Keyring:
    return keyring.ensure(tmp_path)


@pytest.fixture
def login() -> PendingLogin:
    return pending.begin("idp_1", return_to="/größe?x=1", now=NOW)


def test_a_login_comes_back_as_it_was_sealed(ring: Keyring, login: PendingLogin) -> None:
    cookie = pending.seal(login, ring)

    assert pending.unseal(cookie, ring, now=NOW) == login


def test_the_cookie_shows_nothing_and_never_looks_the_same(
    ring: Keyring, login: PendingLogin
) -> None:
    first, second = pending.seal(login, ring), pending.seal(login, ring)

    assert first != second
    assert login.verifier not in first


def test_two_logins_share_nothing(login: PendingLogin) -> None:
    other = pending.begin("idp_1", return_to="/", now=NOW)

    assert not {login.state, login.nonce, login.verifier} & {
        other.state,
        other.nonce,
        other.verifier,
    }


def test_it_is_good_for_ten_minutes(ring: Keyring, login: PendingLogin) -> None:
    cookie = pending.seal(login, ring)

    before = pending.unseal(cookie, ring, now=NOW + timedelta(minutes=10, microseconds=-1))
    after = pending.unseal(cookie, ring, now=NOW + timedelta(minutes=10))

    assert before == login
    assert after is None


def test_every_changed_letter_spoils_it(ring: Keyring, login: PendingLogin) -> None:
    cookie = pending.seal(login, ring)

    for place in range(len(cookie) - 1):  # of the last letter, some bits are padding
        changed = cookie[:place] + ("A" if cookie[place] != "A" else "B") + cookie[place + 1 :]
        assert pending.unseal(changed, ring, now=NOW) is None


@pytest.mark.parametrize(
    "junk", ["", "1", "1.", "1.A", "9.AAAA", "x.AAAA", "1.ä", "1." + "A" * 9000]
)
def test_junk_is_no_login(ring: Keyring, junk: str) -> None:
    assert pending.unseal(junk, ring, now=NOW) is None


def test_another_installation_cannot_open_it(
    ring: Keyring, login: PendingLogin, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = keyring.ensure(tmp_path / "other")

    assert pending.unseal(pending.seal(login, ring), other, now=NOW) is None


def test_a_key_rotation_in_between_does_no_harm(
    ring: Keyring, login: PendingLogin, tmp_path: Path
) -> None:
    before = pending.seal(login, ring)
    keyring.add(tmp_path, version=2)
    rotated = Keyring(tmp_path)
    after = pending.seal(login, rotated)

    assert (before[:2], after[:2]) == ("1.", "2.")
    assert pending.unseal(before, rotated, now=NOW) == login
    assert pending.unseal(after, ring, now=NOW) == login  # a process that has not looked yet


def test_the_longest_return_address_fits_into_a_cookie(ring: Keyring) -> None:
    login = pending.begin("idp_" + "0" * 26, return_to="/" + "🛥" * 499, now=NOW)

    cookie = pending.seal(login, ring)

    assert len(cookie) < 3800
    assert pending.unseal(cookie, ring, now=NOW) == login
