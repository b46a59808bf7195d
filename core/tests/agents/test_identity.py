"""Who a host is: enrolled once, proved by rolling nonces, and found out when it is two."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories.hosts import Host, announce, enrolled, issue, make_place
from core.tests.factories.machines import INVENTORY
from core.tests.site import Site, TimedSite
from moorage_core.kit import tokens


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


async def read(root: Caller, node: str) -> dict[str, Any]:
    answer = await root.get(f"/v1/nodes/{node}")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def actions(site: Site, node: str) -> list[tuple[str, str]]:
    rows = await site.rows(
        "SELECT action, actor_kind FROM audit_entries WHERE target = %s ORDER BY pos", node
    )
    return [(action, kind) for action, kind in rows]


async def event_types(site: Site, node: str) -> list[str]:
    rows = await site.rows("SELECT type FROM events WHERE subject = %s ORDER BY pos", node)
    return [type for (type,) in rows]


async def test_a_pasted_line_makes_a_host_an_available_node(site: Site, root: Caller) -> None:
    node = await announce(root, await make_place(root))
    line = await issue(root, node["id"])
    host = Host(site.client)

    answer = await host.enrol(line["token"])

    assert answer.status_code == 201, answer.text
    assert answer.json()["name"] == node["name"]
    after = await read(root, node["id"])
    assert (node["status"], after["status"]) == ("enrolling", "available")
    assert after["reachable"] is True
    assert after["inventory"]["cpu"]["threads"] == 4
    assert (await host.poll()).status_code == 200, "the token in the answer works at once"
    assert await event_types(site, node["id"]) == [
        "infra.node.created",
        "infra.enrolment.issued",
        "infra.node.enrolled",
        "infra.node.available",
    ]


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ({"cpus": 5}, "4 CPU threads"),
        ({"memory_bytes": 10 << 30}, "bytes of memory"),
        ({"gpus": 2, "gpu_model": "H200"}, "0 GPUs"),
    ],
)
async def test_a_host_of_another_class_is_quarantined_with_a_sentence(
    site: Site, root: Caller, shape: dict[str, Any], said: str
) -> None:
    node = await announce(root, await make_place(root, **shape))

    answer = await Host(site.client).enrol((await issue(root, node["id"]))["token"])

    assert answer.status_code == 201
    after = await read(root, node["id"])
    assert after["status"] == "quarantined"
    assert said in after["status_reason"]


async def test_a_token_works_once(site: Site, root: Caller) -> None:
    node = await announce(root, await make_place(root))
    line = await issue(root, node["id"])
    await Host(site.client).enrol(line["token"])

    second = await Host(site.client).enrol(line["token"])

    assert (second.status_code, second.json()["code"]) == (401, "enrolment_refused")


async def test_two_hosts_with_one_line_at_once_are_one_node(site: Site, root: Caller) -> None:
    node = await announce(root, await make_place(root))
    line = await issue(root, node["id"])
    hosts = [Host(site.client) for _ in range(4)]

    answers = await asyncio.gather(*(host.enrol(line["token"]) for host in hosts))

    assert sorted(answer.status_code for answer in answers) == [201, 401, 401, 401]


async def test_a_lost_answer_to_an_enrolment_is_given_again_until_the_first_exchange(
    site: Site, root: Caller
) -> None:
    node = await announce(root, await make_place(root))
    line = await issue(root, node["id"])
    host = Host(site.client)
    await host.enrol(line["token"])
    lost = host.nonce

    again = await host.enrol(line["token"])
    proved = await host.prove()
    too_late = await host.enrol(line["token"])

    assert (again.status_code, again.json()["node_id"]) == (201, node["id"])
    assert again.json()["nonce"] != lost
    assert proved.status_code == 200
    assert too_late.status_code == 401


@pytest.mark.parametrize("change", ["unknown", "revoked", "replaced", "retired", "another's proof"])
async def test_a_line_that_is_not_good_is_refused(site: Site, root: Caller, change: str) -> None:
    node = await announce(root, await make_place(root))
    line = await issue(root, node["id"])
    host, said, token = Host(site.client), dict[str, Any](), line["token"]
    if change == "unknown":
        token = tokens.new(tokens.ENROLMENT)
    elif change == "revoked":
        assert (await root.delete(f"/v1/enrolments/{line['id']}")).status_code == 204
    elif change == "replaced":
        await issue(root, node["id"])
    elif change == "retired":
        await root.post(f"/v1/nodes/{node['id']}/retire", {"reason": "it burned down"})
    else:
        said["assertion"] = host.sign(enrolment="0" * 64)

    answer = await host.enrol(token, **said)

    assert (answer.status_code, answer.json()["code"]) == (401, "enrolment_refused")
    assert (await read(root, node["id"]))["enrolled_at"] is None


async def test_a_line_ends(timed: TimedSite) -> None:
    root = await timed.actor("platform_admin")
    node = await announce(root, await make_place(root))
    line = await issue(root, node["id"])
    timed.clock.move(timed.platform.settings.machines.enrolment_lifetime)

    answer = await Host(timed.client).enrol(line["token"])

    assert answer.json()["code"] == "enrolment_refused"


async def test_an_exchange_ends_the_token_before(site: Site, root: Caller) -> None:
    host = await enrolled(site, root)
    before = host.clone()

    assert (await host.prove()).status_code == 200

    assert (await before.poll()).status_code == 401
    assert (await host.poll()).status_code == 200


async def test_the_same_assertion_gets_the_same_nonce_again(site: Site, root: Caller) -> None:
    host = await enrolled(site, root)
    assertion = host.sign(sub=host.node, nonce=host.nonce)

    first = await host.prove(assertion)
    again = await host.prove(assertion)

    assert again.status_code == 200
    assert again.json()["nonce"] == first.json()["nonce"]
    assert again.json()["token"] != first.json()["token"]
    assert (await host.prove()).status_code == 200, "and the host goes on"


async def test_a_second_holder_of_an_identity_is_found_out(site: Site, root: Caller) -> None:
    host = await enrolled(site, root)
    copy = host.clone()
    assert (await host.prove()).status_code == 200

    found_out = await copy.prove()

    assert (found_out.status_code, found_out.json()["code"]) == (409, "identity_conflict")
    assert (await host.poll()).status_code == 401, "nobody works under it any more"
    assert (await host.prove()).json()["code"] == "identity_conflict"
    after = await read(root, host.node)
    assert after["status"] == "quarantined"
    assert after["status_reason"].startswith("identity_conflict")
    assert (await event_types(site, host.node))[-1] == "infra.node.quarantined"
    assert (await actions(site, host.node))[-1] == ("infra.node.operate", "system")


async def test_a_conflict_that_was_cleared_lets_the_true_host_go_on(
    site: Site, root: Caller
) -> None:
    host = await enrolled(site, root)
    copy = host.clone()
    await host.prove()
    await copy.prove()

    resumed = await root.post(f"/v1/nodes/{host.node}/resume")

    assert resumed.json()["status"] == "available"
    assert (await host.prove()).status_code == 200
    assert (await host.poll()).status_code == 200


async def test_a_key_that_is_not_the_nodes_is_refused_like_an_unknown_node(
    site: Site, root: Caller
) -> None:
    host = await enrolled(site, root)
    stranger = Host(site.client, node=host.node, nonce=host.nonce)
    nowhere = Host(site.client, node="nod_" + "7" * 26, nonce=host.nonce)

    answers = [await stranger.prove(), await nowhere.prove()]

    assert {answer.status_code for answer in answers} == {401}
    details = {(answer.json()["code"], answer.json()["detail"]) for answer in answers}
    assert len(details) == 1
    assert (await read(root, host.node))["status"] == "available"


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "another"},
        {"sub": "nod_" + "7" * 26},
        {"jti": "short"},
        {"jti": 7},
        {"nonce": None},
        {"nonce": 7},
    ],
)
async def test_an_assertion_with_a_wrong_claim_is_refused(
    site: Site, root: Caller, claims: dict[str, Any]
) -> None:
    host = await enrolled(site, root)
    said = {"sub": host.node, "nonce": host.nonce} | claims

    answer = await host.prove(host.sign(**said))

    assert answer.json()["code"] == "assertion_refused"


async def test_a_retired_node_is_told_to_stop(site: Site, root: Caller) -> None:
    host = await enrolled(site, root)
    await root.post(f"/v1/nodes/{host.node}/retire", {"reason": "sold to a museum"})

    proved = await host.prove()

    assert (proved.status_code, proved.json()["code"]) == (403, "node_retired")
    assert (await host.poll()).status_code == 401


async def test_a_token_ends_by_itself(timed: TimedSite) -> None:
    root = await timed.actor("platform_admin")
    host = await enrolled(timed, root)
    timed.clock.move(timed.platform.settings.machines.node_token_lifetime + timedelta(seconds=3))

    assert (await host.poll()).status_code == 401
    assert (await host.prove()).status_code == 200


async def test_a_reimaged_node_is_a_new_generation_and_nobodys(site: Site, root: Caller) -> None:
    host = await enrolled(site, root)
    await site.sql.execute(
        "UPDATE nodes SET last_org_id = 'org_' || repeat('0', 26) WHERE id = %s", (host.node,)
    )
    asked = await root.post(f"/v1/nodes/{host.node}/reimage", {"reason": "a clean slate"})
    assert asked.status_code == 202, asked.text
    line = await issue(root, host.node)
    fresh = Host(site.client)

    assert (await fresh.enrol(line["token"])).status_code == 201

    after = await read(root, host.node)
    assert (after["status"], after["generation"]) == ("available", 2)
    assert after["last_org_id"] is None
    assert after["reimage_requested_at"] is None
    assert (await host.prove()).json()["code"] == "assertion_refused", "the old image's key"


async def test_a_host_that_lost_its_key_enrols_again_and_is_no_fresher(
    site: Site, root: Caller
) -> None:
    host = await enrolled(site, root)
    await site.sql.execute(
        "UPDATE nodes SET last_org_id = 'org_' || repeat('0', 26) WHERE id = %s", (host.node,)
    )

    assert (await Host(site.client).enrol((await issue(root, host.node))["token"])).is_success

    after = await read(root, host.node)
    assert (after["generation"], after["last_org_id"]) == (1, "org_" + "0" * 26)


async def test_nothing_but_hashes_is_kept_of_what_a_host_is_given(site: Site, root: Caller) -> None:
    host = await enrolled(site, root)

    rows = await site.rows("SELECT n::text FROM nodes n WHERE id = %s", host.node)
    lines = await site.rows("SELECT e::text FROM enrolments e WHERE node_id = %s", host.node)

    for secret in (host.token, host.nonce, "moor_enr_", "moor_nod_"):
        assert secret not in str(rows + lines)


async def test_what_a_host_says_of_itself_is_cleaned(site: Site, root: Caller) -> None:
    node = await announce(root, await make_place(root))
    odd = INVENTORY | {
        "hostname": "ho\x00st\x1b[31m",
        "disks": [{"name": "sda", "model": "x" * 9000, "invented": {"deep": 1}}],
        "another": "release's",
    }

    answer = await Host(site.client).enrol(
        (await issue(root, node["id"]))["token"], inventory=odd, hostname="ho\x00st"
    )

    assert answer.status_code == 201, answer.text
    kept = (await read(root, node["id"]))["inventory"]
    assert kept["hostname"] == "host[31m"
    assert len(kept["disks"][0]["model"]) == 300
    assert "another" not in kept
