"""The whole way of a machine: enrolled, held, worked on, given back, and passed on."""

import pytest

from tests.e2e import work
from tests.e2e.callers import Caller, Refused
from tests.e2e.site import Site
from tests.e2e.world import Member, Tenant

pytestmark = pytest.mark.lab


def test_a_pasted_line_makes_a_node_of_a_host(admin: Caller, members: list[Member]) -> None:
    nodes = [admin.get(f"/v1/nodes/{member.node}") for member in members]

    for node, member in zip(nodes, members, strict=True):
        assert node["status"] in ("available", "allocated")  # other tests may hold one by now
        assert node["reachable"]
        assert node["inventory"]["hostname"] == member.host.name
        assert node["inventory"]["os"]["version"] == "13"
        assert member.host.run("systemctl is-active moorage-agent").stdout == "active\n"


def test_a_tenant_is_given_a_machine_works_on_it_and_gives_it_back_clean(
    site: Site, acme: Tenant, members: list[Member], admin: Caller
) -> None:
    (allocation,) = work.allocate_any(acme)
    node = acme.admin.get(f"/v1/allocations/{allocation}")["node_name"]
    (member,) = [member for member in members if member.host.name == node]
    session = work.open_session(site, acme, allocation)

    said = session.done(session.shell("echo hello from $(hostname); echo oops >&2"))
    put = session.done(session.put("/etc/moorage-test.conf", b"set = 1\n", mode="0600"))
    again = session.done(session.put("/etc/moorage-test.conf", b"set = 1\n", mode="0600"))
    session.done(session.shell("touch /var/tmp/left /dev/shm/left"))

    assert session.output(said["id"]) == f"hello from {node}\n".encode()
    assert session.output(said["id"], "stderr") == b"oops\n"
    assert (put["changed"], again["changed"]) == (True, False)
    assert member.host.get("/etc/moorage-test.conf") == b"set = 1\n"

    session.end()
    ended = work.release(acme, allocation)

    evidence = acme.admin.get(f"/v1/allocations/{allocation}/evidence")
    assert ended["status"] == "released", evidence
    assert "/etc/moorage-test.conf" in str(evidence["wipe"]["result"]["removed"])
    assert evidence["probe"]["result"]["residue"] == {}
    assert member.host.run("test -e /etc/moorage-test.conf", check=False).code == 1
    assert member.host.run("ls /var/tmp/left /dev/shm/left", check=False).stdout == ""
    assert admin.get(f"/v1/nodes/{member.node}")["status"] == "available"


def test_a_machine_that_cannot_be_shown_to_be_clean_is_kept_from_others_until_it_can(
    site: Site, acme: Tenant, admin: Caller, members: list[Member]
) -> None:
    member = members[0]
    allocation = work.allocate(admin, acme, member)
    session = work.open_session(site, acme, allocation)
    session.done(session.shell("useradd -m mallory"))  # past every record of what was changed
    session.end()

    ended = work.release(acme, allocation)

    assert ended["status"] == "release_failed"
    assert "mallory" in ended["message"]
    assert ended["held_until"]
    assert admin.get(f"/v1/nodes/{member.node}")["status"] == "quarantined"

    member.host.run("userdel -r mallory")
    assert work.release(acme, allocation)["status"] == "released"
    assert admin.get(f"/v1/nodes/{member.node}")["status"] == "available"


def test_a_machine_passes_to_another_org_as_a_new_one(
    site: Site, acme: Tenant, rival: Tenant, admin: Caller, members: list[Member]
) -> None:
    member = members[0]
    allocation = work.allocate(admin, acme, member)
    member.host.run("echo planted >/opt/planted")  # past every record of what was changed
    key = member.host.get("/var/lib/moorage-agent/key.pem")
    assert work.release(acme, allocation)["status"] == "released"
    before = admin.get(f"/v1/nodes/{member.node}")

    passed = work.allocate(admin, rival, member, seconds=120)

    after = admin.get(f"/v1/nodes/{member.node}")
    assert after["generation"] == before["generation"] + 1
    assert member.host.run("test -e /opt/planted", check=False).code == 1
    assert member.host.get("/var/lib/moorage-agent/key.pem") != key
    session = work.open_session(site, rival, passed)
    assert session.done(session.shell("hostname"))
    assert work.release(rival, passed)["status"] == "released"


def test_a_stolen_handle_stops_working_the_moment_its_session_ends(
    site: Site, acme: Tenant, admin: Caller, held: tuple[Member, str]
) -> None:
    member, allocation = held
    session = work.open_session(site, acme, allocation)
    running = session.shell("sleep 300; touch /var/tmp/slept")
    session.until(running, "running")

    session.end()

    with pytest.raises(Refused) as refused:
        session.shell("touch /var/tmp/stolen")
    assert refused.value.status == 401
    path = f"/v1/tasks/{running}"
    found = acme.admin.until(path, lambda task: task["ended_at"], seconds=15)
    assert found["status"] == "cancelled"
    assert member.host.run("pgrep -f 'sleep 30[0]'", check=False).code == 1
    assert member.host.run("test -e /var/tmp/stolen", check=False).code == 1
