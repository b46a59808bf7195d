"""Whoever follows events sees each once, in order, whatever the network does."""

import asyncio
import datetime
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import moorage
from moorage import Client
from moorage.models import CloudEvent, OrgRead
from moorage_core.embedded import tls
from sdk.tests import wire
from sdk.tests.running import Platform
from sdk.tests.wire import Answer, Cut, LoseAnswer, Wire

WITHIN = 30


async def take(events: AsyncIterator[CloudEvent], count: int) -> list[CloudEvent]:
    found: list[CloudEvent] = []
    async with asyncio.timeout(WITHIN):
        async for event in events:
            found.append(event)
            if len(found) == count:
                break
    return found


async def rename(admin: Client, org: OrgRead, times: int) -> None:
    for number in range(times):
        org = await admin.orgs.update(org, name=f"Name {number}")


async def test_following_begins_with_what_happens_next(admin: Client, org: OrgRead) -> None:
    await rename(admin, org, 1)
    org = await admin.orgs.get(org)
    # An event has its number a moment after it happened: until then it comes next.
    await take(admin.events.follow(after="0", org=org.id, types=["iam.org.*"]), 2)
    waiting = asyncio.create_task(take(admin.events.follow(org=org.id), 1))
    await asyncio.sleep(0)

    async def change_until_seen() -> list[CloudEvent]:
        nonlocal org
        while not waiting.done():
            org = await admin.orgs.update(org, name="Again")
        return waiting.result()

    [event] = await change_until_seen()

    assert event.type == "iam.org.updated"
    assert event.subject == org.id
    assert event.subjectversion > 2


async def test_following_goes_on_over_a_bad_network(
    over_bad: Client, bad: Wire, admin: Client, org: OrgRead
) -> None:
    bad.faults = [Cut(), LoseAnswer(), Answer(503), LoseAnswer(), Answer(502, b"<html>"), Cut()]
    following = take(over_bad.events.follow(after="0", org=org.id, types=["iam.org.*"]), 7)

    _, found = await asyncio.gather(rename(admin, org, 6), following)

    assert [event.subjectversion for event in found] == [1, 2, 3, 4, 5, 6, 7]
    assert len({event.id for event in found}) == 7


async def test_following_outlasts_the_patience_of_a_call(
    bad: Wire, token: str, admin: Client, org: OrgRead
) -> None:
    bad.faults = [Cut()] * 8

    async with Client(bad.url, auth=moorage.AccessToken(token), patience=0.2) as client:
        [event] = await take(client.events.follow(after="0", org=org.id), 1)

    assert event.orgid == org.id


async def test_a_follower_goes_on_where_it_stopped(admin: Client, org: OrgRead) -> None:
    await rename(admin, org, 3)
    first = await take(admin.events.follow(after="0", org=org.id, types=["iam.org.*"]), 2)

    rest = await take(
        admin.events.follow(after=first[-1].sequence, org=org.id, types=["iam.org.*"]), 2
    )

    assert [event.subjectversion for event in first + rest] == [1, 2, 3, 4]


async def test_a_stream_gives_events_as_they_happen(admin: Client, org: OrgRead) -> None:
    following = take(admin.events.stream(after="0", org=org.id, types=["iam.org.*"]), 4)

    _, found = await asyncio.gather(rename(admin, org, 3), following)

    assert [event.subjectversion for event in found] == [1, 2, 3, 4]


async def test_events_are_read_by_cursor(admin: Client, org: OrgRead) -> None:
    await rename(admin, org, 2)
    [*_] = await take(admin.events.follow(after="0", org=org.id, types=["iam.org.*"]), 3)

    first = await admin.events.list(after="0", limit=1, org=org.id, types=["iam.org.*"])
    rest = await admin.events.list(after=first.next, org=org.id, types=["iam.org.*"])

    versions = [event.subjectversion for event in [*first.items, *rest.items]]
    assert versions == [1, 2, 3]


async def test_an_answer_may_be_waited_for(admin: Client, org: OrgRead) -> None:
    start = await admin.events.list(after="latest")

    waiting = asyncio.create_task(
        admin.events.list(after=start.next, wait=WITHIN, org=org.id, types=["iam.org.updated"])
    )
    await rename(admin, org, 1)

    assert [event.type for event in (await waiting).items] == ["iam.org.updated"]


async def test_a_follower_who_may_not_read_is_told_so(bad: Wire) -> None:
    async with Client(bad.url, auth=moorage.AccessToken("moor_pat_invented")) as client:
        with pytest.raises(moorage.Unauthenticated):
            await take(client.events.follow(), 1)


async def test_a_certificate_that_is_not_trusted_ends_the_following(
    platform: Platform, token: str, tmp_path: Path
) -> None:
    now = datetime.datetime.now(datetime.UTC)
    strangers = tls.own(tmp_path, names=("127.0.0.1",), now=now)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(strangers.chain, strangers.key)

    async with (
        wire.laid(platform.port, tls=context) as laid,
        Client(laid.url, auth=moorage.AccessToken(token)) as client,
    ):
        with pytest.raises(moorage.CertificateRefused):
            await take(client.events.follow(), 1)


async def test_a_stream_that_the_platform_ends_says_why(
    platform: Platform, admin: Client, org: OrgRead
) -> None:
    issued = await admin.access_tokens.create(name="listener", expires_in=600)

    async def listen(client: Client) -> None:
        async for event in client.events.stream(after="0", org=org.id):
            assert event.orgid == org.id

    async with Client(platform.url, auth=moorage.AccessToken(issued.token)) as client:
        listening = asyncio.create_task(listen(client))
        await take(client.events.stream(after="0", org=org.id), 1)
        await admin.access_tokens.revoke(issued)
        while not listening.done():
            await rename(admin, await admin.orgs.get(org), 1)

    with pytest.raises(moorage.Unauthenticated):
        listening.result()


async def test_a_pause_that_was_asked_for_is_kept_while_following(
    bad: Wire, token: str, org: OrgRead
) -> None:
    bad.faults = [Answer(429, b"{}", (("retry-after", "1"),))] * 2

    async with Client(bad.url, auth=moorage.AccessToken(token), patience=0) as client:
        [event] = await take(client.events.follow(after="0", org=org.id), 1)

    assert event.orgid == org.id
    assert len(bad.seen) == 3
