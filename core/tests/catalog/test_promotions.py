"""Channels through HTTP: who stands where, how it came there, and in which order."""

import asyncio
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from core.tests.callers import Caller
from core.tests.catalog.publishers import Street, make_street
from core.tests.factories import artifacts, catalog
from core.tests.site import Site


@pytest.fixture
async def street(site: Site) -> Street:
    return await make_street(site)


async def promote(
    caller: Caller, app: dict[str, Any], version: dict[str, Any], channel: str, **more: Any
) -> Any:
    body = {"channel": channel, "version": version["id"], **more}
    return await caller.post(f"/v1/apps/{app['id']}/promotions", body)


async def sign(street: Street, artifact: dict[str, Any]) -> None:
    pair = Ed25519PrivateKey.generate()
    key = await catalog.made(
        street.publisher,
        f"/v1/projects/{street.project}/publisher-keys",
        artifacts.key_body(pair, street.project),
    )
    body = {"key": key["id"], "signature": artifacts.signature_of(pair, artifact["digest"])}
    answer = await street.publisher.post(f"/v1/artifacts/{artifact['id']}/signatures", body)
    assert answer.is_success, answer.text


async def test_a_promotion_is_kept_with_who_what_and_why(street: Street) -> None:
    app = await street.app()
    old = await catalog.publish(street.publisher, app, version="1.0.0")
    new = await catalog.publish(street.publisher, app, version="1.1.0")
    await promote(street.publisher, app, old, "dev")

    answer = await street.publisher.call(
        "POST",
        f"/v1/apps/{app['id']}/promotions",
        json={"channel": "dev", "version": new["id"], "reason": "It is faster."},
        headers={"x-correlation-id": "why-1234"},
    )

    made = answer.json()
    assert answer.status_code == 201
    assert made["previous_version_id"] == old["id"]
    assert (made["number"], made["manifest_digest"]) == ("1.1.0", new["manifest_digest"])
    assert (made["actor_id"], made["actor_kind"]) == (street.publisher.id, "user")
    assert (made["correlation_id"], made["reason"]) == ("why-1234", "It is faster.")
    listed = await street.publisher.get(f"/v1/apps/{app['id']}/promotions")
    assert [each["number"] for each in listed.json()["items"]] == ["1.1.0", "1.0.0"]
    assert listed.json()["items"][0] == made


async def test_channels_and_versions_say_where_they_stand(street: Street) -> None:
    app = await street.app()
    version = await catalog.publish(street.publisher, app)
    for channel in ("prod", "dev"):
        await promote(street.publisher, app, version, channel)

    channels = await street.publisher.get(f"/v1/apps/{app['id']}/channels")
    read = await street.publisher.get(f"/v1/app-versions/{version['id']}")

    assert [(c["channel"], c["number"]) for c in channels.json()["items"]] == [
        ("dev", "1.0.0"),
        ("prod", "1.0.0"),
    ]
    assert read.json()["channels"] == ["dev", "prod"]


async def test_an_older_version_is_a_way_back(street: Street) -> None:
    app = await street.app()
    old = await catalog.publish(street.publisher, app, version="1.0.0")
    new = await catalog.publish(street.publisher, app, version="1.1.0")
    for version in (old, new):
        await promote(street.publisher, app, version, "prod")

    answer = await promote(street.publisher, app, old, "prod", reason="1.1.0 loses jobs.")

    assert answer.status_code == 201
    history = (await street.publisher.get(f"/v1/apps/{app['id']}/promotions")).json()["items"]
    assert [each["number"] for each in history] == ["1.0.0", "1.1.0", "1.0.0"]
    assert [each["sequence"] for each in history] == [3, 2, 1]


async def test_promotions_come_in_pages_and_by_channel(street: Street) -> None:
    app = await street.app()
    old = await catalog.publish(street.publisher, app, version="1.0.0")
    new = await catalog.publish(street.publisher, app, version="1.1.0")
    for version, channel in ((old, "dev"), (old, "prod"), (new, "dev"), (new, "prod")):
        await promote(street.publisher, app, version, channel)
    path = f"/v1/apps/{app['id']}/promotions"

    first = (await street.publisher.get(path, params={"limit": "3"})).json()
    second = (await street.publisher.get(path, params={"after": first["next"]})).json()
    prod = (await street.publisher.get(path, params={"channel": "prod"})).json()

    assert [each["sequence"] for each in first["items"] + second["items"]] == [4, 3, 2, 1]
    assert [each["number"] for each in prod["items"]] == ["1.1.0", "1.0.0"]


