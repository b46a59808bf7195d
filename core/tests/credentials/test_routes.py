"""Access credentials and hosts without agent, through HTTP."""

import subprocess
from typing import Any

import asyncssh
import pytest

from core.tests.credentials import places
from core.tests.embedded import places as places_on_disk
from core.tests.factories import agentless
from core.tests.site import Site
from core.tests.tasks.workplaces import Workplace, make_workplace


def pem(kind: str = "ssh-ed25519", **options: Any) -> str:
    key = asyncssh.generate_private_key(kind, **options)
    return key.export_private_key("openssh").decode()


def locked() -> str:
    """A key that opens with a passphrase."""
    with places_on_disk.open_place() as folder:
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "a word", "-f", str(folder / "key")]
        subprocess.run(words, check=True)
        return (folder / "key").read_text()


@pytest.fixture
async def place(site: Site) -> Workplace:
    return await places.make_place(site, "127.0.0.1", await agentless.port())


async def sealed(place: Workplace) -> list[Any]:
    return await place.site.rows(
        "SELECT id FROM secrets WHERE project_id = %s", place.tenant.project.id
    )


async def post(place: Workplace, credential: str, verb: str, body: Any = None) -> Any:
    return await place.tenant.admin.post(f"/v1/access-credentials/{credential}/{verb}", body)


# Keys in custody


async def test_a_key_that_is_made_here_shows_its_public_half_alone(place: Workplace) -> None:
    answer = await places.create(place)

    made = answer.json()
    assert answer.status_code == 201
    assert made["public_key"].startswith("ssh-ed25519 ")
    assert made["fingerprint"].startswith("SHA256:")
    assert "PRIVATE" not in answer.text
    assert len(await sealed(place)) == 1


async def test_a_key_that_is_given_is_known_by_its_public_half(place: Workplace) -> None:
    text = pem()

    made = await places.make_credential(place, private_key=text)

    key = asyncssh.import_private_key(text)
    assert made["fingerprint"] == key.get_fingerprint("sha256")
    assert made["public_key"] == " ".join(key.export_public_key().decode().split()[:2])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("not a key", "not a private key"),
        (locked(), "has a passphrase"),
        (pem("ssh-rsa", key_size=1984), "2048 bits at least"),
        (pem("ssh-dss"), "DSA keys are too weak"),
    ],
    ids=["nonsense", "passphrase", "small RSA", "DSA"],
)
async def test_a_key_that_cannot_be_used_is_refused_and_not_repeated(
    place: Workplace, text: str, told: str
) -> None:
    answer = await places.create(place, private_key=text)

    assert answer.status_code == 422
    assert answer.json()["code"] == "ssh_key_unusable"
    assert told in answer.json()["detail"]
    assert text[40:80] not in answer.text or text == "not a key"
    assert await sealed(place) == []


async def test_a_name_is_taken_until_its_credential_is_revoked(place: Workplace) -> None:
    first = await places.make_credential(place, name="deploy")

    taken = await places.create(place, name="deploy")
    await post(place, first["id"], "revoke")
    again = await places.create(place, name="deploy")

    assert taken.json()["code"] == "name_taken"
    assert again.status_code == 201


async def test_nothing_of_a_private_key_is_in_audit_and_events(place: Workplace) -> None:
    text = pem()

    await places.make_credential(place, private_key=text)

    records = await place.site.rows(
        "SELECT details::text FROM audit_entries WHERE org_id = %s"
        " UNION ALL SELECT data::text FROM events WHERE org_id = %s",
        place.tenant.org.id,
        place.tenant.org.id,
    )
    body = "".join(text.splitlines()[1:-1])
    assert records
    assert not any(body[60:100] in row[0] or "PRIVATE" in row[0] for row in records)


async def test_a_rotation_keeps_the_old_key_for_the_overlap(place: Workplace) -> None:
    before = await places.make_credential(place)

    changed = await post(place, before["id"], "rotate", {"overlap_hours": 2})

    after = changed.json()
    assert after["fingerprint"] != before["fingerprint"]
    assert after["previous_until"] is not None
    assert len(await sealed(place)) == 2


async def test_a_rotation_without_overlap_destroys_the_old_key(place: Workplace) -> None:
    before = await places.make_credential(place)

    changed = await post(place, before["id"], "rotate", {"overlap_hours": 0})

    assert changed.json()["previous_until"] is None
    assert len(await sealed(place)) == 1


async def test_a_second_rotation_destroys_the_key_before_the_last(place: Workplace) -> None:
    made = await places.make_credential(place)

    await post(place, made["id"], "rotate", {})
    await post(place, made["id"], "rotate", {})

    assert len(await sealed(place)) == 2


