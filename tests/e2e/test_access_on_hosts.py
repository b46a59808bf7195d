"""People on real hosts: in by `moor ssh`, and out when their grant ends, whatever they left."""

import asyncio
import shlex
import shutil
import subprocess
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from moorage_lab import Host
from tests.e2e import shop, world
from tests.e2e.callers import Caller, wait_until
from tests.e2e.site import Site
from tests.e2e.terminal import moor
from tests.e2e.world import Member, Tenant

pytestmark = pytest.mark.lab

GONE_WITHIN = 5.0
"""Seconds from the end of a grant until nothing of the person is on the host."""
ASKING = """
contract: 1
slug: asking
version: "1.0.0"
name: Asking
summary: An app that asks who may be on its machines.
modes:
  - {operating_mode: standard, scope: project}
components:
  host: {min: 1, verbs: [add, remove]}
scopes: [principals.read]
"""


@dataclass(frozen=True)
class Visitor:
    """A person with a grant, who has everything that `moor ssh` would make for them."""

    caller: Caller
    grant: dict[str, Any]
    files: Path
    issued: dict[str, Any]

    def ssh(self, *words: str, options: tuple[str, ...] = ()) -> list[str]:
        """The command line of whoever has the key and the certificate, however they got them."""
        said = {
            "IdentityFile": self.files / "id",
            "CertificateFile": self.files / "id-cert.pub",
            "UserKnownHostsFile": self.files / "known_hosts",
            "IdentitiesOnly": "yes",
            "StrictHostKeyChecking": "yes",
            "HostKeyAlias": "host",
            "BatchMode": "yes",
            "ConnectTimeout": "5",
        }
        options = (*(w for k, v in said.items() for w in ("-o", f"{k}={v}")), *options)
        where = f"{self.issued['login']}@{self.issued['addresses'][0]}"
        return ["ssh", "-F", "none", *options, "--", where, *words]

    def enters(self) -> subprocess.CompletedProcess[str]:
        return run(self.ssh("id", "-un"))


@pytest.fixture
def member(held: tuple[Member, str]) -> Member:
    return held[0]


@pytest.fixture
def host(member: Member) -> Host:
    return member.host


@pytest.fixture
def allocation(held: tuple[Member, str]) -> str:
    return held[1]


@pytest.fixture
def ada(site: Site, admin: Caller, acme: Tenant) -> Caller:
    return make_member(site, admin, acme)


@pytest.fixture
def visitor(acme: Tenant, ada: Caller, allocation: str, tmp_path: Path) -> Visitor:
    return visit(acme, ada, allocation, tmp_path)


@pytest.fixture(autouse=True)
def nobody_stays(acme: Tenant, allocation: str) -> Iterator[None]:
    """Whoever a test let in is let out."""
    yield
    path = f"/v1/allocations/{allocation}/grants?live=true"
    for grant in acme.admin.get(path)["items"]:
        acme.admin.delete(f"/v1/grants/{grant['id']}")


def make_member(site: Site, admin: Caller, tenant: Tenant) -> Caller:
    """Somebody new in the tenant's project."""
    email = f"p{uuid.uuid4().hex[:8]}@{tenant.org[-6:]}.example"
    role = {"email": email, "role": "project_member"}
    tenant.admin.post(f"/v1/projects/{tenant.project}/memberships", role)
    return world.make_person(site, admin, email)


def user_of(caller: Caller) -> str:
    return caller.get("/v1/me")["id"]


def let_in(tenant: Tenant, who: Caller, allocation: str, **rights: Any) -> dict[str, Any]:
    """A grant that the host has carried out."""
    wish = {"user": user_of(who), "expires_in": 3600, **rights}
    grant = tenant.admin.post(f"/v1/allocations/{allocation}/grants", wish)
    settled = tenant.admin.get(f"/v1/grants/{grant['id']}?wait=20")
    assert settled["carried_out"], settled
    return settled


