"""A wipe takes back what was done, and the residue says what is left."""

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.tests import debs, workbench
from agent.tests.remote import PLACE, Remote
from agent.tests.workbench import Workbench
from moorage_agent import baseline, changes, folders, processes, residue, snapshot, temporary, undo
from moorage_agent.commands import Completed
from moorage_agent.kinds import put
from moorage_agent.places import Places
from moorage_agent.processes import Process
from moorage_agent.verbs import baseline as baseline_verb
from moorage_lab import Host

REMOUNT = "mount -o remount,rw,bind / && touch /srv/escaped"
MANAGER = "org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager"
UNIT = "[Service]\nExecStart=/bin/sleep 2000\n[Install]\nWantedBy=multi-user.target\n"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A host's files, with one package, one user, one unit and one crontab."""
    root = tmp_path / "host"
    write(
        root / "var/lib/dpkg/status",
        "Package: base\nStatus: install ok installed\nVersion: 1\nArchitecture: all\n\n",
    )
    write(root / "etc/passwd", "root:x:0:0::/root:/bin/bash\nops:x:1000:1000::/home/ops:/bin/sh\n")
    write(root / "etc/group", "root:x:0:\n")
    write(root / "etc/cron.d/backup", "0 1 * * * root backup\n")
    write(root / "etc/systemd/system/site.service", "[Service]\n")
    write(root / "etc/sudoers", "root ALL=(ALL) ALL\n")
    (root / "etc/sudoers.d").mkdir()
    write(root / "root/.ssh/authorized_keys", "ssh-ed25519 AAAA ops\n")
    return root


def test_a_host_is_without_residue_as_long_as_nothing_happens(root: Path) -> None:
    before = snapshot.take(root)

    found = residue.compare(before, snapshot.take(root))

    assert {what: names for what, names in found.items() if names} == {}


def test_everything_beyond_other_than_or_short_of_the_baseline_is_named(root: Path) -> None:
    before = snapshot.take(root)
    write(
        root / "var/lib/dpkg/status",
        "Package: base\nStatus: install ok installed\nVersion: 2\n\n"
        "Package: extra\nStatus: install ok installed\nVersion: 7\n\n"
        "Package: rest\nStatus: deinstall ok config-files\nVersion: 3\n\n",
    )
    with open(root / "etc/passwd", "a") as file:
        file.write("eve:x:0:0::/home/eve:/bin/sh\n")
    write(root / "etc/cron.d/backup", "* * * * * root evil\n")
    (root / "etc/systemd/system/site.service").unlink()
    (root / "etc/systemd/system/multi-user.target.wants").mkdir()
    (root / "etc/systemd/system/multi-user.target.wants/x.service").symlink_to("/lib/x.service")
    write(root / "etc/sudoers.d/eve", "eve ALL=(ALL) ALL\n")
    write(root / "root/.ssh/authorized_keys", "ssh-ed25519 AAAA ops\nssh-ed25519 BBBB eve\n")
    write(root / "home/eve/x", "")
    write(root / "tmp/left", "")

    found = residue.compare(before, snapshot.take(root))

    assert found["packages"] == ["extra 7", "rest 3 (config-files)"]
    assert found["users"] == ["eve"]
    assert [name.partition(" (")[0] for name in found["cron"]] == ["/etc/cron.d/backup"]
    assert found["units"] == [
        "/etc/systemd/system/multi-user.target.wants/x.service",
        "/etc/systemd/system/site.service (gone)",
    ]
    assert found["sudoers"] == ["/etc/sudoers.d/eve"]
    assert len(found["authorized_keys"]) == 1
    assert found["homes"] == ["/home/eve"]
    assert found["temporary"] == ["/tmp/left"]


def test_the_agent_s_own_unit_is_no_residue(root: Path) -> None:
    before = snapshot.take(root)
    write(root / "etc/systemd/system/moorage-agent.service", "[Service]\n")
    wants = root / "etc/systemd/system/multi-user.target.wants"
    wants.mkdir()
    (wants / "moorage-agent.service").symlink_to("../moorage-agent.service")

    assert residue.compare(before, snapshot.take(root))["units"] == []


