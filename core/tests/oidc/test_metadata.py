"""Which issuers and which published addresses are good enough to sign in by."""

from typing import Any

import pytest

from moorage_core.errors import Malformed
from moorage_core.oidc import metadata, rules

ISSUER = "https://login.example.org/realms/corp"
LOCAL = "http://127.0.0.1:4444"


def document(issuer: str = ISSUER, **changes: Any) -> dict[str, Any]:
    base = {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}/auth",
        "token_endpoint": f"{issuer}/token",
        "jwks_uri": f"{issuer}/jwks",
    }
    return base | changes


@pytest.mark.parametrize(
    "issuer",
    [
        ISSUER,
        ISSUER + "/",
        "https://login.example.org:8443",
        LOCAL,
        "http://localhost:1",
        "http://[::1]:1",
    ],
)
def test_https_and_loopback_are_trusted(issuer: str) -> None:
    assert metadata.check_issuer(issuer) == issuer


@pytest.mark.parametrize(
    "issuer",
    [
        "http://login.example.org",
        "http://127.0.0.1.example.org",
        "http://10.0.0.1",
        "https://u:p@login.example.org",
        "https://login.example.org?a=b",
        "https://login.example.org#a",
        "https://[::1",
        "https://login.example.org:0",
        "https://:443",
    ],
)
def test_anything_else_is_not(issuer: str) -> None:
    with pytest.raises(Malformed):
        metadata.check_issuer(issuer)


@pytest.mark.parametrize("issuer", ["https://a.example", "https://a.example/"])
def test_discovery_is_found_with_and_without_a_slash(issuer: str) -> None:
    assert metadata.discovery_url(issuer) == "https://a.example/.well-known/openid-configuration"


def test_a_plain_document_is_enough() -> None:
    read = metadata.read(document(), issuer=ISSUER)

    assert read.token_endpoint == f"{ISSUER}/token"
    assert read.userinfo_endpoint is None
    assert read.secret_in_form is False
    assert read.names_itself is False


def test_endpoints_may_live_on_another_host() -> None:
    read = metadata.read(document(token_endpoint="https://oauth.example.net/t"), issuer=ISSUER)

    assert read.token_endpoint == "https://oauth.example.net/t"


@pytest.mark.parametrize("said", [ISSUER + "/", "https://evil.example", None, 7])
def test_a_document_of_another_issuer_is_refused(said: object) -> None:
    with pytest.raises(rules.ProviderMisconfigured, match="calls itself"):
        metadata.read(document(issuer=ISSUER) | {"issuer": said}, issuer=ISSUER)


@pytest.mark.parametrize("name", ["authorization_endpoint", "token_endpoint", "jwks_uri"])
@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        7,
        "http://login.example.org/x",
        "http://127.0.0.1/x",
        "https://u:p@login.example.org/x",
        "https://login.example.org/a\r\nb: c",
        "javascript:alert(1)",
        "file:///etc/passwd",
    ],
)
def test_an_endpoint_that_is_not_https_is_refused(name: str, url: object) -> None:
    with pytest.raises(rules.ProviderMisconfigured, match=name):
        metadata.read(document() | {name: url}, issuer=ISSUER)


def test_a_provider_on_loopback_may_name_plain_addresses_of_loopback_only() -> None:
    read = metadata.read(document(LOCAL), issuer=LOCAL)

    assert read.jwks_uri == f"{LOCAL}/jwks"
    with pytest.raises(rules.ProviderMisconfigured):
        metadata.read(document(LOCAL, jwks_uri="http://10.0.0.1/jwks"), issuer=LOCAL)


@pytest.mark.parametrize(
    ("offered", "in_form"),
    [
        (["client_secret_post", "client_secret_basic"], False),
        (["client_secret_post"], True),
    ],
)
def test_the_secret_goes_where_the_provider_takes_it(offered: list[str], in_form: bool) -> None:
    methods = {"token_endpoint_auth_methods_supported": offered}

    assert metadata.read(document() | methods, issuer=ISSUER).secret_in_form is in_form


@pytest.mark.parametrize("offered", [["private_key_jwt"], [], None, 7, "client_secret_basic"])
def test_a_provider_that_takes_no_secret_is_refused(offered: object) -> None:
    with pytest.raises(rules.ProviderMisconfigured, match="takes no client secret"):
        metadata.read(document(token_endpoint_auth_methods_supported=offered), issuer=ISSUER)