def visit(tenant: Tenant, who: Caller, allocation: str, files: Path, **rights: Any) -> Visitor:
    grant = let_in(tenant, who, allocation, **rights)
    run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(files / "id")], check=True)
    key = (files / "id.pub").read_text()
    issued = who.post(f"/v1/grants/{grant['id']}/certificates", {"public_key": key})
    (files / "id-cert.pub").write_text(issued["certificate"] + "\n")
    (files / "known_hosts").write_text("".join(f"host {key}\n" for key in issued["host_keys"]))
    return Visitor(who, grant, files, issued)


def run(command: list[str], *, check: bool = False) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, check=check, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
    )


def processes_of(host: Host, uid: int) -> list[str]:
    """What runs as this number on the host."""
    return host.run(f"ps -o pid=,args= -u {uid}", check=False).stdout.splitlines()


def has_account(host: Host, login: str) -> bool:
    return host.run(f"getent passwd {login}", check=False).code == 0


# In


def test_moor_ssh_just_works(
    site: Site, acme: Tenant, ada: Caller, host: Host, allocation: str, tmp_path: Path
) -> None:
    grant = let_in(acme, ada, allocation)

    ran = moor(site, ada, tmp_path, "ssh", allocation, "--", "id -un; id -u; hostname; pwd")

    assert ran.returncode == 0, ran.stderr
    login = grant["login"]
    assert ran.stdout.split() == [login, str(grant["uid"]), host.name, f"/home/{login}"]


def test_an_admin_without_a_grant_gets_one_and_becomes_root_with_sudo(
    site: Site, acme: Tenant, allocation: str, tmp_path: Path
) -> None:
    ran = moor(site, acme.admin, tmp_path, "ssh", allocation, "--sudo", "--", "sudo -n id -u")

    assert (ran.returncode, ran.stdout) == (0, "0\n"), ran.stderr


def test_a_member_without_a_grant_is_told_whom_to_ask(
    site: Site, ada: Caller, allocation: str, tmp_path: Path
) -> None:
    ran = moor(site, ada, tmp_path, "ssh", allocation, "--", "true")

    assert ran.returncode == 1
    assert "moor access grant" in ran.stderr


def test_without_sudo_nobody_becomes_root(visitor: Visitor) -> None:
    ran = run(visitor.ssh("sudo", "-n", "true"))

    assert ran.returncode != 0