def test_a_baseline_is_taken_once(root: Path, tmp_path: Path) -> None:
    baseline.take(tmp_path, root=root)
    write(root / "etc/sudoers.d/eve", "eve ALL=(ALL) ALL\n")

    baseline.take(tmp_path, root=root)

    kept = baseline.find(tmp_path)
    assert kept is not None
    assert list(kept["sudoers"]) == ["/etc/sudoers"]


def test_what_an_earlier_holder_left_to_show_itself_later_is_no_part_of_the_host(
    root: Path, tmp_path: Path
) -> None:
    baseline.take(tmp_path, root=root)
    baseline.renew_for(tmp_path, "alc_1", root=root)
    write(root / "etc/cron.d/backdoor", "* * * * * root sh\n")
    write(root / "etc/sudoers.d/x", "x ALL=(ALL) ALL\n")
    write(root / "root/.ssh/authorized_keys", "ssh-ed25519 BBBB eve\n")

    baseline.renew_for(tmp_path, "alc_2", root=root)

    found = residue.find(tmp_path, root=root)
    assert found["cron"] == ["/etc/cron.d/backdoor"]
    assert found["sudoers"] == ["/etc/sudoers.d/x"]
    assert len(found["authorized_keys"]) == 1


def test_folders_that_came_with_a_holder_go_and_those_of_the_host_stay(
    root: Path, tmp_path: Path
) -> None:
    for name in ("etc/site", "var/log/site", "opt/site"):
        write(root / name / "file", "the site's")
    baseline.take(tmp_path, root=root)
    write(root / "srv/site", "between two holders")
    baseline.renew_for(tmp_path, "alc_1", root=root)
    for name in ("etc/app", "var/lib/app", "var/log/app", "opt/app", "srv/app"):
        write(root / name / "file", "the app's")
    write(root / "opt/tool", "")
    write(root / "var/log/rotated.1", "the host writes files there")
    write(root / "var/lib/news/file", "of a package that was updated meanwhile")
    write(root / "var/lib/dpkg/info/base.list", "/.\n/var/lib/news\n")
    before = baseline.find(tmp_path)
    assert before is not None
    named = residue.find(tmp_path, root=root)["folders"]

    removed = folders.clear(before["folders"], root=root)

    assert (
        named
        == removed
        == [*("/etc/app", "/opt/app", "/opt/tool", "/srv/app", "/var/lib/app", "/var/log/app")]
    )
    assert "folders" not in residue.find(tmp_path, root=root)
    kept = ("etc/site/file", "var/log/site/file", "opt/site/file", "srv/site")
    assert all((root / name).exists() for name in (*kept, "var/lib/news/file"))


def test_a_baseline_of_an_older_agent_says_nothing_of_folders(root: Path, tmp_path: Path) -> None:
    baseline.take(tmp_path, root=root)
    place = tmp_path / "baseline.json"
    kept = json.loads(place.read_text())
    del kept["picture"]["folders"]
    place.write_text(json.dumps(kept))

    assert "folders" not in residue.find(tmp_path, root=root)


def test_whoever_runs_the_host_takes_the_baseline_anew_and_reads_what_is_in_it(
    root: Path,
) -> None:
    places = Places(root)
    baseline.take(places.state, root=root)
    write(root / "etc/sudoers.d/site", "%ops ALL=(ALL) ALL\n")

    said = baseline_verb.take(places)
    again = baseline_verb.take(places)

    assert said == "Now part of the baseline: sudoers: /etc/sudoers.d/site."
    assert again == "The baseline is as it was."
    assert "sudoers" not in residue.find(places.state, root=root)


def test_the_baseline_of_a_host_is_not_taken_over_what_its_holder_did(root: Path) -> None:
    places = Places(root)
    baseline.take(places.state, root=root)
    changes.record(places.state, workbench.task("put", {}), what="file", name="/etc/x")
    write(root / "etc/sudoers.d/tenant", "eve ALL=(ALL) ALL\n")

    with pytest.raises(baseline_verb.Held):
        baseline_verb.take(places)

    assert residue.find(places.state, root=root)["sudoers"] == ["/etc/sudoers.d/tenant"]


