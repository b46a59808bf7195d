"""Bytes from a source that may be slow, cut off, lie, or point elsewhere: over real connections."""

import asyncio
import base64
import gc
import hashlib
import ssl
import tracemalloc
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.tests.sources import depot as depots
from core.tests.sources import orders
from core.tests.sources.depot import Asked, Depot
from core.tests.sources.orders import BASIC, BLOB, CONTENT, FILE, order, road, take
from moorage_core.embedded import authority
from moorage_core.errors import ApiError
from moorage_core.sources import fetch, rules
from moorage_core.sources.fetch import Order

HALF = len(CONTENT) // 2
FIRST, SECOND = CONTENT[:HALF], CONTENT[HALF:]


@pytest.fixture
async def depot() -> AsyncIterator[Depot]:
    async with depots.listening() as running:
        yield running


@pytest.fixture
async def elsewhere() -> AsyncIterator[Depot]:
    """Another origin: the same host at another port."""
    async with depots.listening() as running:
        yield running


async def fetched(wanted: Order, *, offset: int = 0, **ways: Any) -> bytes:
    return await take(await fetch.open_content(wanted, road(**ways), offset=offset))


async def refused(wanted: Order, **ways: Any) -> tuple[ApiError, bytes]:
    """What it fails with, and what was given out before."""
    with pytest.raises(ApiError) as failure:
        await fetched(wanted, **ways)
    cause = failure.value.__cause__
    return failure.value, cause.content if isinstance(cause, orders.Given) else b""


@pytest.mark.parametrize(
    "answer",
    [
        depots.content(CONTENT),
        depots.content(FIRST, SECOND),
        depots.unmeasured(FIRST, SECOND),
        depots.raw(
            b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n",
            b"%x\r\n%b\r\n" % (HALF, FIRST),
            b"%x\r\n%b\r\n0\r\n\r\n" % (HALF, SECOND),
        ),
    ],
    ids=["at once", "in pieces", "until the end", "chunked"],
)
async def test_bytes_that_have_the_digest_are_given_out(
    depot: Depot, answer: depots.Answer
) -> None:
    depot.answers[f"/{FILE}"] = answer

    assert await fetched(order(depot)) == CONTENT
    assert [asked.method for asked in depot.asked] == ["GET"]
    assert "authorization" not in depot.asked[0].headers


async def test_nothing_is_an_artifact_too(depot: Depot) -> None:
    depot.answers["*"] = depots.content()
    empty = f"sha256:{hashlib.sha256().hexdigest()}"

    assert await fetched(order(depot, digest=empty, size=0)) == b""


@pytest.mark.parametrize("offset", [1, HALF - 1, HALF, HALF + 1, len(CONTENT) - 1])
async def test_a_download_goes_on_where_it_stopped(depot: Depot, offset: int) -> None:
    depot.answers["*"] = depots.content(FIRST, SECOND)

    assert await fetched(order(depot), offset=offset) == CONTENT[offset:]
    assert "range" not in depot.asked[0].headers, "a digest says nothing about a part"


@pytest.mark.parametrize("offset", [0, HALF + 5])
async def test_a_wrong_byte_anywhere_keeps_the_last_piece_back(depot: Depot, offset: int) -> None:
    wrong = b"X" + FIRST[1:]
    depot.answers["*"] = depots.content(wrong, SECOND)

    with pytest.raises(rules.SourceMismatch, match="digest") as failure:
        await fetched(order(depot), offset=offset)

    assert isinstance(failure.value.__cause__, orders.Given)
    assert len(failure.value.__cause__.content) < len(CONTENT) - offset


@pytest.mark.parametrize("surplus", [b"!", b"!" * 100_000])
async def test_more_than_was_announced_is_never_given_out_whole(
    depot: Depot, surplus: bytes
) -> None:
    depot.answers["*"] = depots.unmeasured(FIRST, SECOND, surplus)

    failure, given = await refused(order(depot))

    assert isinstance(failure, rules.SourceMismatch)
    assert len(given) < len(CONTENT)
    assert "longer" in failure.detail


@pytest.mark.parametrize("length", [0, HALF, len(CONTENT) + 1, 10**15])
async def test_another_length_is_refused_before_the_first_byte(depot: Depot, length: int) -> None:
    depot.answers["*"] = depots.content(CONTENT, length=length)

    failure, given = await refused(order(depot))

    assert isinstance(failure, rules.SourceMismatch)
    assert given == b""


