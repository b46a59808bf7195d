"""Packages and services on a real host."""

import hashlib
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.tests import debs
from agent.tests.remote import Remote, Told
from moorage_agent import bundles
from moorage_agent.commands import Completed
from moorage_agent.kinds import packages
from moorage_lab import Host

UNIT = "[Service]\nExecStart=/bin/sleep 1000\n[Install]\nWantedBy=multi-user.target\n"


@pytest.fixture
def remote(host: Host) -> Iterator[Remote]:
    remote = Remote.on(host)
    remote.baseline()
    yield remote
    host.run("dpkg --purge --force-depends tiny-app tiny-lib", check=False)
    host.run("systemctl disable --now tiny.service", check=False)
    host.run("rm -f /{etc,usr/lib}/systemd/system/tiny.service /etc/init.d/tiny")
    host.run("systemctl daemon-reload; systemctl reset-failed")
    remote.forget()


def ensure(remote: Remote, bundle: bytes | None = None, **given: Any) -> Told:
    if bundle is not None:
        remote.artifact(bundle)
        digest = f"sha256:{hashlib.sha256(bundle).hexdigest()}"
        given = {"digest": digest, "size": len(bundle), **given}
    return remote.do("packages", given)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("debs")
    return debs.bundle(
        app=debs.build(folder, "tiny-app", depends="tiny-lib (>= 2)"),
        lib=debs.build(folder, "tiny-lib", "2.1"),
        other=debs.build(folder, "tiny-other"),
    )


def test_what_is_missing_and_what_is_too_much_is_decided_from_the_list_of_packages() -> None:
    wish = packages.Wish({"a": None, "b": "2", "c": "1", "d": None}, ("e", "f"))
    now = {"a": "1", "b": "1", "c": "1", "d": "1 (config-files)", "e": "7"}

    assert packages.missing(wish, now) == ["b=2", "d"]
    assert packages.surplus(wish, now) == ["e"]


def test_what_a_run_changed_is_told_with_what_was_there_before() -> None:
    before = {"packages": {"a": "1", "b": "1", "c": "1"}}
    after = {"packages": {"a": "1", "b": "2", "d": "1"}}

    found = packages.difference(before, after)

    assert found == {"packages": {"b": "1", "c": "1", "d": None}}


@pytest.mark.lab
def test_a_bundle_is_installed_without_a_network_and_only_once(
    remote: Remote, bundle: bytes, host: Host
) -> None:
    first = ensure(remote, bundle, present=["tiny-app"])
    again = ensure(remote, bundle, present=["tiny-app"])

    assert (first.code, first.changed) == (None, True)
    assert first.result["installed"] == {"tiny-app": "1.0"}
    assert (again.changed, again.fetched) == (False, 0)
    shown = host.run("dpkg-query -W -f '${Package} ' 'tiny-*'").stdout
    assert shown == "tiny-app tiny-lib "
    assert "Setting up tiny-app" in first.outputs["stdout"]


@pytest.mark.lab
def test_a_bundle_without_names_is_installed_whole_and_not_fetched_again(
    remote: Remote, bundle: bytes, host: Host
) -> None:
    first = ensure(remote, bundle)
    again = ensure(remote, bundle)
    host.run("dpkg --purge tiny-other")
    mended = ensure(remote, bundle)

    assert sorted(first.result["installed"]) == ["tiny-app", "tiny-lib", "tiny-other"]
    assert [told.changed for told in (first, again, mended)] == [True, False, True]
    assert [told.fetched for told in (first, again, mended)] == [1, 0, 1]


STARTS = f"""
printf '{UNIT.encode("unicode_escape").decode()}' >/etc/systemd/system/tiny.service
systemctl --system daemon-reload
systemctl --system daemon-reload
systemctl is-enabled ssh.service
deb-systemd-invoke restart tiny.service
invoke-rc.d ssh restart
service ssh restart
systemctl try-restart ssh.service
systemctl start tiny.service
systemctl enable --now tiny.service
"""
"""What packages do when they are installed: some by name, some in the old way."""
READ = "journalctl --sync; journalctl --boot --output=cat _PID=1 | grep -c '^Reloading[.]'"
"""How often systemd has read all units anew."""


@pytest.mark.lab
@pytest.mark.parametrize(("start", "state", "times"), [(True, "active", 3), (False, "inactive", 1)])
def test_packages_start_what_they_bring_unless_they_are_not_to(
    remote: Remote, host: Host, tmp_path: Path, start: bool, state: str, times: int
) -> None:
    bundle = debs.bundle(app=debs.build(tmp_path, "tiny-app", postinst=STARTS))
    read = int(host.run(READ, check=False).stdout)

    told = ensure(remote, bundle, start=start)

    assert (told.code, told.changed) == (None, True)
    assert "enabled" in told.outputs["stdout"], "what they ask is answered"
    shown = host.run("systemctl show --property=LoadState,ActiveState tiny.service").stdout.split()
    assert shown == ["LoadState=loaded", f"ActiveState={state}"]
    assert int(host.run(READ).stdout) - read == times