def test_temporary_files_of_root_are_residue_only_after_a_wipe(tmp_path: Path) -> None:
    root, state = tmp_path / "host", tmp_path / "state"
    (root / "tmp").mkdir(parents=True)
    baseline.take(state, root=root)
    write(root / "tmp/left", "")

    looked, wiped = residue.find(state, root=root), residue.find(state, root=root, wiped=True)

    assert "temporary" not in looked
    assert wiped["temporary"] == ["/tmp/left"]


def process(pid: int, *, uid: int = 0, parent: int = 1, group: str = "", **other: Any) -> Process:
    fields: dict[str, Any] = {
        "login_uid": None,
        "sudo_uid": None,
        "title": "",
        "name": "x",
        **other,
    }
    return Process(pid=pid, parent=parent, uids=frozenset({uid}), group=group, **fields)


def test_a_person_s_processes_are_known_by_user_slice_login_connection_and_line() -> None:
    alice = 200001
    among = [
        process(10, uid=alice),
        process(11, group="0::/user.slice/user-200001.slice/session-4.scope"),
        process(12, group="1:name=systemd:/a/user-200001.slice\n0::/"),
        process(13, login_uid=alice),
        process(14, title="sshd-session: alice [priv]"),
        process(15, title="sshd: alice@pts/0"),
        process(16, parent=11),
        process(17, parent=16),
        process(18, sudo_uid=alice),
        process(20, group="0::/user.slice/user-2000011.slice/x"),
        process(21, title="sshd-session: alicex [priv]"),
        process(22, uid=1000, title="sshd-session: alice [priv]"),
        process(23, uid=200002),
        process(24, parent=23),
    ]

    found = processes.of_people({"alice": alice}, among)

    assert [one.pid for one in found["alice"]] == [*range(10, 19)]


def test_whoever_stays_keeps_what_services_run_and_nothing_by_which_they_came_in() -> None:
    alice, jobs = 200001, "0::/system.slice/jobs.service"
    among = [
        process(10, uid=alice, group="0::/user.slice/user-200001.slice/session-4.scope"),
        process(11, uid=alice, group="0::/system.slice/ssh.service"),
        process(12, uid=alice, group="0::/system.slice/cron.service"),
        process(13, uid=alice, group=jobs, login_uid=alice),
        process(14, title="sshd-session: alice [priv]", group=jobs),
        process(15, uid=alice, parent=14, group=jobs),
        process(16, uid=alice),
        process(17, uid=alice, group="0::/system.slice/a.scope/user.slice/user-200001.slice/x"),
        process(20, group=jobs),
        process(21, uid=alice, parent=20, group=jobs),
        process(22, uid=alice, parent=1, group="0::/system.slice/steps.scope/job_1/task_0"),
    ]

    staying = processes.of_people({"alice": alice}, among, staying={"alice"})
    leaving = processes.of_people({"alice": alice}, among)

    assert [one.pid for one in staying["alice"]] == [*range(10, 18)]
    assert [one.pid for one in leaving["alice"]] == [*range(10, 18), 21, 22]


def test_services_and_sessions_that_the_host_had_are_nobody_s_residue() -> None:
    before = {"units": {"/etc/systemd/system/site.service": ""}, "users": {"ops": "1000"}}
    among = [
        process(10, uid=1000, group="0::/user.slice/user-1000.slice/session-1.scope"),
        process(11, uid=1001, group="0::/system.slice/site.service"),
        process(12, uid=1000, group="0::/system.slice/other.service"),
        process(13, uid=200001, group="0::/user.slice/user-200001.slice/session-2.scope"),
        process(14, uid=65534, group="0::/system.slice/other.service"),
        process(15, uid=61300, group="0::/system.slice/dynamic.service"),
        process(16, uid=0, group="0::/system.slice/other.service"),
    ]

    found = residue.of_people(before, among)

    assert [one.pid for one in found] == [12, 13]


def test_temporary_folders_are_cleared_without_following_links(tmp_path: Path) -> None:
    write(tmp_path / "etc/precious", "keep")
    write(tmp_path / "tmp/a/b", "")
    write(tmp_path / "var/tmp/c", "")
    write(tmp_path / "tmp/systemd-private-1/x", "")
    (tmp_path / "tmp/link").symlink_to(tmp_path / "etc")
    (tmp_path / "tmp/a/link").symlink_to(tmp_path / "etc")

    removed = temporary.clear(tmp_path)

    assert removed == ["/tmp/a", "/tmp/link", "/var/tmp/c"]
    assert (tmp_path / "etc/precious").read_text() == "keep"
    assert temporary.things(tmp_path) == []