async def test_strangers_see_what_stands_where_and_not_who_put_it_there(street: Street) -> None:
    app = await street.app(visibility="platform")
    version = await catalog.publish(street.publisher, app)
    await promote(street.publisher, app, version, "prod", reason="The old one leaks.")

    seen = await street.stranger.admin.get(f"/v1/apps/{app['id']}/promotions")

    (promotion,) = seen.json()["items"]
    assert (promotion["number"], promotion["channel"]) == ("1.0.0", "prod")
    assert promotion["manifest_digest"] == version["manifest_digest"]
    hidden = ("actor_kind", "actor_id", "actor_name", "correlation_id", "reason")
    assert [promotion[name] for name in hidden] == [None] * 5
    assert street.publisher.id not in seen.text


@pytest.mark.rule("CA-7")
async def test_promotions_at_once_have_one_order_and_are_all_kept(street: Street) -> None:
    app = await street.app()
    versions = [await catalog.publish(street.publisher, app, version=f"1.{n}.0") for n in range(5)]

    answers = await asyncio.gather(
        *(promote(street.publisher, app, version, "prod") for version in versions)
    )

    assert [answer.status_code for answer in answers] == [201] * 5
    history = (await street.publisher.get(f"/v1/apps/{app['id']}/promotions")).json()["items"]
    oldest_first = history[::-1]
    assert [each["sequence"] for each in oldest_first] == [1, 2, 3, 4, 5]
    before = [each["previous_version_id"] for each in oldest_first]
    assert before == [None, *(each["version_id"] for each in oldest_first[:-1])]
    (channel,) = (await street.publisher.get(f"/v1/apps/{app['id']}/channels")).json()["items"]
    assert channel["version_id"] == history[0]["version_id"]
    told = await street.site.rows(
        """
        SELECT data ->> 'version_id' FROM events
        WHERE subject = %s AND type = 'catalog.version.promoted' ORDER BY subject_version
        """,
        app["id"],
    )
    assert [id for (id,) in told] == [each["version_id"] for each in oldest_first]


@pytest.mark.rule("CA-6")
@pytest.mark.parametrize("channel", ["staging", "prod"])
async def test_unsigned_artifacts_get_no_further_than_dev(street: Street, channel: str) -> None:
    app = await street.app()
    artifact = await street.artifact()
    version = await catalog.publish(street.publisher, app, artifacts=[artifact])

    to_dev = await promote(street.publisher, app, version, "dev")
    refused = await promote(street.publisher, app, version, channel)
    await sign(street, artifact)
    accepted = await promote(street.publisher, app, version, channel)

    assert (to_dev.status_code, accepted.status_code) == (201, 201)
    assert (refused.status_code, refused.json()["code"]) == (409, "artifacts_not_ready")
    assert refused.json()["errors"][0]["location"] == "artifacts.thing.tar"


async def test_what_a_channel_points_to_is_made_of_promoted_artifacts(street: Street) -> None:
    app = await street.app()
    artifact = await street.artifact()
    version = await catalog.publish(street.publisher, app, artifacts=[artifact])

    await promote(street.publisher, app, version, "dev")

    read = await street.publisher.get(f"/v1/app-versions/{version['id']}")
    assert read.json()["artifacts"][0]["lifecycle"] == "promoted"


async def test_a_revoked_artifact_goes_nowhere(street: Street) -> None:
    app = await street.app()
    artifact = await street.artifact()
    version = await catalog.publish(street.publisher, app, artifacts=[artifact])
    revoke = f"/v1/artifacts/{artifact['id']}/revoke"
    await catalog.made(street.publisher, revoke, {"reason": "It does harm."}, status=200)

    answer = await promote(street.publisher, app, version, "dev")

    assert (answer.status_code, answer.json()["code"]) == (409, "artifacts_not_ready")


@pytest.mark.rule("CA-8")
async def test_what_a_channel_points_to_is_not_retired(street: Street) -> None:
    app = await street.app()
    version = await catalog.publish(street.publisher, app, version="1.0.0")
    other = await catalog.publish(street.publisher, app, version="1.1.0")
    for channel in ("dev", "prod"):
        await promote(street.publisher, app, version, channel)
    retire = f"/v1/app-versions/{version['id']}/retire"

    refused = await street.publisher.post(retire, {"reason": "It has a flaw."})
    for channel in ("dev", "prod"):
        await promote(street.publisher, app, other, channel)
    accepted = await street.publisher.post(retire, {"reason": "It has a flaw."})

    assert (refused.status_code, refused.json()["code"]) == (409, "on_channel")
    assert "dev, prod" in refused.json()["detail"]
    assert accepted.status_code == 200


@pytest.mark.rule("CA-8")
async def test_retiring_and_promoting_at_once_leaves_no_channel_on_a_retired_version(
    street: Street,
) -> None:
    app = await street.app()
    version = await catalog.publish(street.publisher, app)

    retired, promoted = await asyncio.gather(
        street.publisher.post(
            f"/v1/app-versions/{version['id']}/retire", {"reason": "It has a flaw."}
        ),
        promote(street.publisher, app, version, "prod"),
    )

    assert sorted([retired.is_success, promoted.is_success]) == [False, True]