def test_ports_are_forwarded_only_where_it_is_granted(
    acme: Tenant, site: Site, admin: Caller, allocation: str, tmp_path: Path, visitor: Visitor
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    granted = visit(acme, make_member(site, admin, acme), allocation, other, forwarding=True)
    to_itself = ("-W", "127.0.0.1:22")

    refused = run(visitor.ssh(options=to_itself))
    forwarded = run(granted.ssh(options=to_itself))

    assert refused.returncode != 0
    assert "SSH-2.0" not in refused.stdout
    assert "SSH-2.0" in forwarded.stdout, forwarded.stderr


def test_a_certificate_opens_no_other_account(
    acme: Tenant, site: Site, admin: Caller, allocation: str, visitor: Visitor
) -> None:
    other = let_in(acme, make_member(site, admin, acme), allocation, sudo=True)

    for login in (other["login"], "root"):
        line = visitor.ssh("true")
        stolen = [word.replace(f"{visitor.issued['login']}@", f"{login}@") for word in line]

        assert stolen != line
        assert run(stolen).returncode == 255


def test_the_host_s_own_words_about_a_login_come_back_as_evidence(
    acme: Tenant, allocation: str, visitor: Visitor
) -> None:
    assert visitor.enters().returncode == 0

    def said() -> list[dict[str, Any]]:
        found = acme.admin.get(f"/v1/allocations/{allocation}/evidence?limit=200")["items"]
        return [
            item["data"]
            for item in found
            if item["kind"] == "ssh.login" and item["data"]["login"] == visitor.issued["login"]
        ]

    wait_until(said, seconds=20)

    (told,) = said()
    assert told["key_id"] == visitor.issued["key_id"]
    assert int(told["serial"]) == visitor.issued["serial"]
    assert told["key_id"].startswith(f"{visitor.grant['id']} ")


def test_a_new_authority_signs_and_the_one_before_it_is_still_accepted(
    admin: Caller, acme: Tenant, allocation: str, visitor: Visitor, tmp_path: Path
) -> None:
    rotated = admin.post(
        "/v1/platform/ssh-authorities/rotate", {"reason": "A test needs another key."}
    )
    (new,) = [
        found
        for found in admin.get("/v1/platform/ssh-authorities")["items"]
        if found["id"] == rotated["id"]
    ]

    def signs() -> bool:
        other = visitor.caller.post(
            f"/v1/grants/{visitor.grant['id']}/certificates",
            {"public_key": (tmp_path / "id.pub").read_text()},
        )
        (tmp_path / "new-cert.pub").write_text(other["certificate"] + "\n")
        shown = run(["ssh-keygen", "-L", "-f", str(tmp_path / "new-cert.pub")], check=True)
        return new["fingerprint"] in shown.stdout

    wait_until(signs, seconds=20)

    old = visitor.enters()
    shutil.copy(tmp_path / "new-cert.pub", tmp_path / "id-cert.pub")
    assert (old.returncode, visitor.enters().returncode) == (0, 0), old.stderr


# Out


def test_a_stolen_certificate_opens_nothing_once_its_grant_has_ended(
    acme: Tenant, host: Host, visitor: Visitor
) -> None:
    assert visitor.enters().stdout == f"{visitor.issued['login']}\n"

    ended_at = time.monotonic()
    acme.admin.delete(f"/v1/grants/{visitor.grant['id']}")
    settled = acme.admin.get(f"/v1/grants/{visitor.grant['id']}?wait=10")
    took = time.monotonic() - ended_at

    assert settled["carried_out"], settled
    assert took < GONE_WITHIN
    refused = visitor.enters()
    assert refused.returncode == 255
    assert "Permission denied" in refused.stderr
    assert not has_account(host, visitor.issued["login"])


def test_a_session_a_shared_connection_and_what_was_left_running_end_with_the_grant(
    acme: Tenant, host: Host, visitor: Visitor, tmp_path: Path
) -> None:
    socket = tmp_path / "mux"
    shared = ("-M", "-S", str(socket), "-o", "ControlPersist=yes", "-N", "-f")
    run(visitor.ssh(options=shared), check=True)
    over = ("-S", str(socket))
    run(
        visitor.ssh("nohup setsid sh -c 'sleep 1000 & sleep 1001' >/dev/null 2>&1 </dev/null &"),
        check=True,
    )
    session = subprocess.Popen(
        visitor.ssh("echo in; sleep 1002", options=("-tt",)),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )
    assert session.stdout is not None
    assert b"in" in session.stdout.readline()
    assert run(visitor.ssh("true", options=over)).returncode == 0
    uid = visitor.grant["uid"]
    assert sum("sleep 100" in line for line in processes_of(host, uid)) >= 3

    ended_at = time.monotonic()
    acme.admin.delete(f"/v1/grants/{visitor.grant['id']}")
    session.wait(GONE_WITHIN)
    wait_until(lambda: not processes_of(host, uid), seconds=GONE_WITHIN)
    took = time.monotonic() - ended_at

    assert took < GONE_WITHIN
    session.stdout.close()
    assert run(visitor.ssh(options=(*over, "-O", "check"))).returncode != 0
    assert run(visitor.ssh("true", options=over)).returncode == 255


def test_what_was_started_with_sudo_ends_too(
    acme: Tenant, site: Site, admin: Caller, allocation: str, host: Host, tmp_path: Path
) -> None:
    root = visit(acme, make_member(site, admin, acme), allocation, tmp_path, sudo=True)
    run(
        root.ssh("sudo -n sh -c 'nohup sleep 2001 >/dev/null 2>&1 </dev/null &'"),
        check=True,
    )
    assert host.run("pgrep -x -f 'sleep 2001'", check=False).code == 0

    acme.admin.delete(f"/v1/grants/{root.grant['id']}")

    wait_until(
        lambda: host.run("pgrep -x -f 'sleep 2001'", check=False).code != 0, seconds=GONE_WITHIN
    )


def test_a_grant_whose_time_is_up_ends_like_any_other(
    site: Site, acme: Tenant, ada: Caller, allocation: str, host: Host
) -> None:
    grant = let_in(acme, ada, allocation)
    host.run(["systemd-run", "--quiet", f"--uid={grant['uid']}", "sleep", "4000"])
    assert processes_of(host, grant["uid"])

    with psycopg.connect(site.super_url, autocommit=True) as database:
        database.execute(
            "UPDATE access_grants SET expires_at = now() WHERE id = %s", (grant["id"],)
        )
    wait_until(lambda: not has_account(host, grant["login"]), seconds=GONE_WITHIN)

    assert processes_of(host, grant["uid"]) == []
    assert acme.admin.get(f"/v1/grants/{grant['id']}")["ended_because"] == "its time was up"


def test_a_leaver_is_gone(acme: Tenant, host: Host, visitor: Visitor) -> None:
    session = subprocess.Popen(
        visitor.ssh("echo in; sleep 3000"),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )
    assert session.stdout is not None
    session.stdout.readline()
    memberships = acme.admin.get(f"/v1/projects/{acme.project}/memberships?limit=200")["items"]
    (own,) = [held for held in memberships if held["user_id"] == visitor.grant["user_id"]]

    left_at = time.monotonic()
    acme.admin.delete(f"/v1/memberships/{own['id']}")
    session.wait(GONE_WITHIN)
    wait_until(lambda: not has_account(host, visitor.issued["login"]), seconds=GONE_WITHIN)
    took = time.monotonic() - left_at

    session.stdout.close()
    assert took < GONE_WITHIN
    assert visitor.enters().returncode == 255
    ended = acme.admin.get(f"/v1/grants/{visitor.grant['id']}")
    assert "no role in the project" in ended["ended_because"]


def test_who_stays_is_not_disturbed(
    acme: Tenant, site: Site, admin: Caller, allocation: str, visitor: Visitor, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    leaving = visit(acme, make_member(site, admin, acme), allocation, other)
    session = subprocess.Popen(
        visitor.ssh("echo in; sleep 6; echo still here"),
        stdout=subprocess.PIPE,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert session.stdout is not None
    session.stdout.readline()

    acme.admin.delete(f"/v1/grants/{leaving.grant['id']}")
    acme.admin.get(f"/v1/grants/{leaving.grant['id']}?wait=10")

    assert leaving.enters().returncode == 255
    assert session.stdout.read() == "still here\n"
    session.stdout.close()
    assert session.wait(10) == 0


def test_a_host_that_was_cut_off_catches_up_when_it_is_back(
    acme: Tenant, member: Member, admin: Caller, visitor: Visitor
) -> None:
    host = member.host
    host.cut()
    try:
        acme.admin.delete(f"/v1/grants/{visitor.grant['id']}")
        meanwhile = acme.admin.get(f"/v1/grants/{visitor.grant['id']}?wait=3")
    finally:
        host.mend_network()

    assert meanwhile["carried_out"] is False
    acme.admin.until(f"/v1/grants/{visitor.grant['id']}", lambda g: g["carried_out"], seconds=60)
    assert not has_account(host, visitor.issued["login"])
    assert visitor.enters().returncode == 255


def test_a_login_that_the_host_has_already_is_named(
    acme: Tenant, site: Site, admin: Caller, allocation: str, host: Host
) -> None:
    person = make_member(site, admin, acme)
    login = f"x{uuid.uuid4().hex[:8]}"
    wish = {"user": user_of(person), "login": login}
    acme.admin.post(f"/v1/orgs/{acme.org}/logins", wish)
    host.run(["useradd", "-m", login])
    try:
        grant = acme.admin.post(
            f"/v1/allocations/{allocation}/grants", {"user": user_of(person), "expires_in": 600}
        )
        settled = acme.admin.get(f"/v1/grants/{grant['id']}?wait=20")
    finally:
        host.run(["userdel", "-r", login], check=False)

    assert settled["carried_out"] is False
    assert shlex.quote(login) in settled["problem"]


# Without a grant


def test_people_live_where_an_app_asked_for_them_and_enter_only_by_a_grant(
    acme: Tenant, site: Site, admin: Caller, host: Host, allocation: str, tmp_path: Path
) -> None:
    operation = deploy_asking(site, acme, allocation, tmp_path)
    ada = make_member(site, admin, acme)
    login = login_of(acme, ada)
    wait_until(lambda: has_account(host, login), seconds=GONE_WITHIN)
    visitor = visit(acme, ada, allocation, tmp_path)
    host.run(f"systemd-run --unit job --uid {login} sleep 1003")
    assert visitor.enters().stdout == f"{login}\n"

    acme.admin.delete(f"/v1/grants/{visitor.grant['id']}")
    settled = acme.admin.get(f"/v1/grants/{visitor.grant['id']}?wait=10")

    assert settled["carried_out"], settled
    assert visitor.enters().returncode == 255
    assert has_account(host, login)
    assert any("sleep 1003" in line for line in processes_of(host, visitor.grant["uid"]))
    leave(acme, ada)
    wait_until(lambda: not has_account(host, login), seconds=GONE_WITHIN)
    assert processes_of(host, visitor.grant["uid"]) == []
    acme.admin.post(f"/v1/operations/{operation}/cancel", {"reason": "The test is over."})
    shop.ended(acme.admin, operation)
    admins = login_of(acme, acme.admin)
    wait_until(lambda: not has_account(host, admins), seconds=GONE_WITHIN)
    assert acme.admin.get(f"/v1/allocations/{allocation}")["dirty"] == []


def deploy_asking(site: Site, tenant: Tenant, allocation: str, place: Path) -> str:
    """The deployment of an instance that no controller takes up."""

    def cut(_: str, folder: Path) -> Path:
        folder.mkdir()
        (folder / "manifest.yaml").write_text(ASKING)
        return folder

    app = asyncio.run(shop.open_shop(site, tenant, cut, ["1.0.0"], place=place))
    shop.entitle(tenant, app)
    wish = {
        "name": "asking",
        "app": app.app,
        "operator": app.operator,
        "components": {"host": {"allocations": [allocation]}},
    }
    made = tenant.admin.post(f"/v1/projects/{tenant.project}/instances", wish)
    return made["last_operation"]["id"]


def login_of(tenant: Tenant, who: Caller) -> str:
    """The login that the platform has given somebody, once it has."""
    user, path = user_of(who), f"/v1/orgs/{tenant.org}/logins?limit=200"

    def theirs(page: dict[str, Any]) -> list[str]:
        return [each["login"] for each in page["items"] if each["user_id"] == user]

    (login,) = theirs(tenant.admin.until(path, theirs, seconds=GONE_WITHIN))
    return login


def leave(tenant: Tenant, who: Caller) -> None:
    user = user_of(who)
    found = tenant.admin.get(f"/v1/projects/{tenant.project}/memberships?limit=200")["items"]
    (theirs,) = [each["id"] for each in found if each["user_id"] == user]
    tenant.admin.delete(f"/v1/memberships/{theirs}")