def test_files_go_and_come_back_as_they_were(tmp_path: Path, root: Path) -> None:
    work = Workbench(tmp_path / "agent")
    (root / "etc/sudoers").chmod(0o440)
    for path in ("/etc/sudoers", "/etc/app/conf", "/srv/a/b"):
        content = base64.b64encode(b"a tenant's").decode()
        given = {"path": path, "content": content, "mode": "0600", "parents": True}
        put.run(workbench.task("put", given), work, root=root)
    write(root / "srv/a/more", "not by a task")
    write(root / "srv/a/.moorage-tsk_7", "half a secret")

    removed = undo.everything(undo.Host(work.state, root=root))

    assert removed == {
        "files": ["/etc/app/conf", "/etc/sudoers", "/srv/a/b"],
        "folders": ["/etc/app"],
    }
    assert (root / "etc/sudoers").read_text() == "root ALL=(ALL) ALL\n"
    assert (root / "etc/sudoers").stat().st_mode & 0o777 == 0o440
    assert not (root / "etc/app").exists()
    assert [path.name for path in (root / "srv/a").iterdir()] == ["more"]
    assert changes.of_tenants(work.state) == []


def test_what_one_task_brought_and_another_took_away_is_nobodys_loss(
    tmp_path: Path, root: Path
) -> None:
    work = Workbench(tmp_path / "agent")
    steps: list[dict[str, str | None]] = [{"app": None, "lib": None}, {"app": "1", "lib": "1"}]
    for number, packages in enumerate(steps):
        task = workbench.task("packages", {}, id=f"tsk_{number}")
        changed = {"changed": {"packages": packages, "users": {}, "groups": {}}}
        changes.record(work.state, task, what="packages", name=task.id, before=changed)

    before = residue.find(work.state, root=root).get("packages", [])
    undo.everything(undo.Host(work.state, root=root))

    assert [line for line in before if "(was " in line] == []
    assert changes.of_tenants(work.state) == []


class Units:
    """systemd with one unit that runs and refuses to be stopped as long as its file says so."""

    def __init__(self, *, ends_with: str) -> None:
        self.ends_with = ends_with
        self.active, self.reloaded = True, False

    def __call__(
        self, argv: Sequence[str], *, stdin: bytes | None = None, timeout: float = 30
    ) -> Completed:
        self.reloaded = self.reloaded or "daemon-reload" in argv
        if self.ends_with in argv and ("kill" in argv or self.reloaded):
            self.active = False
        state = "active" if self.active else "inactive"
        if "show" in argv:
            load = "not-found" if self.reloaded else "loaded"
            said = f"LoadState={load}\nActiveState={state}\nSubState=x\nUnitFileState=static\n"
            return Completed(0, said)
        return Completed(4 if "stop" in argv and self.active else 0)


@pytest.mark.parametrize("word", ["kill", "stop"])
def test_a_unit_that_refuses_to_stop_is_killed_or_loses_its_file_first(
    tmp_path: Path, word: str
) -> None:
    before = {"active": False, "enabled": "", "loaded": False}
    changes.record(tmp_path, workbench.task("service", {}), what="unit", name="x", before=before)

    removed = undo.everything(undo.Host(tmp_path, tmp_path, Units(ends_with=word)))

    assert removed == {"units": ["x"]}
    assert changes.of_tenants(tmp_path) == []


def test_a_unit_that_outlives_the_wipe_stays_on_record_and_is_named(
    root: Path, tmp_path: Path
) -> None:
    before = {"active": False, "enabled": "", "loaded": False}
    baseline.take(tmp_path, root=root)
    changes.record(tmp_path, workbench.task("service", {}), what="unit", name="x", before=before)

    removed = undo.everything(undo.Host(tmp_path, root, Units(ends_with="never")))

    assert removed == {}
    assert residue.find(tmp_path, root=root)["units"] == ["x"]


