"""An ID token that is wrong in any one way proves nothing."""

import base64
import hashlib
import hmac
import json
import warnings
from datetime import UTC, datetime
from typing import Any

import pytest
from joserfc import jws, jwt
from joserfc.jwk import ECKey, Key, OKPKey, RSAKey

from moorage_core.oidc import id_tokens, rules
from moorage_core.oidc.id_tokens import Expected

NOW = datetime(2026, 1, 1, tzinfo=UTC)
T = int(NOW.timestamp())
EXPECTED = Expected(
    issuer="https://login.example.org",
    client_id="moorage",
    nonce="a-nonce",
    access_token="access",
    now=NOW,
)
RSA = RSAKey.generate_key(2048, parameters={"kid": "rsa"})
EC = ECKey.generate_key("P-256", parameters={"kid": "ec"})
ED = OKPKey.generate_key("Ed25519", parameters={"kid": "ed"})


def claims(**changes: Any) -> dict[str, Any]:
    honest: dict[str, Any] = {
        "iss": EXPECTED.issuer,
        "aud": EXPECTED.client_id,
        "sub": "ada",
        "iat": T,
        "exp": T + 300,
        "nonce": EXPECTED.nonce,
    }
    return {k: v for k, v in (honest | changes).items() if v is not None}


def signed(key: Key = EC, alg: str = "ES256", **changes: Any) -> str:
    header = {"alg": alg, "kid": key.kid}
    return jwt.encode(header, claims(**changes), key, algorithms=[alg])


def public(*keys: Key) -> list[Key]:
    return id_tokens.import_keys({"keys": [key.as_dict(private=False) for key in keys]})


def segment(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@pytest.mark.parametrize(
    ("key", "alg"),
    [(RSA, "RS256"), (RSA, "PS512"), (EC, "ES256"), (ED, "Ed25519")],
    ids=lambda part: part if isinstance(part, str) else part.kid,
)
def test_a_true_token_is_read(key: Key, alg: str) -> None:
    read = id_tokens.read(signed(key, alg), public(RSA, EC, ED), EXPECTED)

    assert read["sub"] == "ada"


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": ["moorage"]},
        {"aud": ["moorage", "other"], "azp": "moorage"},
        {"azp": "moorage"},
        {"iat": T + 30},
        {"exp": T - 30},
        {"exp": T + 0.5},
        {"groups": ["g"] * 2000},
    ],
    ids=str,
)
def test_what_the_standard_allows_is_read(changes: dict[str, Any]) -> None:
    assert id_tokens.read(signed(**changes), public(EC), EXPECTED)["sub"] == "ada"


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://evil.example.org"},
        {"iss": None},
        {"iss": [EXPECTED.issuer]},
        {"aud": "other"},
        {"aud": ["other"]},
        {"aud": []},
        {"aud": None},
        {"aud": ["moorage", "other"]},
        {"aud": ["moorage", "other"], "azp": "other"},
        {"azp": "other"},
        {"nonce": "another"},
        {"nonce": None},
        {"nonce": ["a-nonce"]},
        {"exp": T - 61},
        {"exp": None},
        {"exp": "never"},
        {"exp": float("nan")},
        {"exp": True},
        {"iat": T + 61},
        {"iat": None},
        {"iat": "now"},
        {"nbf": T + 61},
        {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
        {"at_hash": 7},
        {"at_hash": {"a": 1}},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": "a" * 256},
        {"sub": "ädä"},
        {"sub": "a\x00b"},
    ],
    ids=str,
)
def test_a_wrong_claim_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(rules.IdTokenRefused) as refusal:
        id_tokens.read(signed(**changes), public(EC), EXPECTED)

    assert signed(**changes)[:40] not in refusal.value.detail


@pytest.mark.filterwarnings("ignore:EdDSA is deprecated")  # joserfc says so when it signs
@pytest.mark.parametrize("alg", ["Ed25519", "EdDSA"])
def test_both_names_of_ed25519_are_read_and_hash_alike(alg: str) -> None:
    half = hashlib.sha512(b"access").digest()[:32]
    at_hash = base64.urlsafe_b64encode(half).rstrip(b"=").decode()
    token = signed(ED, alg, at_hash=at_hash)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = id_tokens.read(token, public(ED), EXPECTED)

    assert read["sub"] == "ada"


