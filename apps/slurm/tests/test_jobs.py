"""As whom jobs run."""

import pytest

import moorage
from moorage_slurm import jobs

PEOPLE = [{"user_id": "usr_1", "login": "ada", "uid": 200001}]


def test_a_persons_jobs_run_as_their_login() -> None:
    ada = moorage.Requester(kind="user", id="usr_1", name="Ada")

    assert jobs.identity(ada, PEOPLE, {}) == {"login": "ada", "uid": 200001}


def test_somebody_who_is_not_on_the_cluster_is_refused() -> None:
    bob = moorage.Requester(kind="user", id="usr_2", name="Bob")

    with pytest.raises(moorage.Fail) as refused:
        jobs.identity(bob, PEOPLE, {})

    assert (refused.value.code, refused.value.recovery) == ("no_identity", "terminal")


def test_a_programs_jobs_run_as_the_login_that_was_declared() -> None:
    program = moorage.Requester(kind="service_account", id="sva_1", name="nightly")

    assert jobs.identity(program, PEOPLE, {"nightly": "robot"}) == {"login": "robot"}


def test_a_program_without_a_login_is_refused() -> None:
    program = moorage.Requester(kind="service_account", id="sva_1", name="nightly")

    with pytest.raises(moorage.Fail, match="has no login"):
        jobs.identity(program, PEOPLE, {"weekly": "robot"})


def test_a_program_never_works_in_the_name_of_a_person() -> None:
    program = moorage.Requester(kind="service_account", id="sva_1", name="nightly")

    with pytest.raises(moorage.Fail, match="is a person"):
        jobs.identity(program, PEOPLE, {"nightly": "ada"})