def test_only_sessions_and_tasks_may_run_as_units_without_a_file(tmp_path: Path) -> None:
    for name in (
        *("moorage-keep.service", "session-x.service", "moorage-task-1.timer", "other.service"),
        *("moorage-task-tsk_1.service", "moorage-agent.service", "session-c1.scope"),
    ):
        write(tmp_path / "run/systemd/transient" / name, "")

    assert sorted(snapshot.transient_units(tmp_path)) == [
        *("moorage-keep.service", "moorage-task-1.timer", "other.service", "session-x.service")
    ]


# --- on a real host ------------------------------------------------------------------------------


@pytest.fixture
def remote(host: Host) -> Iterator[Remote]:
    remote = Remote.on(host)
    remote.baseline()
    yield remote
    host.run(
        "userdel -r mallory; rm -f /etc/cron.d/evil /root/site.conf /etc/sudoers.d/evil",
        check=False,
    )
    remote.forget()


def lived_in(remote: Remote, tmp_path: Path) -> None:
    """A tenant's life on the host, through tasks and as a person."""
    host = remote.host
    app = debs.build(tmp_path, "tiny-app", postinst="useradd --system tinyd")
    bundle = debs.bundle(app=app)
    remote.artifact(bundle)
    digest = f"sha256:{hashlib.sha256(bundle).hexdigest()}"
    told = remote.do("packages", {"digest": digest, "size": len(bundle)}, id="tsk_a")
    assert told.code is None, told
    host.run("systemctl start user@$(id -u tinyd)")  # as if it had run something as its user
    content = base64.b64encode(b"a tenant's").decode()
    for path in ("/root/site.conf", "/etc/tiny/app.conf"):
        given = {"path": path, "content": content, "parents": True}
        assert remote.do("put", given, id="tsk_b").changed
    unit = {"unit": "tiny.service", "content": UNIT, "state": "started", "enabled": True}
    assert remote.do("service", unit, id="tsk_c").changed
    people = [{"login": "alice", "uid": 200001, "principal": "grn_1", "sudo": True}]
    key = host.get("/etc/ssh/ssh_host_ed25519_key.pub").decode()
    assert remote.do("access-sync", {"authorities": [key], "people": people}).changed
    host.run("systemd-run --quiet --uid=alice --unit=alices sleep 2001")
    host.run("systemd-run --quiet --unit=moorage-task-tsk_x --slice=moorage.slice sleep 2002")
    host.run("systemd-run --quiet --unit=lurking sleep 2003")
    host.run("systemd-run --quiet --unit=later --on-calendar=yearly true")
    host.run(
        "mkdir -p /var/spool/cron/crontabs; echo '* * * * * true' >/var/spool/cron/crontabs/alice"
    )
    host.run("touch /tmp/a; chown alice /tmp/a; touch /var/tmp/b /dev/shm/c; ln -s /etc /tmp/d")
    host.run("su alice -c 'touch ~/notes'")


@pytest.mark.lab
def test_a_wipe_leaves_the_host_as_the_agent_found_it(remote: Remote, tmp_path: Path) -> None:
    host = remote.host
    host.put(b"the site's own", "/root/site.conf", mode=0o640)
    remote.baseline()
    lived_in(remote, tmp_path)
    seen = remote.do("probe", {"parts": ["residue"]}).result["residue"]

    told = remote.do("wipe")

    assert set(seen) >= {
        *("packages", "users", "groups", "units", "sudoers", "homes", "cron"),
        *("people", "processes", "files", "temporary"),
    }
    assert told.code is None
    assert told.changed is True
    assert told.result["residue"] == {}
    removed = told.result["removed"]
    assert removed["packages"] == ["tiny-app"]
    assert removed["people"] == ["alice"]
    assert removed["homes"] == ["/home/alice"]
    assert removed["files"] == [
        *("/etc/systemd/system/tiny.service", "/etc/tiny/app.conf", "/root/site.conf")
    ]
    assert removed["tasks"] == ["moorage-task-tsk_x.service"]
    assert {"lurking.service", "later.timer"} <= set(removed["transient_units"])
    assert removed["temporary"] == ["/dev/shm/c", "/tmp/a", "/tmp/d", "/var/tmp/b"]
    assert host.run("cat /root/site.conf; stat -c ' %a' /root/site.conf").stdout == (
        "the site's own 640\n"
    )
    assert host.run("pgrep -a sleep | grep -E ' 200[0-9]$'", check=False).stdout == ""
    assert host.run("systemctl is-system-running", check=False).stdout == "running\n"