def test_a_token_without_signature_is_refused() -> None:
    token = f"{segment({'alg': 'none'})}.{segment(claims())}."

    with pytest.raises(rules.IdTokenRefused):
        id_tokens.read(token, public(EC), EXPECTED)


def test_a_public_key_is_no_shared_secret() -> None:
    signing_input = f"{segment({'alg': 'HS256', 'kid': 'rsa'})}.{segment(claims())}"
    mac = hmac.digest(RSA.as_pem(private=False), signing_input.encode(), "sha256")
    token = f"{signing_input}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"

    with pytest.raises(rules.IdTokenRefused):
        id_tokens.read(token, public(RSA), EXPECTED)


def test_a_token_signed_by_somebody_else_is_refused() -> None:
    impostor = ECKey.generate_key("P-256", parameters={"kid": "ec"})

    with pytest.raises(rules.IdTokenRefused, match="published keys"):
        id_tokens.read(signed(impostor), public(EC), EXPECTED)


def test_changed_claims_under_an_old_signature_are_refused() -> None:
    header, _, signature = signed().split(".")
    token = f"{header}.{segment(claims(sub='eve'))}.{signature}"

    with pytest.raises(rules.IdTokenRefused, match="published keys"):
        id_tokens.read(token, public(EC), EXPECTED)


@pytest.mark.parametrize(
    "token", ["", "a", "a.b.c", "....", "ä.b.c", f"{segment([1])}.{segment({})}.x", "x" * 200_000]
)
def test_junk_is_refused(token: str) -> None:
    with pytest.raises(rules.IdTokenRefused):
        id_tokens.read(token, public(EC), EXPECTED)


def test_a_payload_without_end_is_refused() -> None:
    header = {"alg": "ES256", "kid": EC.kid}
    token = jws.serialize_compact(header, "[" * 90_000, EC, algorithms=["ES256"])

    with pytest.raises(rules.IdTokenRefused):
        id_tokens.read(token, public(EC), EXPECTED)


def test_a_token_that_names_no_key_is_tried_with_each() -> None:
    token = jwt.encode({"alg": "ES256"}, claims(), EC, algorithms=["ES256"])

    assert id_tokens.read(token, public(RSA, ED, EC), EXPECTED)["sub"] == "ada"


def test_unknown_headers_are_no_obstacle() -> None:
    header = {"alg": "ES256", "kid": "ec", "pi.atm": "1", "x5c": ["A" * 4000]}
    token = jwt.encode(header, claims(), EC, registry=id_tokens._registry())

    assert id_tokens.read(token, public(EC), EXPECTED)["sub"] == "ada"


@pytest.mark.parametrize(
    "entry",
    [
        {"kty": "oct", "k": "c2VjcmV0"},
        {"kty": "new-kind"},
        {"kty": "RSA"},
        {"kty": "RSA", "n": "AQAB" * 100, "e": 7},
        {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"},
        {"kty": "EC", "crv": "none"},
        {**RSA.as_dict(private=False), "n": "AQAB"},
        {**EC.as_dict(private=False), "use": "enc"},
        {},
        "text",
        None,
    ],
)
def test_a_key_that_cannot_sign_for_us_is_passed_over(entry: object) -> None:
    keys = id_tokens.import_keys({"keys": [entry, EC.as_dict(private=False)]})

    assert [key.kid for key in keys] == ["ec"]


@pytest.mark.parametrize("document", [{}, {"keys": None}, {"keys": {}}, {"keys": "text"}])
def test_a_document_without_keys_has_none(document: dict[str, Any]) -> None:
    assert id_tokens.import_keys(document) == []


def test_a_key_for_another_algorithm_is_not_tried() -> None:
    bound = id_tokens.import_keys({"keys": [{**RSA.as_dict(private=False), "alg": "PS256"}]})

    with pytest.raises(rules.IdTokenRefused):
        id_tokens.read(signed(RSA, "RS256"), bound, EXPECTED)