async def test_a_revoked_credential_has_no_key_and_takes_none(place: Workplace) -> None:
    made = await places.make_credential(place)
    await post(place, made["id"], "rotate", {})

    revoked = await post(place, made["id"], "revoke")

    assert revoked.json()["revoked_at"] is not None
    assert await sealed(place) == []
    assert (await post(place, made["id"], "rotate", {})).json()["code"] == "credential_revoked"
    assert (await places.set_host(place, made["id"])).json()["code"] == "credential_revoked"


# Hosts


async def test_a_host_is_unset_then_unconfirmed_then_confirmed(place: Workplace) -> None:
    made = await places.make_credential(place)
    unset = await places.get_host(place)
    await places.set_host(place, made["id"])
    scanned = (await places.scan(place)).json()

    confirmed = (await places.confirm(place, scanned["offered_fingerprint"])).json()

    assert (unset["state"], unset["version"], unset["address"]) == ("unset", 0, "127.0.0.1")
    assert scanned["state"] == "unconfirmed"
    assert scanned["offered_fingerprint"] == agentless.FINGERPRINT
    assert scanned["host_fingerprint"] is None, "shown is not trusted"
    assert confirmed["state"] == "confirmed"
    assert confirmed["host_fingerprint"] == agentless.FINGERPRINT
    assert confirmed["confirmed_by"] == place.tenant.admin.id


async def test_another_fingerprint_than_the_one_shown_is_not_confirmed(place: Workplace) -> None:
    made = await places.make_credential(place)
    await places.set_host(place, made["id"])
    await places.scan(place)

    answer = await places.confirm(place, "SHA256:" + "A" * 43)

    assert answer.json()["code"] == "ssh_fingerprint_differs"
    assert (await places.get_host(place))["state"] == "unconfirmed"


async def test_nothing_is_confirmed_before_it_was_shown(place: Workplace) -> None:
    made = await places.make_credential(place)
    await places.set_host(place, made["id"])

    answer = await places.confirm(place, agentless.FINGERPRINT)

    assert answer.json()["code"] == "ssh_host_not_set"


async def test_a_host_that_does_not_answer_is_named(site: Site) -> None:
    place = await places.make_place(site, "127.0.0.1", 1)
    made = await places.make_credential(place)
    await places.set_host(place, made["id"])

    answer = await places.scan(place)

    assert answer.status_code == 409
    assert answer.json()["code"] == "ssh_host_unreachable"
    assert "127.0.0.1 port 1 does not answer" in answer.json()["detail"]


async def test_places_that_are_no_machines_are_never_called(site: Site) -> None:
    place = await places.make_place(site, "169.254.169.254", 80)
    made = await places.make_credential(place)
    await places.set_host(place, made["id"])

    answer = await places.scan(place)

    assert "calls no host there" in answer.json()["detail"]


async def test_a_machine_with_an_agent_has_no_ssh(site: Site) -> None:
    place = await make_workplace(site)
    made = await places.make_credential(place)

    answer = await places.set_host(place, made["id"])

    assert answer.json()["code"] == "host_has_agent"


async def test_the_credential_of_another_project_is_not_found(site: Site, place: Workplace) -> None:
    other = await make_workplace(site)
    foreign = await places.make_credential(other)

    answer = await places.set_host(place, foreign["id"])

    assert answer.status_code == 404
    assert (
        answer.json()["detail"]
        == f"There is no access credential {foreign['id']} that you can see."
    )


async def test_at_another_address_nothing_of_the_old_host_is_trusted(place: Workplace) -> None:
    made = await places.make_credential(place)
    fingerprint = await places.prepare(place, made["id"])
    version = (await places.get_host(place))["version"]
    await place.site.sql.execute(
        "UPDATE nodes SET address = '127.0.0.2' WHERE id = %s", (place.node,)
    )

    changed = (await places.set_host(place, made["id"], version=version)).json()
    confirmed = await places.confirm(place, fingerprint)

    assert (changed["address"], changed["state"]) == ("127.0.0.2", "unconfirmed")
    kept = ("offered_fingerprint", "host_fingerprint", "confirmed_at", "confirmed_by")
    assert {changed[name] for name in kept} == {None}
    assert confirmed.json()["code"] == "ssh_host_not_set", "what another host showed is no offer"


async def test_another_credential_leaves_the_confirmed_key_in_place(place: Workplace) -> None:
    first = await places.make_credential(place)
    second = await places.make_credential(place, name="another")
    await places.prepare(place, first["id"])
    version = (await places.get_host(place))["version"]

    changed = await places.set_host(place, second["id"], version=version)

    assert changed.json()["credential_id"] == second["id"]
    assert changed.json()["state"] == "confirmed"
