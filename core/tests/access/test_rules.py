"""Who may enter, under which name, and what a node is told: decided without a server."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from moorage_core.access import rules
from moorage_core.access.models import NodeAccess, Person, Standing
from moorage_core.access.rules import Because, Step

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def standing(**values: Any) -> Standing:
    given: dict[str, Any] = {
        "id": "acg_1",
        "project_id": "prj_1",
        "allocation_id": "alc_1",
        "expires_at": NOW + timedelta(hours=1),
        "allocation_status": "active",
        "disabled": False,
        "roles": ["project_member"],
    }
    return Standing(**(given | values))


def node(**values: Any) -> NodeAccess:
    given: dict[str, Any] = {
        "allocation_id": "alc_1",
        "node_id": "nod_1",
        "org_id": "org_1",
        "project_id": "prj_1",
        "wanted": 3,
        "sent": 3,
        "sent_generation": 1,
        "confirmed": 2,
        "confirmed_generation": 1,
        "operation_id": "opn_1",
        "task_id": "tsk_1",
        "tries": 0,
        "retry_at": None,
        "allocation_status": "active",
        "told": True,
        "task_status": "succeeded",
        "task_ended_at": NOW,
        "task_result": {},
        "task_error_code": None,
        "task_error_message": None,
    }
    return NodeAccess(**(given | values))


@pytest.mark.parametrize(
    ("email", "login"),
    [
        ("ada@example.org", "ada"),
        ("Ada.Lovelace@example.org", "ada-lovelace"),
        ("ada_l+hpc@example.org", "ada-l-hpc"),
        ("42ada@example.org", "ada"),
        ("--a--@example.org", "a"),
        ("12345@example.org", "user"),
        ("a" * 60 + "@example.org", "a" * 31),
        ("a" * 30 + ".b@example.org", "a" * 30),
    ],
)
def test_a_login_is_made_from_the_address(email: str, login: str) -> None:
    assert rules.login_for(email, []) == login
    assert rules.LOGIN.fullmatch(login)


def test_a_login_that_is_taken_gets_a_number() -> None:
    assert rules.login_for("ada@example.org", ["ada"]) == "ada2"
    assert rules.login_for("ada@example.org", ["ada", "ada2", "ada3"]) == "ada4"


def test_a_long_login_is_cut_for_its_number() -> None:
    long = "a" * 31

    assert rules.login_for(f"{long}@example.org", [long]) == "a" * 30 + "2"


@pytest.mark.parametrize("name", ["root", "www-data", "sshd", "nobody"])
def test_names_of_the_host_itself_are_not_given(name: str) -> None:
    assert rules.login_for(f"{name}@example.org", []) == f"{name}2"
    with pytest.raises(rules.LoginReserved):
        rules.check_login(name)


def test_systemd_s_and_our_own_names_are_reserved() -> None:
    for name in ("systemd-network", "moorage-agent"):
        with pytest.raises(rules.LoginReserved):
            rules.check_login(name)


def test_uids_only_go_up() -> None:
    assert rules.next_uid(None, lowest=200_000, last=299_999) == 200_000
    assert rules.next_uid(200_005, lowest=200_000, last=299_999) == 200_006
    assert rules.next_uid(1_500, lowest=200_000, last=299_999) == 200_000


def test_no_uid_is_given_beyond_the_last() -> None:
    with pytest.raises(rules.UidsExhausted):
        rules.next_uid(299_999, lowest=200_000, last=299_999)


def test_a_viewer_enters_no_machine() -> None:
    with pytest.raises(rules.NotInProject):
        rules.check_person(
            Person("usr_1", "a@example.org", "A", disabled=False, roles=["viewer"]),
            user="usr_1",
            project="prj_1",
        )


@pytest.mark.parametrize("role", ["tenant_admin", "project_admin", "project_member"])
def test_who_works_in_the_project_may_be_let_in(role: str) -> None:
    person = Person("usr_1", "a@example.org", "A", disabled=False, roles=["viewer", role])

    assert rules.check_person(person, user="usr_1", project="prj_1") is person


@pytest.mark.parametrize(
    ("values", "because"),
    [
        ({}, None),
        ({"expires_at": NOW}, Because.EXPIRED),
        ({"allocation_status": "releasing"}, Because.RELEASED),
        ({"allocation_status": "release_failed"}, Because.RELEASED),
        ({"disabled": True}, Because.DISABLED),
        ({"roles": []}, Because.LEFT),
        ({"roles": ["viewer"]}, Because.LEFT),
        ({"roles": ["viewer", "project_admin"]}, None),
    ],
)
def test_why_a_grant_ends(values: dict[str, Any], because: Because | None) -> None:
    assert rules.why_ended(standing(**values), now=NOW) == because


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ({"task_id": None, "task_status": None, "task_ended_at": None}, Step.SEND),
        ({"task_status": "queued", "task_ended_at": None}, Step.NOTHING),
        ({"task_status": "sent", "task_ended_at": None}, Step.NOTHING),
        ({"task_status": "running", "task_ended_at": None}, Step.NOTHING),
        ({"task_status": "succeeded"}, Step.CONFIRM),
        ({"task_status": "failed", "task_error_code": "disk_full"}, Step.RETRY),
        ({"task_status": "failed", "task_error_code": "login_clash"}, Step.CONFIRM),
        ({"task_status": "unknown"}, Step.SEND),
        ({"task_status": "timed_out"}, Step.SEND),
        ({"task_status": "cancelled"}, Step.SEND),
        ({"task_status": None, "task_ended_at": None}, Step.SEND),
        ({"told": False, "task_id": None}, Step.NOTHING),
    ],
)
def test_what_comes_next_for_a_node(values: dict[str, Any], step: Step) -> None:
    assert rules.progress(node(**values)).step is step


def test_a_clash_is_confirmed_with_the_names_it_is_about() -> None:
    said = {"clashes": {"ada": "There is a user ada already.", "bad\nname": "?"}}

    found = rules.progress(
        node(
            task_status="failed",
            task_error_code="login_clash",
            task_error_message="There is a user ada already.",
            task_result=said,
        )
    )

    assert found.clashes == ("ada",)
    assert found.problem == "There is a user ada already."


@pytest.mark.parametrize("said", [None, {}, {"clashes": 7}, {"clashes": None}, {"clashes": "ada"}])
def test_nonsense_from_a_host_clashes_with_nobody(said: Any) -> None:
    assert rules.clashing(said) == ()


def test_a_node_that_cannot_is_left_alone_for_longer_each_time() -> None:
    pauses = [rules.pause(tries).total_seconds() for tries in (0, 1, 2, 20)]

    assert pauses == [2, 4, 8, 300]


def test_names_fit_into_the_password_file() -> None:
    assert rules.shown_name("Ada:0:0\nroot", "ada") == "Ada 0 0 root"
    assert rules.shown_name("::", "ada") == "ada"
