"""Strangers who guess: refused before the database is asked, and never by a fault of ours."""

import base64
import json

import httpx2
import psycopg
import pytest
from fastapi import FastAPI

from core.tests.callers import ActorMaker, Caller
from core.tests.factories.tenancy import OrgRow, Person
from moorage_core.kit.ids import UserId
from moorage_core.kit.ratelimit import Buckets
from moorage_core.platform import Platform


def with_token(client: httpx2.AsyncClient, token: str) -> Caller:
    return Caller(client, Person(UserId("usr_nobody"), "nobody", token))


@pytest.mark.parametrize("header", ['["alg"]', '"alg"', "1", "null", "{}", "[" * 3000])
async def test_a_token_with_a_strange_header_is_not_taken_and_breaks_nothing(
    client: httpx2.AsyncClient, header: str
) -> None:
    encoded = base64.urlsafe_b64encode(header.encode()).decode().rstrip("=")

    answer = await with_token(client, f"{encoded}.e30.AA").get("/v1/me")

    assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")


async def test_an_address_that_guessed_too_often_does_not_reach_the_database(
    api: FastAPI, platform: Platform, client: httpx2.AsyncClient
) -> None:
    few = Buckets(0.001, 3, monotonic=lambda: 0.0)
    object.__setattr__(platform, "by_address", few)
    for number in range(3):
        await with_token(client, f"moor_pat_guess-{number}").get("/v1/me")
    before = platform.database.transactions

    answer = await with_token(client, "moor_pat_one-more").get("/v1/me")

    assert (answer.status_code, platform.database.transactions) == (429, before)


@pytest.mark.rule("ID-7")
async def test_a_restricted_token_is_not_shown_what_its_owner_was_answered(
    actor: ActorMaker, acme: OrgRow, sql: psycopg.AsyncConnection[object]
) -> None:
    admin = await actor("tenant_admin", org=acme)
    made = await admin.post(
        "/v1/access-tokens",
        {"name": "little", "expires_in": 600, "permissions": ["iam.member.read"]},
    )
    little = with_token(admin.client, made.json()["token"])
    path, body = f"/v1/orgs/{acme.id}/projects", {"slug": "mine", "name": "Mine"}
    first = await admin.post(path, body, headers={"idempotency-key": "same"})

    replay = await little.post(path, body, headers={"idempotency-key": "same"})

    assert first.status_code == 201
    assert replay.status_code == 403
    assert "idempotency-replayed" not in replay.headers
    assert json.loads(replay.text)["code"] == "forbidden"