@pytest.mark.lab
def test_a_second_wipe_finds_nothing_to_do(remote: Remote, tmp_path: Path) -> None:
    lived_in(remote, tmp_path)
    remote.do("wipe")

    told = remote.do("wipe")

    assert told.changed is False
    assert told.result == {"removed": {}, "residue": {}}


@pytest.mark.lab
def test_what_root_did_by_other_ways_is_left_and_named(remote: Remote) -> None:
    remote.host.run("mkdir -p /etc/cron.d")
    remote.baseline()
    remote.host.run("useradd --create-home --uid 3333 mallory")
    remote.host.run("echo '* * * * * root true' >/etc/cron.d/evil")

    told = remote.do("wipe")

    left = told.result["residue"]
    assert left["users"] == left["groups"] == ["mallory"]
    assert left["homes"] == ["/home/mallory"]
    assert left["cron"] == ["/etc/cron.d/evil"]


@pytest.mark.lab
def test_what_programs_wrote_beside_tasks_goes_and_what_was_there_stays(remote: Remote) -> None:
    host = remote.host
    host.run("mkdir -p /var/lib/site /srv/site; echo own | tee /var/lib/site/own /srv/site/own")
    remote.baseline()
    host.run("mkdir -p /var/lib/app/state /var/log/app /etc/app /opt/app /srv/site/app")
    host.run("touch /var/lib/app/state/jobs /var/log/app/log; ln -s /var/lib/site /opt/app/link")
    host.run("mkdir /srv/shared; mount --bind /var/lib/site /srv/shared")

    told = remote.do("wipe")

    assert told.result["residue"] == {}
    assert told.result["removed"]["folders"] == [
        *("/etc/app", "/opt/app", "/srv/shared", "/var/lib/app", "/var/log/app")
    ]
    there = host.run(
        "cat /var/lib/site/own /srv/site/own; ls /var/lib/app /srv/shared", check=False
    )
    assert there.stdout == "own\nown\n"
    host.run("rm -rf /var/lib/site /srv/site")


@pytest.mark.lab
def test_units_that_hide_or_refuse_to_stop_are_ended(remote: Remote) -> None:
    content = "[Unit]\nRefuseManualStop=yes\n[Service]\nExecStart=/bin/sleep 2005\nRestart=always\n"
    given = {"unit": "stubborn.service", "content": content, "state": "started"}
    assert remote.do("service", given).changed
    remote.host.run("systemd-run --quiet --unit=moorage-keep sleep 2006")

    told = remote.do("wipe")

    assert told.result["residue"] == {}
    assert told.result["removed"]["units"] == ["stubborn.service"]
    assert told.result["removed"]["transient_units"] == ["moorage-keep.service"]
    assert remote.host.run("pgrep -a sleep | grep -E ' 200[56]$'", check=False).stdout == ""


@pytest.mark.lab
def test_an_installation_that_was_cut_off_is_undone_too(remote: Remote, tmp_path: Path) -> None:
    bundle = debs.bundle(app=debs.build(tmp_path, "tiny-app", postinst="exit 1"))
    remote.artifact(bundle)
    digest = f"sha256:{hashlib.sha256(bundle).hexdigest()}"
    failed = remote.do("packages", {"digest": digest, "size": len(bundle)})

    told = remote.do("wipe")

    assert failed.code == "packages_failed"
    assert told.result["residue"] == {}
    assert told.result["removed"]["packages"] == ["tiny-app"]


@pytest.mark.lab
def test_a_package_of_the_host_that_a_task_moved_is_residue_until_it_is_back(
    remote: Remote, tmp_path: Path
) -> None:
    old, new = debs.build(tmp_path, "tiny-app", "1"), debs.build(tmp_path, "tiny-app", "2")
    remote.host.put(old, "/root/tiny.deb")
    remote.host.run("dpkg -i /root/tiny.deb")
    remote.baseline()
    bundle = debs.bundle(app=new)
    remote.artifact(bundle)
    digest = f"sha256:{hashlib.sha256(bundle).hexdigest()}"
    remote.do("packages", {"digest": digest, "size": len(bundle)})

    moved = [remote.do("wipe").result["residue"] for _ in range(2)]
    remote.host.run("dpkg -i /root/tiny.deb")
    back = remote.do("wipe").result["residue"]
    remote.host.run("dpkg --purge tiny-app; rm /root/tiny.deb")

    assert moved == [{"packages": ["tiny-app 2 (was 1)"]}] * 2
    assert back == {}


