"""What an answer must say and whose account it opens, without a provider."""

import re

import pytest

from moorage_core.errors import ApiError
from moorage_core.oidc import rules
from moorage_core.oidc.rules import Answer, Profile

ISSUER = "https://login.example.org"


def answer(**parts: str | None) -> Answer:
    return Answer(**({"code": "c", "state": "s", "error": None, "issuer": None} | parts))


@pytest.mark.parametrize("path", ["/", "/a", "/projects/7?tab=jobs#top", "/a//b", "/ñandú", "/%2F"])
def test_a_path_of_this_site_is_local(path: str) -> None:
    assert re.fullmatch(rules.LOCAL_PATH, path)


@pytest.mark.parametrize(
    "path", ["", "a", "//b", "/\\b", "\\b", "/a\\b", "/\n/b", "/a\x7f", "http://b", "/\x00"]
)
def test_what_could_lead_elsewhere_is_not_local(path: str) -> None:
    assert not re.fullmatch(rules.LOCAL_PATH, path)


@pytest.mark.parametrize("state", [None, "", "t", "s ", "š"])
def test_another_state_is_refused(state: str | None) -> None:
    with pytest.raises(rules.LoginNotPending):
        rules.check_state("s", answer(state=state))


def test_an_answer_with_a_code_is_taken() -> None:
    code = rules.check_answer(answer(), issuer=ISSUER, names_itself=False, name="Corp")

    assert code == "c"


@pytest.mark.parametrize("named", [None, "https://evil.example.org", ISSUER + "/"])
def test_a_provider_that_names_itself_must_name_itself_rightly(named: str | None) -> None:
    with pytest.raises(rules.IdTokenRefused):
        rules.check_answer(answer(issuer=named), issuer=ISSUER, names_itself=True, name="Corp")


def test_a_wrong_name_is_refused_even_where_none_is_needed() -> None:
    with pytest.raises(rules.IdTokenRefused):
        rules.check_answer(answer(issuer="x"), issuer=ISSUER, names_itself=False, name="Corp")


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        ("access_denied", "provider_refused", "access_denied"),
        ("invalid_grant", "provider_refused", "Start the sign-in again"),
        ("invalid_client", "provider_misconfigured", "client secret"),
        ("eyJhbGciOi.J9.token", "provider_misconfigured", "no reason"),
        ({"not": "text"}, "provider_misconfigured", "no reason"),
        (None, "provider_misconfigured", "no reason"),
    ],
)
def test_an_error_code_is_told_with_advice_and_free_text_is_not(
    error: object, code: str, said: str
) -> None:
    refusal: ApiError = rules.refused("Corp", error)

    assert refusal.code == code
    assert said in refusal.detail
    assert "eyJ" not in refusal.detail


def test_a_code_next_to_an_error_counts_for_nothing() -> None:
    with pytest.raises(rules.ProviderRefused):
        rules.check_answer(
            answer(error="access_denied"), issuer=ISSUER, names_itself=False, name="Corp"
        )


@pytest.mark.parametrize(
    ("said", "verified"),
    [(True, True), ("true", True), (False, False), ("false", False), (1, False), (None, False)],
)
def test_only_a_clear_yes_verifies_an_address(said: object, verified: bool) -> None:
    profile = rules.read_profile({"email": "ada@example.org", "email_verified": said})

    assert profile.verified is verified


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        (Profile(), "names no e-mail"),
        (Profile(email="ada@example.org"), "has not verified"),
        (Profile(email="ada@exämple.org", verified=True), "cannot use"),
        (Profile(email="ada@example.org\n", verified=True), "cannot use"),
        (Profile(email="a" * 300 + "@example.org", verified=True), "cannot use"),
    ],
)
def test_an_address_nobody_vouches_for_opens_no_account(profile: Profile, said: str) -> None:
    with pytest.raises(rules.NoVerifiedEmail, match=said):
        rules.check_email(profile, provider="Corp")


@pytest.mark.parametrize(
    ("claim", "name"),
    [
        ("Ada Lovelace", "Ada Lovelace"),
        ("  李\t小龙 ", "李 小龙"),
        ("Zoë\x00\x1b[31m", "Zoë [31m"),
        ("half \ud800 letter", "half letter"),
        ("x" * 300, "x" * 100),
        (" \n ", None),
        ("", None),
        (42, None),
        (None, None),
    ],
)
def test_a_name_is_kept_in_any_language_without_what_harms(claim: object, name: str | None) -> None:
    assert rules.read_profile({"name": claim}).name == name


def test_claims_of_odd_types_read_as_absent() -> None:
    profile = rules.read_profile({"email": ["ada@example.org"], "email_verified": {}, "name": {}})

    assert profile == Profile()
