"""One authority after another: whoever keeps up trusts the server at every stage."""

import ssl
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography import x509

from moorage_core.embedded import authority, succession, tls
from moorage_core.embedded.succession import Stage

NAMES = ("localhost",)
NOW = datetime.now(UTC)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    tls.own(tmp_path, names=NAMES, now=NOW)
    return tmp_path


def is_trusted(place: Path, bundle: bytes) -> bool:
    """Whether a client with these authorities would take the server's certificate."""
    leaf = authority.read_chain(place / "server.pem")[0]
    subjects = [each.subject for each in x509.load_pem_x509_certificates(bundle)]
    return leaf.issuer in subjects


def renew(place: Path) -> None:
    tls.renew_if_needed(place, names=NAMES, now=NOW)


def test_whoever_keeps_up_trusts_the_server_at_every_stage(place: Path) -> None:
    before = authority.bundle(place)
    succession.announce(place, now=NOW)
    renew(place)
    both = authority.bundle(place)
    assert is_trusted(place, before)
    assert is_trusted(place, both)

    succession.switch(place)
    renew(place)

    assert not is_trusted(place, before), "the old one does not sign any more"
    assert is_trusted(place, both)
    assert authority.bundle(place) == both, "nobody has to fetch it again"
    succession.finish(place)
    renew(place)
    after = authority.bundle(place)
    assert is_trusted(place, after)
    assert len(x509.load_pem_x509_certificates(after)) == 1
    assert sorted(path.name for path in place.iterdir()) == [
        "ca.key",
        "ca.pem",
        "server.key",
        "server.pem",
    ]


def test_a_new_certificate_and_its_key_fit(place: Path) -> None:
    succession.announce(place, now=NOW)
    succession.switch(place)

    renew(place)

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(place / "server.pem", place / "server.key")
    leaf = authority.read_chain(place / "server.pem")[0]
    leaf.verify_directly_issued_by(authority.read_chain(place / "ca.pem")[0])


def test_the_next_authority_is_made_once(place: Path) -> None:
    succession.announce(place, now=NOW)
    made = (place / "ca.next.pem").read_bytes()

    succession.announce(place, now=NOW)

    assert (place / "ca.next.pem").read_bytes() == made


def test_a_switch_that_was_cut_off_is_finished_by_switching_again(place: Path) -> None:
    succession.announce(place, now=NOW)
    old = (place / "ca.pem").read_bytes()
    new = (place / "ca.next.pem").read_bytes()
    (place / "ca.previous.pem").write_bytes(old)
    (place / "ca.previous.key").write_bytes((place / "ca.key").read_bytes())
    (place / "ca.next.key").replace(place / "ca.key")

    succession.switch(place)

    assert (place / "ca.pem").read_bytes() == new
    assert (place / "ca.previous.pem").read_bytes() == old
    assert succession.stage(place) is Stage.SWITCHED


def test_stages_come_in_turn(place: Path) -> None:
    with pytest.raises(succession.OutOfTurn):
        succession.switch(place)
    with pytest.raises(succession.OutOfTurn):
        succession.finish(place)
    succession.announce(place, now=NOW)
    with pytest.raises(succession.OutOfTurn):
        succession.finish(place)
    succession.switch(place)
    with pytest.raises(succession.OutOfTurn):
        succession.announce(place, now=NOW)


def test_the_mark_of_a_bundle_changes_with_it(place: Path) -> None:
    marks = [authority.mark(place)]
    succession.announce(place, now=NOW)
    marks.append(authority.mark(place))
    succession.switch(place)
    marks.append(authority.mark(place))
    succession.finish(place)
    marks.append(authority.mark(place))

    assert len(set(marks)) == 4
    assert authority.mark(place) == marks[-1]
