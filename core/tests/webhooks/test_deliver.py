"""One POST to a stranger: which address is connected to, whom it trusts, and how it ends."""

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.tests.webhooks import receiver as receivers
from core.tests.webhooks.receiver import Receiver
from moorage_core.embedded import authority
from moorage_core.kit import outbound
from moorage_core.kit.destinations import Address
from moorage_core.webhooks import deliver
from moorage_core.webhooks.deliver import Road
from moorage_core.webhooks.models import Parcel
from moorage_core.webhooks.rules import Answer, Failure

LOOPBACK = ipaddress.ip_address("127.0.0.1")
SOON = timedelta(seconds=10)


def road(
    *addresses: Address,
    tls: ssl.SSLContext | None = None,
    private: bool = True,
    timeout: timedelta = SOON,
) -> Road:
    """A way to receivers on which every name has these addresses."""

    async def resolve(host: str) -> list[Address]:
        return list(addresses)

    return Road(resolve, tls or outbound.tls(), private=private, timeout=timeout)


def parcel(url: str) -> Parcel:
    return Parcel(url, {"content-type": "application/json"}, b"{}")


def server_tls(place: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(place / "server.pem", place / "server.key")
    return context


@pytest.fixture
def certified(tmp_path: Path) -> Callable[[str], tuple[ssl.SSLContext, ssl.SSLContext]]:
    """`certified("name")`: a server's TLS with a certificate for that name, and who trusts it."""

    def make(name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
        authority.make(tmp_path, now=datetime.now(UTC))
        authority.issue(tmp_path, names=[name], now=datetime.now(UTC))
        trusting = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
        return server_tls(tmp_path), trusting

    return make


async def test_the_name_goes_into_host_header_sni_and_certificate_check(
    certified: Callable[[str], tuple[ssl.SSLContext, ssl.SSLContext]],
) -> None:
    server, trusting = certified("receiver.example")
    asked: list[str | None] = []
    server.sni_callback = lambda _socket, name, _context: asked.append(name)
    async with receivers.listening(tls=server, name="receiver.example") as receiver:
        answer = await deliver.post(parcel(receiver.url), road(LOOPBACK, tls=trusting))

        assert answer == Answer(None, 200)
        assert asked == ["receiver.example"]
        assert receiver.received[0].headers["host"] == f"receiver.example:{receiver.port}"


async def test_a_certificate_of_another_name_is_refused(
    certified: Callable[[str], tuple[ssl.SSLContext, ssl.SSLContext]],
) -> None:
    server, trusting = certified("other.example")
    async with receivers.listening(tls=server, name="receiver.example") as receiver:
        answer = await deliver.post(parcel(receiver.url), road(LOOPBACK, tls=trusting))

        assert answer == Answer(Failure.TLS_REFUSED)
        assert receiver.received == []


async def test_a_certificate_of_the_address_does_not_stand_in_for_the_name(
    certified: Callable[[str], tuple[ssl.SSLContext, ssl.SSLContext]],
) -> None:
    server, trusting = certified("127.0.0.1")
    async with receivers.listening(tls=server, name="receiver.example") as receiver:
        answer = await deliver.post(parcel(receiver.url), road(LOOPBACK, tls=trusting))

        assert answer == Answer(Failure.TLS_REFUSED)


async def test_a_certificate_of_an_unknown_authority_is_refused(
    certified: Callable[[str], tuple[ssl.SSLContext, ssl.SSLContext]],
) -> None:
    server, _ = certified("receiver.example")
    async with receivers.listening(tls=server, name="receiver.example") as receiver:
        answer = await deliver.post(parcel(receiver.url), road(LOOPBACK))

        assert answer == Answer(Failure.TLS_REFUSED)


async def test_only_public_addresses_of_a_name_are_tried(receiver: Receiver) -> None:
    answer = await deliver.post(
        parcel(f"http://mixed.example:{receiver.port}/"),
        road(LOOPBACK, ipaddress.ip_address("::ffff:127.0.0.1"), private=False),
    )

    assert answer == Answer(Failure.ADDRESS_REFUSED)
    assert receiver.connections == 0


async def test_a_name_without_an_address_is_said_to_have_none() -> None:
    assert await deliver.post(parcel("https://nowhere.example/"), road()) == Answer(
        Failure.NAME_UNRESOLVED
    )


async def test_the_next_address_is_tried_where_one_takes_no_connection(receiver: Receiver) -> None:
    closed = ipaddress.ip_address("::1")  # The receiver listens on IPv4 alone.

    answer = await deliver.post(
        parcel(f"http://double.example:{receiver.port}/"), road(closed, LOOPBACK)
    )

    assert answer == Answer(None, 200)


async def test_where_nobody_listens_the_receiver_is_unreachable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]

        answer = await deliver.post(parcel(f"http://127.0.0.1:{port}/"), road())

    assert answer == Answer(Failure.UNREACHABLE)


async def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    async with receivers.listening() as inside:
        receiver.answers = [
            f"HTTP/1.1 307 X\r\nlocation: {inside.url}\r\ncontent-length: 0\r\n\r\n".encode()
        ]

        answer = await deliver.post(parcel(receiver.url), road())

        assert answer == Answer(Failure.REDIRECTED, 307)
        assert inside.connections == 0


async def test_an_answer_without_end_is_not_waited_for(receiver: Receiver) -> None:
    receiver.answers = [b"HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\nmuch"]

    answer = await deliver.post(parcel(receiver.url), road())

    assert answer == Answer(None, 200)


@pytest.mark.parametrize(
    "raw", [b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 200 OK\r\nx" * 9000]
)
async def test_what_is_not_http_is_a_bad_answer(receiver: Receiver, raw: bytes) -> None:
    receiver.answers = [raw]

    assert await deliver.post(parcel(receiver.url), road()) == Answer(Failure.BAD_ANSWER)


async def test_a_receiver_that_does_not_answer_times_out(receiver: Receiver) -> None:
    receiver.open.clear()

    answer = await deliver.post(parcel(receiver.url), road(timeout=timedelta(milliseconds=200)))

    assert answer == Answer(Failure.TIMED_OUT)


async def test_a_name_server_that_does_not_answer_times_out_as_well() -> None:
    async def never(host: str) -> list[Address]:
        await asyncio.Event().wait()
        return []

    silent = Road(never, outbound.tls(), private=False, timeout=timedelta(milliseconds=50))

    answer = await deliver.post(parcel("https://tar.example/"), silent)

    assert answer == Answer(Failure.TIMED_OUT)


async def test_a_proxy_of_the_environment_is_not_used(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with receivers.listening() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")

        answer = await deliver.post(parcel(receiver.url), road())

        assert answer == Answer(None, 200)
        assert proxy.connections == 0