@pytest.mark.lab
def test_a_version_is_changed_both_ways_and_a_package_is_removed(
    remote: Remote, tmp_path: Path
) -> None:
    both = debs.bundle(
        old=debs.build(tmp_path, "tiny-app", "1.0"), new=debs.build(tmp_path, "tiny-app", "1.5")
    )

    steps = [
        ensure(remote, both, present=["tiny-app"]).result["installed"],
        ensure(remote, both, present=["tiny-app=1.0"]).result["installed"],
        ensure(remote, both, present=["tiny-app=1.5"]).result["installed"],
        ensure(remote, absent=["tiny-app"]).result["removed"],
        ensure(remote, absent=["tiny-app"]).changed,
    ]

    assert steps == [
        {"tiny-app": "1.5"},
        {"tiny-app": "1.0"},
        {"tiny-app": "1.5"},
        ["tiny-app"],
        False,
    ]


@pytest.mark.lab
def test_what_cannot_be_had_is_said_and_nothing_is_changed(
    remote: Remote, bundle: bytes, host: Host
) -> None:
    before = host.run("dpkg-query -W").stdout

    refusals = [
        ensure(remote, bundle, present=["no-such-thing"]),
        ensure(remote, bundle, present=["tiny-app=9"]),
        ensure(remote, present=["no-such-thing"]),
        ensure(remote, b"no tar at all"),
        ensure(remote, bundle, digest=f"sha256:{'0' * 64}"),
        ensure(remote, present=["--purge"]),
    ]

    assert [told.code for told in refusals] == [
        "packages_unavailable",
        "packages_unavailable",
        "packages_unavailable",
        "bundle_invalid",
        "content_mismatch",
        "input_invalid",
    ]
    assert "no-such-thing" in refusals[0].message
    assert host.run("dpkg-query -W").stdout == before


@pytest.mark.lab
def test_a_held_lock_is_waited_for_within_the_task_s_time(
    remote: Remote, bundle: bytes, host: Host
) -> None:
    holder = (
        "import fcntl, time; lock = open('/var/lib/dpkg/lock-frontend', 'w'); "
        "fcntl.lockf(lock, fcntl.LOCK_EX); print('held', flush=True); time.sleep({})"
    )
    host.run(f'systemd-run --quiet --unit=holder python3 -c "{holder.format(2)}"')

    told = ensure(remote, bundle, present=["tiny-lib"])

    assert (told.code, told.changed) == (None, True)


@pytest.mark.lab
def test_an_installation_that_breaks_off_is_mended_by_the_next(
    remote: Remote, tmp_path: Path, host: Host
) -> None:
    broken = debs.build(tmp_path, "tiny-app", postinst="test -e /run/mended")
    bundle = debs.bundle(app=broken)

    first = ensure(remote, bundle)
    host.run("touch /run/mended")
    second = ensure(remote, bundle)

    assert first.code == "packages_failed"
    assert (second.code, second.changed) == (None, True)
    assert second.result["installed"] == {"tiny-app": "1.0"}


def test_packages_are_read_without_a_program_for_each(tmp_path: Path) -> None:
    file = tmp_path / "tiny.deb"
    file.write_bytes(debs.build(tmp_path, "tiny-app", "1:2.0", depends="tiny-lib (>= 2)"))
    asked = subprocess.run(["dpkg-deb", "--field", file], check=True, capture_output=True).stdout

    assert bundles.read_control(file) == asked.decode().rstrip()


def test_a_package_that_cannot_be_read_here_is_left_to_dpkg(tmp_path: Path) -> None:
    file = tmp_path / "tiny.deb"
    file.write_bytes(debs.build(tmp_path, "tiny-app")[:150])

    def dpkg(argv: Sequence[str], **_: object) -> Completed:
        return Completed(0, stdout="Package: tiny-app\nVersion: 9\n")

    found = bundles.describe(file, run=dpkg)

    assert (found.name, found.version) == ("tiny-app", "9")


