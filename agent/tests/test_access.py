"""People on a real host: in by certificate, and out with everything they have open."""

import shlex
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agent.tests.remote import Remote
from moorage_lab import Host

pytestmark = pytest.mark.lab

ALICE, BOB = 200001, 200002


@dataclass(frozen=True)
class Authority:
    """Signs the keys of people."""

    folder: Path
    host: Host

    @property
    def public(self) -> str:
        return self.folder.joinpath("ca.pub").read_text()

    def ssh(
        self, login: str, *, principal: str = "grn_1", options: tuple[str, ...] = ("clear",)
    ) -> list[str]:
        """The words to log in as somebody, with a new key and a certificate for it."""
        key = self.folder / f"{login}-{time.monotonic_ns()}"
        keygen("-t", "ed25519", "-N", "", "-f", str(key))
        allowed = [word for option in (*options, "permit-pty") for word in ("-O", option)]
        signing = ("-s", str(self.folder / "ca"), "-I", f"corr-1/{login}", "-n", principal)
        keygen(*signing, "-z", "77", "-V", "-5m:+5m", *allowed, f"{key}.pub")
        return [
            *("ssh", "-F", "none", "-i", str(key), "-o", "BatchMode=yes"),
            *("-o", "IdentitiesOnly=yes", "-o", "StrictHostKeyChecking=no"),
            *("-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR"),
            *("-o", "ConnectTimeout=10", "-l", login, str(self.host.address)),
        ]


def keygen(*words: str) -> None:
    subprocess.run(["ssh-keygen", "-q", *words], check=True, stdin=subprocess.DEVNULL)


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("authority")
    keygen("-t", "ed25519", "-N", "", "-f", str(folder / "ca"))
    return folder


@pytest.fixture
def remote(host: Host) -> Iterator[Remote]:
    remote = Remote.on(host)
    yield remote
    remote.do("access-sync", {"authorities": [], "people": []})
    host.run("rm -rf /home/alice /home/bob")
    remote.forget()


@pytest.fixture
def authority(keys: Path, host: Host) -> Authority:
    return Authority(keys, host)


def person(login: str = "alice", uid: int = ALICE, **other: Any) -> dict[str, Any]:
    return {
        "login": login,
        "uid": uid,
        "name": login.title(),
        "principal": "grn_1",
        "sudo": False,
        "forwarding": False,
        **other,
    }


def said(ssh: list[str], command: str) -> str:
    ended = subprocess.run([*ssh, command], capture_output=True, text=True, timeout=30, check=False)
    return ended.stdout.strip() or f"refused: {ended.stderr.strip()[:200]}"


