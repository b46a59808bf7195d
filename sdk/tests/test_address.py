"""Credentials go nowhere in plain text but to this machine."""

import datetime
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import moorage
from moorage import AccessToken, Client
from moorage_core.embedded import tls
from sdk.tests import wire
from sdk.tests.running import Platform
from sdk.tests.wire import Wire


@pytest.mark.parametrize(
    "url",
    [
        "http://moorage.example.org",
        "http://192.0.2.7:7700",
        "http://[2001:db8::1]:7700",
        "http://0.0.0.0:7700",
        "http://localhost.example.org",
        "http://127.0.0.1.example.org",
        "http://2130706433",
        "HTTP://moorage.example.org",
    ],
)
def test_plain_http_to_another_machine_is_refused(url: str) -> None:
    with pytest.raises(moorage.PlainHttpRefused, match="Use https"):
        Client(url)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:7700", "http://127.9.9.9", "http://[::1]:7700", "http://localhost"]
)
def test_plain_http_to_this_machine_is_taken(url: str) -> None:
    assert Client(url).url == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "moorage.example.org",
        "ftp://moorage.example.org",
        "https://",
        "https://user:secret@moorage.example.org",
        "https://moorage.example.org?a=b",
        "https://moorage.example.org#a",
        "https://[::1",
    ],
)
def test_what_is_no_address_of_a_platform_is_refused(url: str) -> None:
    with pytest.raises(moorage.AddressRefused) as refusal:
        Client(url)

    assert "secret" not in str(refusal.value)


async def test_a_proxy_of_the_environment_does_not_see_what_goes_to_this_machine(
    platform: Platform, token: str, bad: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", bad.url)
    monkeypatch.setenv("http_proxy", bad.url)
    monkeypatch.setenv("ALL_PROXY", bad.url)

    async with Client(platform.url, auth=AccessToken(token)) as client:
        await client.me.get()

    assert bad.seen == []


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tls.Certificate:
    """A certificate of an authority of our own, as `moor up` makes it."""
    now = datetime.datetime.now(datetime.UTC)
    place = tmp_path_factory.mktemp("tls")
    return tls.own(place, names=("127.0.0.1", "localhost"), now=now)


@pytest.fixture
async def secure(platform: Platform, certificate: tls.Certificate) -> AsyncIterator[Wire]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.chain, certificate.key)
    async with wire.laid(platform.port, tls=context) as laid:
        yield laid


async def test_the_given_authority_is_trusted(
    secure: Wire, certificate: tls.Certificate, token: str
) -> None:
    assert certificate.authority is not None

    async with Client(secure.url, auth=AccessToken(token), ca=certificate.authority) as client:
        me = await client.me.get()

    assert me.kind == "user"


async def test_the_authority_may_be_given_as_text(
    secure: Wire, certificate: tls.Certificate, token: str
) -> None:
    assert certificate.authority is not None
    pem = certificate.authority.read_text()

    async with Client(secure.url, auth=AccessToken(token), ca=pem) as client:
        assert (await client.platform.status()).status == "ok"


async def test_a_server_of_another_authority_gets_no_credentials(
    secure: Wire, token: str, tmp_path: Path
) -> None:
    other = tls.own(tmp_path, names=("127.0.0.1",), now=datetime.datetime.now(datetime.UTC))
    assert other.authority is not None

    async with Client(secure.url, auth=AccessToken(token), ca=other.authority) as client:
        with pytest.raises(moorage.CertificateRefused, match="give its certificate as `ca`"):
            await client.me.get()

    assert secure.seen == []


async def test_an_authority_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(moorage.AddressRefused, match=r"nowhere\.pem"):
        Client("https://moorage.example.org", ca=tmp_path / "nowhere.pem")