@pytest.mark.parametrize(
    "answer",
    [depots.content(FIRST, length=len(CONTENT)), depots.unmeasured(FIRST)],
    ids=["announced", "until the end"],
)
async def test_a_download_cut_in_the_middle_is_never_given_out_whole(
    depot: Depot, answer: depots.Answer
) -> None:
    depot.answers["*"] = answer

    failure, given = await refused(order(depot))

    assert isinstance(failure, rules.SourceUnreachable)
    assert len(given) < len(CONTENT)
    assert failure.headers["Retry-After"]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 X\r\ncontent-length: -1\r\n\r\n",
        b"HTTP/1.1 200 X\r\nx: " + b"a" * 1_000_000,
        b"HTTP/1.1 200 X\r\n" + b"x: y\r\n" * 100_000,
    ],
)
async def test_what_is_not_http_is_not_an_artifact(depot: Depot, raw: bytes) -> None:
    depot.answers["*"] = depots.raw(raw)

    failure, given = await refused(order(depot))

    assert isinstance(failure, rules.SourceUnreachable | rules.SourceMismatch)
    assert given == b""


async def test_a_compressed_answer_is_other_bytes(depot: Depot) -> None:
    depot.answers["*"] = depots.raw(
        b"HTTP/1.1 200 X\r\ncontent-encoding: gzip\r\ncontent-length: 10000\r\n\r\n", CONTENT
    )

    assert await fetched(order(depot)) == CONTENT
    assert depot.asked[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    ("code", "refusal"),
    [
        (206, rules.SourceRefused),
        (304, rules.SourceRefused),
        (401, rules.SourceRefused),
        (403, rules.SourceRefused),
        (404, rules.SourceRefused),
        (429, rules.SourceUnreachable),
        (500, rules.SourceUnreachable),
    ],
)
async def test_any_other_status_says_what_is_so(
    depot: Depot, code: int, refusal: type[ApiError]
) -> None:
    depot.answers["*"] = depots.status(code)

    failure, _ = await refused(order(depot))

    assert isinstance(failure, refusal)
    assert "acme/depot" in failure.detail


async def test_a_source_that_does_not_answer_is_given_up(depot: Depot) -> None:
    depot.answers["*"] = depots.silence

    failure, _ = await refused(order(depot, wait=0.1))

    assert isinstance(failure, rules.SourceUnreachable)
    assert "too long" in failure.detail


