"""Answers of a newer platform can be read, and secrets are not printed."""

from importlib.metadata import version

import pytest
from pydantic import ValidationError

from moorage import __version__, models

ORG = {
    "id": "org_1",
    "slug": "acme",
    "name": "Acme",
    "version": 3,
    "created_at": "2026-03-01T12:00:00Z",
    "updated_at": "2026-03-01T12:00:00Z",
}


@pytest.mark.rule("EV-9")
@pytest.mark.rule("VS-3")
def test_a_field_of_a_newer_platform_is_ignored() -> None:
    org = models.OrgRead.model_validate({**ORG, "colour": "blue"})

    assert org.slug == "acme"
    assert "colour" not in org.model_dump()


def test_a_word_of_a_newer_platform_is_taken() -> None:
    role = {"role": "auditor", "description": "", "levels": ["galaxy"], "permissions": []}

    assert models.RoleRead.model_validate(role).levels == ["galaxy"]


def test_a_secret_is_not_in_what_an_object_prints() -> None:
    login = models.Login(email="a@example.org", password="hunter2hunter2")
    issued = models.TokenRead(access_token="eyJ.secret", token_type="Bearer", expires_in=600)

    printed = f"{login!r} {login} {issued!r} {issued}"

    assert "hunter2" not in printed
    assert "eyJ" not in printed
    assert "a@example.org" in printed


def test_a_wrong_value_is_not_repeated_in_the_error() -> None:
    with pytest.raises(ValidationError) as refusal:
        models.Login.model_validate({"email": "a@example.org", "password": ["hunter2"]})

    assert "hunter2" not in str(refusal.value)


def test_objects_cannot_be_changed_in_place() -> None:
    org = models.OrgRead.model_validate(ORG)

    with pytest.raises(ValidationError, match="frozen"):
        org.name = "Other"  # pyright: ignore[reportAttributeAccessIssue]


def test_the_release_is_that_of_the_package() -> None:
    assert __version__ == version("moorage")
