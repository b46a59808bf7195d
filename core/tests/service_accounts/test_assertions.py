"""What makes an assertion good, claim by claim."""

from datetime import UTC, datetime
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import OKPKey

from moorage_core.service_accounts import rules

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
HERE = "https://moorage.example.org"
KEY = OKPKey.generate_key("Ed25519")
GOOD = {"iss": "sac_1", "sub": "sac_1", "aud": HERE, "exp": int(NOW.timestamp()) + 60, "jti": "one"}


def read(**changes: Any) -> dict[str, Any] | None:
    claims = {name: value for name, value in {**GOOD, **changes}.items() if value is not None}
    assertion = jwt.encode({"alg": "Ed25519"}, claims, KEY, algorithms=["Ed25519"])
    return rules.read_assertion(
        assertion,
        dict(KEY.as_dict(private=False)),
        account="sac_1",
        audiences=frozenset({HERE, "https://10.0.0.5:7700"}),
        now=NOW,
    )


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"aud": "https://10.0.0.5:7700"},
        {"aud": ["https://elsewhere.example.org", HERE]},
        {"nbf": int(NOW.timestamp()), "iat": int(NOW.timestamp())},
        {"exp": NOW.timestamp() + 1.5},
    ],
)
def test_a_good_assertion_is_taken(changes: dict[str, Any]) -> None:
    assert read(**changes) is not None


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": "https://elsewhere.example.org"},
        {"aud": []},
        {"aud": [["nested"], {"a": 1}]},
        {"aud": None},
        {"iss": "sac_2"},
        {"sub": "sac_2"},
        {"exp": None},
        {"exp": "soon"},
        {"exp": 10**400},
        {"exp": int(NOW.timestamp()) - 3600},
        {"exp": int(NOW.timestamp()) + 3600},
        {"nbf": int(NOW.timestamp()) + 3600},
        {"nbf": "later"},
        {"iat": int(NOW.timestamp()) + 3600},
        {"jti": None},
        {"jti": ""},
        {"jti": "nul\x00"},
        {"jti": "x" * 101},
    ],
)
def test_anything_wrong_with_it_and_it_is_not(changes: dict[str, Any]) -> None:
    assert read(**changes) is None