def until(condition: Callable[[], bool], *, seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture
def sync(remote: Remote, authority: Authority) -> Callable[..., Any]:
    def sync(*people: dict[str, Any], **other: Any) -> Any:
        return remote.do(
            "access-sync", {"authorities": [authority.public], "people": list(people), **other}
        )

    return sync


def test_a_person_logs_in_with_a_certificate_to_an_account_of_their_own(
    sync: Callable[..., Any], authority: Authority, host: Host
) -> None:
    told = sync(person())

    assert (told.changed, told.result["present"]) == (True, ["alice"])
    question = "id -un; id -u; stat -c '%a %U' ~; echo $SHELL; sudo -n true || echo no sudo"
    answer = said(authority.ssh("alice"), question)
    assert answer.splitlines() == ["alice", str(ALICE), "700 alice", "/bin/bash", "no sudo"]
    assert host.run("passwd --status alice").stdout.split()[1] == "L"


def test_the_same_people_again_are_no_change(sync: Callable[..., Any], host: Host) -> None:
    sync(person(sudo=True), person("bob", BOB, forwarding=True))
    started = host.run("systemctl show -P ReloadResult -P ActiveEnterTimestamp ssh; ls -i /etc/ssh")

    told = sync(person(sudo=True), person("bob", BOB, forwarding=True))

    assert told.changed is False
    assert sorted(told.result["present"]) == ["alice", "bob"]
    again = host.run("systemctl show -P ReloadResult -P ActiveEnterTimestamp ssh; ls -i /etc/ssh")
    assert again.stdout == started.stdout


def test_another_grant_s_certificate_or_another_person_s_does_not_open_the_door(
    sync: Callable[..., Any], authority: Authority
) -> None:
    sync(person(), person("bob", BOB, principal="grn_2"))

    answers = [
        said(authority.ssh("alice", principal="grn_2"), "id -un"),
        said(authority.ssh("bob", principal="grn_1"), "id -un"),
        said(authority.ssh("root", principal="grn_1"), "id -un"),
        said(authority.ssh("bob", principal="grn_2"), "id -un"),
    ]

    assert [answer.split(":")[0] for answer in answers] == ["refused", "refused", "refused", "bob"]


def test_a_key_that_a_person_leaves_in_their_home_opens_nothing(
    sync: Callable[..., Any], authority: Authority
) -> None:
    sync(person())
    own = authority.ssh("alice")
    key = own[own.index("-i") + 1]
    public = Path(f"{key}.pub").read_text().strip()
    said(own, f"mkdir -m 700 .ssh; echo {shlex.quote(public)} > .ssh/authorized_keys; echo done")
    Path(f"{key}-cert.pub").unlink()

    answer = said(own, "id -un")

    assert answer.startswith("refused")


def can_forward(ssh: list[str]) -> bool:
    """Whether a connection through the host to its own SSH server gets an answer."""
    words = [*ssh[:-1], "-W", "127.0.0.1:22", ssh[-1]]
    ended = subprocess.run(words, capture_output=True, input=b"", timeout=30, check=False)
    return ended.stdout.startswith(b"SSH-2.0")


def test_ports_are_forwarded_only_where_the_grant_and_the_certificate_allow_it(
    sync: Callable[..., Any], authority: Authority
) -> None:
    sync(person(), person("bob", BOB, forwarding=True))
    allowing = ("clear", "permit-port-forwarding")

    found = {
        "alice, asking": can_forward(authority.ssh("alice", options=allowing)),
        "bob, not asking": can_forward(authority.ssh("bob")),
        "bob, asking": can_forward(authority.ssh("bob", options=allowing)),
    }

    assert found == {"alice, asking": False, "bob, not asking": False, "bob, asking": True}


def test_a_leaver_is_gone_with_everything_that_was_open(
    sync: Callable[..., Any], authority: Authority, host: Host, tmp_path: Path
) -> None:
    sync(person(sudo=True), person("bob", BOB))
    ssh, control = authority.ssh("alice"), str(tmp_path / "control")
    multiplexed = [*ssh[:-1], "-o", f"ControlPath={control}", ssh[-1]]
    master = subprocess.Popen([*multiplexed[:-1], "-N", "-M", multiplexed[-1]])
    session = subprocess.Popen([*ssh, "sleep 1001"])
    bobs = subprocess.Popen([*authority.ssh("bob"), "sleep 1005"])
    try:
        said(ssh, "nohup setsid sleep 1002 >/dev/null 2>&1 & echo started")
        said(ssh, "sudo -n nohup setsid sleep 1003 >/dev/null 2>&1 & sleep 0.3; echo started")
        said(
            ssh,
            "sudo -n setsid -f sh -c 'setsid sleep 1004 & exec sleep 1006' "
            ">/dev/null 2>&1; echo started",
        )
        assert until(lambda: said(multiplexed, "echo through the master") != "refused: ")
        wanted = [str(number) for number in range(1001, 1007)]
        assert until(lambda: sleepers(host) == wanted)

        began = time.monotonic()
        told = sync(person("bob", BOB))
        took = time.monotonic() - began

        assert took < 5
        assert told.result["removed"] == ["alice"]
        assert told.result["ended"]["alice"] >= 6
        assert told.result["homes"] == ["/home/alice"]
        assert sleepers(host) == ["1005"]
        assert (session.wait(2), master.wait(2)) == (255, 255)
        assert bobs.poll() is None
        assert said(ssh, "id -un").startswith("refused")
        assert host.run("getent passwd alice; ls -d /home/alice", check=False).stdout.split() == [
            "/home/alice"
        ]
        assert host.run("ps -eo user:20,uid | grep -cw 200001", check=False).stdout == "0\n"
        assert until(lambda: host.run("systemctl --failed --no-legend").stdout == "")
    finally:
        for process in (master, session, bobs):
            process.kill()
            process.wait()


def sleepers(host: Host) -> list[str]:
    """The arguments of every `sleep` of the tests."""
    lines = host.run("ps -eo args | grep -E '^sleep 10[0-9]+$' | sort -u", check=False).stdout
    return [line.split()[1] for line in lines.splitlines()]


@pytest.mark.parametrize(
    "less", [{"principal": "grn_9"}, {"sudo": False}, {"forwarding": False}], ids=str
)
def test_whoever_loses_a_right_loses_what_is_open_and_may_come_again(
    sync: Callable[..., Any], authority: Authority, less: dict[str, Any]
) -> None:
    full = person(sudo=True, forwarding=True)
    sync(full)
    session = subprocess.Popen([*authority.ssh("alice"), "sleep 1001"])
    try:
        assert until(lambda: "sleep" in said(authority.ssh("alice"), "pgrep -lu alice sleep"))

        told = sync({**full, **less})

        assert session.wait(5) == 255
        assert told.result["present"] == ["alice"]
        principal = less.get("principal", "grn_1")
        assert said(authority.ssh("alice", principal=principal), "id -un") == "alice"
    finally:
        session.kill()
        session.wait()


def test_whoever_keeps_the_account_alone_is_out_and_keeps_what_a_service_runs(
    sync: Callable[..., Any], authority: Authority, host: Host
) -> None:
    sync(person())
    ssh = authority.ssh("alice")
    said(ssh, "nohup setsid sleep 1001 >/dev/null 2>&1 & echo started")
    host.run("systemd-run --unit jobs --uid alice sh -c 'exec sleep 1002'")
    host.run("mkdir -p /var/spool/cron/crontabs && touch /var/spool/cron/crontabs/alice")
    try:
        assert until(lambda: sleepers(host) == ["1001", "1002"])

        told = sync(person(principal=[]))

        assert (told.code, told.result["present"]) == (None, ["alice"])
        assert sleepers(host) == ["1002"]
        assert host.run("id -u alice; ls /var/spool/cron/crontabs").stdout.split() == [str(ALICE)]
        assert said(ssh, "id -un").startswith("refused")
        sync()
        assert sleepers(host) == []
    finally:
        host.run("systemctl stop jobs; systemctl reset-failed jobs", check=False)


def test_whoever_comes_back_finds_their_home(
    sync: Callable[..., Any], authority: Authority
) -> None:
    sync(person())
    said(authority.ssh("alice"), "echo precious > notes; echo done")
    sync()

    sync(person())

    assert said(authority.ssh("alice"), "cat notes") == "precious"


def test_a_crontab_does_not_outlive_its_owner(sync: Callable[..., Any], host: Host) -> None:
    sync(person())
    host.run("mkdir -p /var/spool/cron/crontabs && touch /var/spool/cron/crontabs/alice")

    sync()

    assert host.run("ls /var/spool/cron/crontabs").stdout == ""


def test_accounts_of_the_host_are_never_taken_over(
    sync: Callable[..., Any], authority: Authority, host: Host
) -> None:
    host.run("useradd --uid 200777 --create-home bob && mkdir -m 700 /home/alice")
    try:
        told = sync(
            person(),
            person("bob", BOB, sudo=True),
            person("carol", 200777),
            person("root", 200005),
            person("dave", 200006),
        )

        assert told.code == "login_clash"
        assert sorted(told.result["clashes"]) == ["alice", "bob", "carol", "root"]
        assert told.result["present"] == ["dave"]
        assert said(authority.ssh("dave"), "id -u") == "200006"
        assert said(authority.ssh("bob"), "id -u").startswith("refused")
        assert "bob" in told.message
        assert "carol" in told.message
        rules = host.run("cat /etc/ssh/sshd_config.d/50-moorage.conf; ls /etc/sudoers.d").stdout
        assert "root" not in rules
        assert "bob" not in rules
    finally:
        host.run("userdel -r bob; rmdir /home/alice; rm -rf /home/dave", check=False)


def test_homes_where_root_is_nobody_are_left_to_whoever_serves_them(
    sync: Callable[..., Any], host: Host
) -> None:
    host.run("mount --bind /home /home && mount -o remount,bind,ro /home")
    try:
        told = sync(person())

        assert told.result["present"] == ["alice"]
        assert host.run("getent passwd alice").stdout.split(":")[5] == "/home/alice"
    finally:
        host.run("umount /home")


def test_settings_that_the_server_refuses_are_not_left_behind(
    sync: Callable[..., Any], host: Host
) -> None:
    host.put(b"NoSuchSetting yes\n", "/etc/ssh/sshd_config.d/99-broken.conf")
    try:
        told = sync(person())

        assert told.code == "sshd_refused"
        assert "99-broken.conf" in told.message
        assert host.run("ls /etc/ssh/sshd_config.d").stdout.split() == ["99-broken.conf"]
    finally:
        host.run("rm /etc/ssh/sshd_config.d/99-broken.conf")


def test_another_authority_of_the_site_is_a_conflict_with_a_sentence(
    sync: Callable[..., Any], host: Host
) -> None:
    host.put(b"TrustedUserCAKeys /etc/ssh/site-ca\n", "/etc/ssh/sshd_config.d/10-site.conf")
    try:
        told = sync(person())

        assert told.code == "sshd_conflict"
        assert host.run("ls /etc/ssh/sshd_config.d").stdout.split() == ["10-site.conf"]
    finally:
        host.run("rm /etc/ssh/sshd_config.d/10-site.conf")


def test_a_site_s_own_accounts_get_a_way_in_and_lose_it_and_stay(
    sync: Callable[..., Any], authority: Authority, host: Host
) -> None:
    host.run("useradd --uid 3001 --create-home --shell /bin/bash site.user")
    try:
        told = sync(
            {"login": "site.user", "principal": "grn_1", "sudo": True},
            {"login": "no.body", "principal": "grn_1"},
            users="external",
        )
        inside = said(authority.ssh("site.user"), "id -u; sudo -n id -u")
        left = sync(users="external")

        assert list(told.result["clashes"]) == ["no.body"]
        assert inside.splitlines() == ["3001", "0"]
        assert left.result["removed"] == ["site.user"]
        assert said(authority.ssh("site.user"), "id -u").startswith("refused")
        assert host.run("id -u site.user; ls /etc/sudoers.d").stdout.split() == ["3001", "README"]
    finally:
        host.run("userdel -r site.user", check=False)


def test_a_fork_bomb_does_not_get_away(
    sync: Callable[..., Any], authority: Authority, host: Host
) -> None:
    sync(person())
    bomb = "ulimit -u 300; f() { while :; do sleep 1002 & sleep 0.001; done; }; f & f & f & wait"
    session = subprocess.Popen(
        [*authority.ssh("alice"), f"setsid -f bash -c {shlex.quote(bomb)} >/dev/null 2>&1; cat"],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert until(lambda: sleepers(host) == ["1002"])

        told = sync()

        assert told.code is None
        assert sleepers(host) == []
    finally:
        session.kill()
        session.communicate()


@pytest.mark.parametrize(
    "wrong",
    [
        {"login": "../root"},
        {"login": "Alice"},
        {"login": "alice\nroot"},
        {"uid": 0},
        {"uid": 999},
        {"uid": None},
        {"principal": "a b"},
        {"principal": "no-pty,command=x y"},
    ],
    ids=str,
)
def test_words_that_could_say_more_in_a_system_s_file_are_refused(
    sync: Callable[..., Any], wrong: dict[str, Any]
) -> None:
    told = sync(person(**wrong))

    assert told.code == "input_invalid"