@pytest.mark.lab
def test_a_service_is_put_started_enabled_and_left_alone(remote: Remote) -> None:
    wish = {"unit": "tiny.service", "content": UNIT, "state": "started", "enabled": True}

    first = remote.do("service", wish)
    again = remote.do("service", wish)
    restarted = remote.do("service", {**wish, "state": "restarted"})
    stopped = remote.do("service", {"unit": "tiny.service", "state": "stopped", "enabled": False})

    assert [told.changed for told in (first, again, restarted, stopped)] == [
        *(True, False, True, True)
    ]
    assert first.result == {
        "changed": True,
        "active_state": "active",
        "sub_state": "running",
        "enabled": True,
    }
    assert (stopped.result["active_state"], stopped.result["enabled"]) == ("inactive", False)


@pytest.mark.lab
def test_a_unit_file_counts_from_when_it_was_written(remote: Remote, host: Host) -> None:
    wish = {"unit": "tiny.service", "content": UNIT, "state": "started"}
    remote.do("service", wish)
    other = UNIT.replace("[Service]", "[Service]\nEnvironment=WORD=new", 1)

    changed = remote.do("service", {**wish, "content": other, "state": "restarted"})

    assert changed.changed
    asked = "systemctl show --property=Environment,NeedDaemonReload tiny.service"
    assert sorted(host.run(asked).stdout.split()) == ["Environment=WORD=new", "NeedDaemonReload=no"]


@pytest.mark.lab
def test_a_unit_file_that_systemd_was_not_told_of_is_read(remote: Remote, host: Host) -> None:
    wish = {"unit": "tiny.service", "content": UNIT, "state": "started"}
    remote.do("service", wish)
    other = UNIT.replace("[Service]", "[Service]\nEnvironment=WORD=new", 1)
    host.put(other.encode(), "/etc/systemd/system/tiny.service")

    again = remote.do("service", {**wish, "content": other, "state": "restarted"})

    assert again.changed
    shown = host.run("systemctl show --property=Environment tiny.service").stdout
    assert shown.strip() == "Environment=WORD=new"


@pytest.mark.lab
def test_a_unit_file_in_the_place_of_a_packages_is_read(remote: Remote, host: Host) -> None:
    host.put(UNIT.encode(), "/usr/lib/systemd/system/tiny.service")
    host.run("systemctl daemon-reload && systemctl start tiny")
    other = UNIT.replace("[Service]", "[Service]\nEnvironment=WORD=new", 1)
    host.put(other.encode(), "/etc/systemd/system/tiny.service")

    remote.do("service", {"unit": "tiny.service", "content": other, "state": "restarted"})

    shown = host.run("systemctl show --property=Environment tiny.service").stdout
    assert shown.strip() == "Environment=WORD=new"


@pytest.mark.lab
def test_a_service_with_a_script_of_an_older_kind_does_not_start_with_the_host(
    remote: Remote, host: Host
) -> None:
    script = b"#!/bin/sh\n### BEGIN INIT INFO\n# Provides: tiny\n# Required-Start:\n"
    script += b"# Required-Stop:\n# Default-Start: 2 3 4 5\n# Default-Stop:\n### END INIT INFO\n"
    host.put(script, "/etc/init.d/tiny", mode=0o755)
    remote.do("service", {"unit": "tiny.service", "content": UNIT, "enabled": True})

    told = remote.do("service", {"unit": "tiny.service", "enabled": False})

    assert (told.changed, told.result["enabled"]) == (True, False)
    assert host.run("systemctl is-enabled tiny.service", check=False).stdout.strip() == "disabled"
    wanted = host.run("systemctl show --property=WantedBy tiny.service").stdout.strip()
    assert wanted == "WantedBy="


@pytest.mark.lab
def test_a_service_that_does_not_start_is_told_with_its_last_words(remote: Remote) -> None:
    unit = "[Service]\nType=oneshot\nExecStart=/bin/sh -c 'echo the disk is blue; exit 3'\n"

    told = remote.do("service", {"unit": "tiny.service", "content": unit, "state": "started"})

    assert told.code == "service_failed"
    assert told.result["active_state"] == "failed"
    assert "the disk is blue" in told.outputs["stderr"]


@pytest.mark.lab
@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"unit": "no-such.service", "state": "started"}, "unit_missing"),
        ({"unit": "moorage-agent.service", "state": "stopped"}, "unit_protected"),
        ({"unit": "--all.service/../x", "state": "stopped"}, "input_invalid"),
        ({"unit": "tiny.service", "state": "jumping"}, "input_invalid"),
        ({"unit": "tiny.service", "content": "nonsense", "state": "started"}, "unit_invalid"),
        ({"unit": "dbus.service", "enabled": True}, "unit_invalid"),
    ],
    ids=str,
)
def test_units_that_cannot_be_moved_are_refused(
    remote: Remote, given: dict[str, Any], code: str
) -> None:
    assert remote.do("service", given).code == code