async def test_a_source_that_stops_in_the_middle_is_given_up(depot: Depot) -> None:
    async def stall(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await depots.content(FIRST, length=len(CONTENT))(asked, writer)
        await asked.hang_up()

    depot.answers["*"] = stall

    failure, given = await refused(order(depot, wait=0.1))

    assert isinstance(failure, rules.SourceUnreachable)
    assert len(given) < len(CONTENT)


async def test_a_source_that_drips_is_given_up(depot: Depot) -> None:
    async def drip(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await depots.content(length=len(CONTENT))(asked, writer)
        while True:
            writer.write(b"0")
            await writer.drain()
            await asyncio.sleep(0.01)

    depot.answers["*"] = drip

    failure, given = await refused(order(depot, wait=10.0, patience=0.2))

    assert isinstance(failure, rules.SourceUnreachable)
    assert len(given) < len(CONTENT)


async def test_a_source_whose_head_drips_is_given_up(depot: Depot) -> None:
    async def drip(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 X\r\nx: ")
        while True:
            writer.write(b"0")
            await writer.drain()
            await asyncio.sleep(0.01)

    depot.answers["*"] = drip

    failure, given = await refused(order(depot, wait=10.0, patience=0.2))

    assert isinstance(failure, rules.SourceUnreachable)
    assert given == b""


async def test_whoever_takes_the_bytes_may_be_slow(depot: Depot) -> None:
    depot.answers["*"] = depots.content(FIRST, SECOND)
    pieces = await fetch.open_content(order(depot, patience=0.5), road(), offset=0)
    taken = b""

    async for piece in pieces:
        taken += piece
        await asyncio.sleep(0.6)

    assert taken == CONTENT


async def test_a_name_without_an_address_is_said_to_have_none(depot: Depot) -> None:
    depot.url = "https://nowhere.example"

    failure, _ = await refused(order(depot))

    assert isinstance(failure, rules.SourceUnreachable)
    assert "no address" in failure.detail


async def test_a_name_with_a_private_address_is_not_connected_to(depot: Depot) -> None:
    depot.url = f"https://rebound.example:{depot.port}"

    failure, _ = await refused(order(depot), private=False)

    assert "public internet" in failure.detail
    assert depot.connections == 0


@pytest.mark.parametrize("trusted", [True, False])
async def test_the_certificate_must_be_of_the_name(tmp_path: Path, trusted: bool) -> None:
    name = "depot.example" if trusted else "other.example"
    authority.make(tmp_path, now=datetime.now(UTC))
    authority.issue(tmp_path, names=[name], now=datetime.now(UTC))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(tmp_path / "server.pem", tmp_path / "server.key")
    trusting = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
    async with depots.listening(tls=server, name="depot.example") as secure:
        secure.answers["*"] = depots.content(CONTENT)

        if trusted:
            assert await fetched(order(secure), tls=trusting) == CONTENT
        else:
            failure, _ = await refused(order(secure), tls=trusting)
            assert "certificate" in failure.detail


# Redirects


async def test_a_redirect_is_followed_with_the_credential_at_home(depot: Depot) -> None:
    depot.answers[f"/{FILE}"] = depots.redirect("/moved")
    depot.answers["/moved"] = depots.content(CONTENT)

    assert await fetched(order(depot, credential=BASIC)) == CONTENT
    assert [asked.headers["authorization"] for asked in depot.asked] == [BASIC.authorization] * 2


async def test_a_redirect_to_another_origin_goes_without_the_credential(
    depot: Depot, elsewhere: Depot
) -> None:
    depot.answers[f"/{FILE}"] = depots.redirect(f"{elsewhere.url}/bucket?sig=1")
    elsewhere.answers["/bucket"] = depots.content(CONTENT)

    assert await fetched(order(depot, credential=BASIC)) == CONTENT
    assert elsewhere.asked[0].target == "/bucket?sig=1"
    assert "authorization" not in elsewhere.asked[0].headers


async def test_the_credential_is_not_taken_up_again_on_the_way_back(
    depot: Depot, elsewhere: Depot
) -> None:
    depot.answers[f"/{FILE}"] = depots.redirect(f"{elsewhere.url}/x")
    elsewhere.answers["/x"] = depots.redirect(f"{depot.url}/y")
    depot.answers["/y"] = depots.content(CONTENT)

    assert await fetched(order(depot, credential=BASIC)) == CONTENT
    assert "authorization" not in depot.asked[-1].headers


async def test_endless_redirects_end(depot: Depot) -> None:
    depot.answers["*"] = depots.redirect("/again")

    failure, _ = await refused(order(depot))

    assert isinstance(failure, rules.SourceRefused)
    assert len(depot.asked) == 1 + rules.REDIRECTS


@pytest.mark.parametrize(
    "url",
    [
        "http://10.0.0.8/",
        "http://169.254.169.254/latest/meta-data",
        "ftp://127.0.0.1/",
        "http://ada:pw@127.0.0.1/",
        "http://metadata.internal/",
        "",
    ],
)
async def test_a_redirect_to_what_no_source_may_be_is_refused(depot: Depot, url: str) -> None:
    depot.answers[f"/{FILE}"] = depots.redirect(url)
    depot.answers["/"] = depots.content(CONTENT)

    failure, _ = await refused(order(depot))

    assert isinstance(failure, rules.SourceRefused)
    assert len(depot.asked) <= 1 + rules.REDIRECTS


async def test_the_name_in_a_redirect_is_looked_up_and_judged_as_well(depot: Depot) -> None:
    depot.answers[f"/{FILE}"] = depots.redirect("https://nowhere.example/x")

    failure, _ = await refused(order(depot))

    assert isinstance(failure, rules.SourceUnreachable)
    assert len(depot.asked) == 1


# Registries


def challenge(realm: str) -> depots.Answer:
    return depots.status(401, www_authenticate=f'Bearer realm="{realm}",service="reg"')


def guarded(token: str, *, realm: str) -> depots.Answer:
    """Gives the content to whoever has the token."""

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        good = asked.headers.get("authorization") == f"Bearer {token}"
        await (depots.content(CONTENT) if good else challenge(realm))(asked, writer)

    return answer


async def test_a_registry_is_asked_for_the_blob_with_the_credential(depot: Depot) -> None:
    depot.answers[BLOB] = depots.content(CONTENT)

    assert await fetched(order(depot, kind="oci", credential=BASIC)) == CONTENT
    assert depot.asked[0].headers["authorization"] == BASIC.authorization


async def test_a_token_is_got_from_the_registry_itself(depot: Depot) -> None:
    depot.answers[BLOB] = guarded("t0ken", realm=f"{depot.url}/token")
    depot.answers["/token"] = depots.document('{"token": "t0ken"}')

    assert await fetched(order(depot, kind="oci", credential=BASIC)) == CONTENT
    asked = depot.asked[1]
    assert asked.query == "service=reg&scope=repository:team/echo:pull"
    pair = base64.b64decode(asked.headers["authorization"].removeprefix("Basic ")).decode()
    assert pair == "ada:engine-room"


async def test_a_token_for_everybody_is_got_without_a_credential(depot: Depot) -> None:
    depot.answers[BLOB] = guarded("t0ken", realm=f"{depot.url}/token")
    depot.answers["/token"] = depots.document('{"access_token": "t0ken"}')

    assert await fetched(order(depot, kind="oci")) == CONTENT
    assert "authorization" not in depot.asked[1].headers


async def test_a_token_service_elsewhere_gets_nothing_unless_the_owner_named_it(
    depot: Depot, elsewhere: Depot
) -> None:
    realm = f"{elsewhere.url}/token"
    depot.answers[BLOB] = guarded("t0ken", realm=realm)
    elsewhere.answers["/token"] = depots.document('{"token": "t0ken"}')

    failure, _ = await refused(order(depot, kind="oci", credential=BASIC))
    assert isinstance(failure, rules.SourceRefused)
    assert elsewhere.connections == 0

    named = order(depot, kind="oci", credential=BASIC, token_url=realm)
    assert await fetched(named) == CONTENT


async def test_a_token_does_not_follow_a_redirect_to_a_store(
    depot: Depot, elsewhere: Depot
) -> None:
    async def store(asked: Asked, writer: asyncio.StreamWriter) -> None:
        has_token = asked.headers.get("authorization") == "Bearer t0ken"
        onward = depots.redirect(f"{elsewhere.url}/blob")
        await (onward if has_token else challenge(f"{depot.url}/token"))(asked, writer)

    depot.answers[BLOB] = store
    depot.answers["/token"] = depots.document('{"token": "t0ken"}')
    elsewhere.answers["/blob"] = depots.content(CONTENT)

    assert await fetched(order(depot, kind="oci", credential=BASIC)) == CONTENT
    assert "authorization" not in elsewhere.asked[0].headers


async def test_a_registry_that_refuses_every_token_is_asked_once_more_and_left(
    depot: Depot,
) -> None:
    depot.answers["*"] = challenge(f"{depot.url}/token")
    depot.answers["/token"] = depots.document('{"token": "t0ken"}')

    failure, _ = await refused(order(depot, kind="oci", credential=BASIC))

    assert isinstance(failure, rules.SourceRefused)
    assert [asked.path for asked in depot.asked] == [BLOB, "/token", BLOB]


async def test_a_store_that_a_registry_points_to_cannot_ask_for_the_credential(
    depot: Depot, elsewhere: Depot
) -> None:
    depot.answers[BLOB] = depots.redirect(f"{elsewhere.url}/blob")
    elsewhere.answers["/blob"] = challenge(f"{depot.url}/token")
    depot.answers["/token"] = depots.document('{"token": "t0ken"}')

    failure, _ = await refused(order(depot, kind="oci", credential=BASIC))

    assert isinstance(failure, rules.SourceRefused)
    assert [asked.path for asked in depot.asked] == [BLOB]


@pytest.mark.parametrize(
    "answer",
    [
        depots.status(401),
        depots.status(500),
        depots.redirect("/elsewhere"),
        depots.document("no JSON"),
        depots.document("[" * 50_000),
        depots.document('{"token": "' + "a" * 100_000 + '"}'),
        depots.document('{"token": null}'),
    ],
)
async def test_a_token_service_that_gives_no_token_is_the_end(
    depot: Depot, answer: depots.Answer
) -> None:
    depot.answers[BLOB] = challenge(f"{depot.url}/token")
    depot.answers["/token"] = answer

    failure, _ = await refused(order(depot, kind="oci", credential=BASIC))

    assert isinstance(failure, rules.SourceRefused)
    assert len(depot.asked) == 2


async def test_a_web_server_cannot_ask_for_a_token(depot: Depot) -> None:
    depot.answers["*"] = challenge(f"{depot.url}/token")

    failure, _ = await refused(order(depot, credential=BASIC))

    assert isinstance(failure, rules.SourceRefused)
    assert len(depot.asked) == 1


# What is held


async def test_a_large_artifact_is_never_in_memory_as_a_whole(depot: Depot) -> None:
    piece, count = b"m" * 65_536, 1024
    depot.answers["*"] = depots.content(*[piece] * count)
    hashed = hashlib.sha256()
    for _ in range(count):
        hashed.update(piece)
    wanted = order(depot, digest=f"sha256:{hashed.hexdigest()}", size=len(piece) * count)
    tracemalloc.start()

    try:
        received = 0
        async for part in await fetch.open_content(wanted, road(), offset=0):
            received += len(part)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert received == len(piece) * count
    assert peak < 4 * 1024 * 1024, f"{peak} bytes at once"


@pytest.mark.parametrize("begun", [True, False])
async def test_a_download_that_nobody_takes_hangs_up(depot: Depot, begun: bool) -> None:
    depot.answers["*"] = depots.content(*[b"m" * 65_536] * 1024)
    wanted = order(depot, size=65_536 * 1024)
    pieces = await fetch.open_content(wanted, road(), offset=0)
    if begun:
        await anext(pieces)

    del pieces
    gc.collect()

    async with asyncio.timeout(30):
        await depot.left.wait()
