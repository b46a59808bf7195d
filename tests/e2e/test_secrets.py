"""Planted secrets go where they are meant to go, and nowhere else, over a whole run.

Everything that the session's tests have left is looked through: what the platform logged, stored,
told and ran with, and what the hosts did.
"""

import secrets
from collections.abc import Iterator

import pytest

from tests.e2e import scanner, work, world
from tests.e2e.callers import Caller, wait_until
from tests.e2e.site import Site
from tests.e2e.work import Session
from tests.e2e.world import Member, Tenant

pytestmark = pytest.mark.lab

NAMES = ("by-stdin", "by-file", "by-put")
STAYS = "/etc/moorage-secret.conf"


def test_planted_secrets_are_found_nowhere(
    site: Site, acme: Tenant, admin: Caller, members: list[Member]
) -> None:
    planted = {name: f"planted-{secrets.token_urlsafe(24)}" for name in NAMES}
    member = members[0]
    allocation = work.allocate(admin, acme, member)
    session = work.open_session(site, acme, allocation)
    planted |= {
        "session": session.holder.token,
        "admin": admin.token,
        "enrolment": _enrolment(admin),
        "first password": site.password,
    }
    _store(session, planted)

    running = _use(session)
    planted["made"] = member.host.run("cat /dev/shm/made && rm /dev/shm/made").stdout
    wait_until(lambda: member.host.run("pgrep -f 'sleep 76[5]'", check=False).code == 0)
    while_running = [
        ("processes", scanner.processes()),
        ("units", member.host.run("systemctl show 'moorage-task-*'").stdout.encode()),
        ("host's processes", member.host.run("ps axeww").stdout.encode()),
    ]
    on_host = member.host.run(f"cat {STAYS}").stdout
    session.holder.post(f"/v1/tasks/{running}/cancel")
    session.ended(running)
    session.end()
    ended = work.release(acme, allocation)

    assert on_host == planted["by-put"]
    assert len(planted["made"]) > 40
    assert ended["status"] == "released", ended
    assert scanner.found_in(while_running, planted) == []
    assert scanner.found_in(_of_the_platform(site, admin, acme), planted) == []
    host = member.host.layout
    assert scanner.in_folder(host.disk / "upper", planted) == []
    journal = member.host.run("journalctl --no-pager -o export").stdout.encode()
    assert scanner.found_in([("journal", journal)], planted) == []
    assert scanner.in_folder(site.data / "run", planted) == []


def test_the_scanner_finds_what_is_there(site: Site) -> None:
    places = [("plain", b"a secret-1 b"), ("hex", b"\\x" + b"secret-1".hex().encode())]

    assert scanner.found_in(places, {"one": "secret-1"}) == ["one in plain", "one in hex"]
    assert scanner.dump(site).count(b"INSERT INTO public.audit_entries")


def _enrolment(admin: Caller) -> str:
    node = world.make_node(admin, f"unused-{secrets.token_hex(4)}")
    line = world.line_for(admin, node["id"])
    (token,) = [word for word in line.split() if word.startswith("MOORAGE_TOKEN=")]
    return token.removeprefix("MOORAGE_TOKEN=").strip("'\"")


def _store(session: Session, planted: dict[str, str]) -> None:
    for name in NAMES:
        secret = {"name": name, "purpose": "cluster_key", "value": planted[name]}
        session.holder.post(f"{session.path}/secrets", secret)
    made = {"name": "made", "purpose": "join", "generate": 32}
    session.holder.post(f"{session.path}/secrets", made)


def _use(session: Session) -> str:
    """Every way for a secret to a host; the task that still runs with one."""
    session.done(session.ask("put", {"path": STAYS, "content": {"$secret": "by-put"}}))
    by_file = 'test -s "$MOORAGE_SECRETS/by-file"'
    session.done(session.ask("exec", {"argv": ["sh", "-c", by_file], "secret_files": ["by-file"]}))
    copy = ["sh", "-c", "cp $MOORAGE_SECRETS/made /dev/shm/made"]
    session.done(session.ask("exec", {"argv": copy, "secret_files": ["made"]}))
    by_stdin = ["sh", "-c", 'read -r value; test -n "$value"; sleep 765']
    return session.ask("exec", {"argv": by_stdin, "stdin": {"$secret": "by-stdin"}})


def _of_the_platform(site: Site, admin: Caller, acme: Tenant) -> Iterator[tuple[str, bytes]]:
    yield "the log", site.log.read_bytes()
    yield "the database", scanner.dump(site)
    for caller in (admin, acme.admin):
        for path in ("/v1/events?limit=200", "/v1/audit?limit=200"):
            caller.get(path)
    for caller in site.callers:
        yield "answers", "\n".join(caller.said).encode()