@pytest.mark.lab
def test_the_agent_s_own_files_and_units_survive_a_wipe(remote: Remote) -> None:
    before = remote.host.run(f"ls {PLACE}/code/moorage_agent").stdout
    remote.host.run("mkdir -p /run/moorage-agent/ready/a1 /run/moorage-agent/ready-b2")
    for name in ("a1", "b2", "c3"):
        remote.host.run(f"systemd-run --quiet --unit=moorage-task-ready-{name} sleep 2004")

    told = remote.do("wipe")

    assert told.result["removed"] == {"tasks": ["moorage-task-ready-c3.service"]}
    remote.host.run("systemctl stop moorage-task-ready-a1 moorage-task-ready-b2")
    remote.host.run("rm -r /run/moorage-agent/ready/a1 /run/moorage-agent/ready-b2")
    assert remote.host.run(f"ls {PLACE}/code/moorage_agent").stdout == before
    assert remote.host.run(f"ls {PLACE}/state").stdout.split() == ["baseline.json"]


@pytest.mark.lab
def test_a_probe_shows_the_host_and_changes_nothing(remote: Remote) -> None:
    parts = ["inventory", "residue", "services", "listening"]

    told = remote.do("probe", {"parts": parts})

    found = told.result
    assert found["inventory"]["hostname"] == remote.host.name
    assert found["inventory"]["os"]["id"] == "debian"
    assert found["inventory"]["virtualization"] == "systemd-nspawn"
    assert [nic["addresses"] for nic in found["inventory"]["nics"]] == [[str(remote.host.address)]]
    assert found["inventory"]["ssh_host_keys"]
    assert found["inventory"]["gpu_source"] == "none"
    assert found["residue"] == {}
    assert found["services"]["ssh.service"] == "active (running)"
    assert "tcp 0.0.0.0:22" in found["listening"]
    assert told.changed is None


@pytest.mark.lab
def test_a_read_only_command_cannot_write(remote: Remote) -> None:
    look = remote.do("probe", {"argv": ["cat", "/etc/hostname"]})
    touch = remote.do("probe", {"argv": ["touch", "/etc/x", "/var/x", "/root/x"]})

    assert look.outputs["stdout"].strip() == remote.host.name
    assert look.result == {"exit_code": 0}
    assert touch.code == "exit_nonzero"
    assert touch.outputs["stderr"].count("Read-only file system") == 3


@pytest.mark.lab
@pytest.mark.parametrize(
    "trick",
    [
        "systemd-run --quiet --wait touch /srv/escaped",
        "mount -o remount,rw / && touch /srv/escaped",
        REMOUNT,
        f"unshare --user --map-root-user --mount sh -c '{REMOUNT}'",
        f"busctl call {MANAGER} StartUnit ss escape.service replace",
    ],
)
def test_a_read_only_command_finds_nobody_to_write_for_it(remote: Remote, trick: str) -> None:
    unit = "[Service]\nType=oneshot\nExecStart=/bin/touch /srv/escaped\n"
    remote.host.run("cat >/run/systemd/system/escape.service", stdin=unit.encode())
    try:
        told = remote.do("probe", {"argv": ["sh", "-c", trick]})
        escaped = remote.host.run("ls /srv", check=False).stdout
    finally:
        remote.host.run("rm -f /srv/escaped /run/systemd/system/escape.service")

    assert told.code == "exit_nonzero"
    assert escaped == ""


@pytest.mark.lab
def test_a_full_disk_leaves_the_file_as_it_was(remote: Remote) -> None:
    remote.host.put(b"before", "/root/site.conf")
    content = base64.b64encode(b"x" * 100_000).decode()
    remote.host.fill_disk()
    try:
        told = remote.do("put", {"path": "/root/site.conf", "content": content})
    finally:
        remote.host.mend_disk()

    assert told.code == "disk_full"
    assert remote.host.get("/root/site.conf") == b"before"
    assert remote.host.run("ls -A /root | grep moorage", check=False).stdout == ""