@pytest.mark.parametrize("state", ["draft", "deprecated", "retired"])
async def test_only_a_published_version_is_promoted(street: Street, state: str) -> None:
    app = await street.app()
    version = await catalog.draft(street.publisher, app)
    path = f"/v1/app-versions/{version['id']}"
    if state != "draft":
        await street.publisher.post(f"{path}/publish", {})
        body = {"note": "No."} if state == "deprecated" else {"reason": "No."}
        verb = "deprecate" if state == "deprecated" else "retire"
        await catalog.made(street.publisher, f"{path}/{verb}", body, status=200)

    answer = await promote(street.publisher, app, version, "dev")

    assert (answer.status_code, answer.json()["code"]) == (409, "invalid_transition")
    assert state in answer.json()["detail"]


async def test_a_version_of_another_app_is_not_found(street: Street) -> None:
    app, other = await street.app(), await street.app()
    version = await catalog.publish(street.publisher, other)

    answer = await promote(street.publisher, app, version, "dev")

    assert answer.status_code == 404


async def test_a_version_is_not_promoted_to_where_it_is(street: Street) -> None:
    app = await street.app()
    version = await catalog.publish(street.publisher, app)
    await promote(street.publisher, app, version, "dev")

    answer = await promote(street.publisher, app, version, "dev")

    assert (answer.status_code, answer.json()["code"]) == (409, "already_there")


async def clear(caller: Caller, app: dict[str, Any], channel: str) -> Any:
    return await caller.delete(f"/v1/apps/{app['id']}/channels/{channel}")


async def test_a_cleared_channel_points_to_nothing_and_that_is_kept(street: Street) -> None:
    app = await street.app()
    version = await catalog.publish(street.publisher, app)
    await promote(street.publisher, app, version, "dev")

    cleared = await clear(street.publisher, app, "dev")

    assert cleared.status_code == 204, cleared.text
    channels = await street.publisher.get(f"/v1/apps/{app['id']}/channels")
    assert channels.json()["items"] == []
    history = (await street.publisher.get(f"/v1/apps/{app['id']}/promotions")).json()["items"]
    first = {name: history[0][name] for name in ("channel", "version_id", "number", "sequence")}
    assert first == {"channel": "dev", "version_id": None, "number": None, "sequence": 2}
    assert history[0]["previous_version_id"] == version["id"]
    assert history[0]["actor_id"] == street.publisher.id


async def test_the_last_version_can_be_retired_once_its_channel_is_cleared(street: Street) -> None:
    app = await street.app()
    version = await catalog.publish(street.publisher, app)
    await promote(street.publisher, app, version, "dev")
    retire, reason = f"/v1/app-versions/{version['id']}/retire", {"reason": "It is over."}

    kept = await street.publisher.post(retire, reason)
    await clear(street.publisher, app, "dev")
    retired = await street.publisher.post(retire, reason)

    assert (kept.json()["code"], retired.status_code) == ("on_channel", 200)
    assert "clear the channel" in kept.json()["detail"]


async def test_a_channel_is_cleared_once_and_can_be_filled_again(street: Street) -> None:
    app = await street.app()
    version = await catalog.publish(street.publisher, app)
    await promote(street.publisher, app, version, "dev")
    await clear(street.publisher, app, "dev")

    again = await clear(street.publisher, app, "dev")
    unknown = await clear(street.publisher, app, "nightly")
    promoted = await promote(street.publisher, app, version, "dev")

    assert (again.status_code, unknown.status_code) == (404, 404)
    assert (promoted.status_code, promoted.json()["previous_version_id"]) == (201, None)


async def test_only_the_publisher_clears_a_channel(street: Street) -> None:
    app = await street.app(visibility="platform")
    version = await catalog.publish(street.publisher, app)
    await promote(street.publisher, app, version, "dev")

    codes = [
        (await clear(caller, app, "dev")).status_code
        for caller in (street.colleague, street.sibling, street.stranger.admin)
    ]

    assert codes == [403, 403, 403]
    assert (await clear(street.publisher, app, "dev")).status_code == 204


async def test_who_listens_hears_that_a_channel_was_cleared(street: Street) -> None:
    app = await street.app()
    version = await catalog.publish(street.publisher, app)
    await promote(street.publisher, app, version, "dev")
    await clear(street.publisher, app, "dev")
    await street.site.number()

    rows = await street.site.rows(
        "SELECT type, data FROM events WHERE subject = %s ORDER BY seq", app["id"]
    )

    kind, data = rows[-1]
    assert kind == "catalog.channel.cleared"
    assert (data["channel"], data["previous_version_id"]) == ("dev", version["id"])
