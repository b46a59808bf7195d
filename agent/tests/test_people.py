"""Who may be on a host, decided without one."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from moorage_agent import people, sshd
from moorage_agent.people import Person, Record
from moorage_agent.tasks import Failed

ALICE = Person("alice", 200001, principals=("a", "b"), sudo=True, forwarding=True)


def parse(*given: dict[str, Any], **other: Any) -> list[Person]:
    return people.parse({"people": list(given), **other})


def test_a_person_is_read_with_one_principal_or_several() -> None:
    one = {"login": "alice", "uid": 200001, "principal": "grn_1", "name": 'A: "l",ice\n'}

    found = parse(one, {"login": "bob", "uid": 200002, "principal": ["g2", "g1", "g2"]})

    assert found[0] == Person("alice", 200001, name="A lice", principals=("grn_1",))
    assert found[1].principals == ("g1", "g2")


@pytest.mark.parametrize("given", [{}, {"principal": []}, {"principal": None}], ids=str)
def test_a_person_without_a_principal_has_an_account_and_no_way_in(given: dict[str, Any]) -> None:
    (found,) = parse({"login": "alice", "uid": 200001} | given)

    assert found == Person("alice", 200001)


@pytest.mark.parametrize(
    "given",
    [
        [{"login": "alice", "uid": 200001}, {"login": "alice", "uid": 200002}],
        [{"login": "alice", "uid": 200001}, {"login": "bob", "uid": 200001}],
        ["alice"],
        [{"login": "alice", "uid": "200001"}],
        [{"login": "alice", "uid": True}],
        [{"login": "a" * 32, "uid": 200001}],
        [{"login": "alice ALL=(ALL) ALL\nx", "uid": 200001}],
        [{"login": "alice", "uid": 200001, "principal": 'command="x" a'}],
        [{"login": "alice", "uid": 200001, "sudo": "yes"}],
    ],
    ids=str,
)
def test_people_who_could_be_mistaken_or_say_more_are_refused(given: list[Any]) -> None:
    with pytest.raises(Failed) as refused:
        people.parse({"people": given})

    assert refused.value.code == "input_invalid"


def test_a_site_s_login_may_have_dots_and_no_number() -> None:
    found = parse({"login": "First.Last", "principal": "g"}, users="external")

    assert found == [Person("First.Last", None, principals=("g",), external=True)]


@pytest.mark.parametrize(
    ("now", "withdrawn"),
    [
        (None, True),
        (ALICE, False),
        (replace(ALICE, name="Other"), False),
        (replace(ALICE, principals=("a", "b", "c")), False),
        (replace(ALICE, principals=("a", "c")), True),
        (replace(ALICE, sudo=False), True),
        (replace(ALICE, forwarding=False), True),
        (replace(ALICE, uid=200009), True),
        (replace(ALICE, external=True), True),
    ],
    ids=str,
)
def test_only_a_loss_ends_what_is_open(now: Person | None, withdrawn: bool) -> None:
    assert people.is_withdrawn(ALICE, now) is withdrawn


@pytest.mark.parametrize(
    ("by_login", "by_uid", "ours", "word"),
    [
        (None, None, False, ""),
        (200001, "alice", True, ""),
        (200001, "alice", False, "not the platform's"),
        (1000, None, True, "not the platform's"),
        (None, "bob", False, "bob"),
        (None, "bob", True, "bob"),
    ],
)
def test_an_account_is_ours_only_by_the_record(
    by_login: int | None, by_uid: str | None, ours: bool, word: str
) -> None:
    sentence = people.clash(ALICE, by_login=by_login, by_uid=by_uid, ours=ours)

    assert (word in sentence) if word else sentence == ""


@pytest.mark.parametrize(
    ("line", "owner"),
    [
        ("pat:165536:65536", "pat"),
        ("1000:200001:1", "1000"),
        ("pat:100000:100001", None),
        ("pat:200002:65536", None),
        ("alice:165536:65536", None),
        ("pat:oops", None),
    ],
)
def test_a_number_that_somebody_may_use_in_containers_is_a_clash_by_name(
    line: str, owner: str | None
) -> None:
    found = people.find_in_ranges(ALICE, ["root:1:5", line])

    sentence = people.clash(ALICE, by_login=None, by_uid=None, ours=False, by_range=found)

    assert found == owner
    assert (f"range that {owner} has" in sentence) if owner else sentence == ""


def test_a_site_s_account_must_be_there_with_the_number_that_was_said() -> None:
    site = replace(ALICE, external=True)

    sentences = [
        people.clash(site, by_login=number, by_uid=None, ours=False) for number in (None, 5, 200001)
    ]

    assert [bool(sentence) for sentence in sentences] == [True, True, False]


def test_the_record_is_the_same_after_a_restart(tmp_path: Path) -> None:
    record = Record().having(ALICE, makes_home=True).having(Person("bob", 200002), makes_home=False)

    people.save(tmp_path, record)

    assert people.load(tmp_path) == record
    assert people.load(tmp_path).without("alice").homes == {"alice": 200001}


def test_the_server_s_settings_limit_people_by_name_and_nobody_else() -> None:
    text = sshd.render(sshd.Rules(strict=("bob", "alice"), forwarding=("carol",)))

    assert text.splitlines()[1:] == [
        "TrustedUserCAKeys /etc/ssh/moorage/authorities",
        "AuthorizedPrincipalsFile /etc/ssh/moorage/principals/%u",
        "ExposeAuthInfo yes",
        "Match User alice,bob",
        "    AuthenticationMethods publickey",
        "    AuthorizedKeysFile none",
        "    DisableForwarding yes",
        "Match User carol",
        "    AuthenticationMethods publickey",
        "    AuthorizedKeysFile none",
        "    DisableForwarding no",
    ]
    assert "Match" not in sshd.render(sshd.Rules())


@pytest.mark.parametrize("line", ["", "ssh-ed25519", "cert-authority ssh-ed25519 AAAA", "a\nb c"])
def test_an_authority_that_is_no_key_is_refused(line: str) -> None:
    with pytest.raises(Failed):
        sshd.parse_authority(line)


def test_an_authority_loses_its_comment() -> None:
    assert sshd.parse_authority("ssh-ed25519 AAAAC3Nz me@here\n") == "ssh-ed25519 AAAAC3Nz"
