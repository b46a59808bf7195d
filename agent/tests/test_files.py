"""`put` and `get`: whole files, no traps, nothing half-written."""

import base64
import errno
import hashlib
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.tests import workbench
from agent.tests.workbench import Workbench
from moorage_agent import changes
from moorage_agent.kinds import get, put
from moorage_agent.tasks import Failed, Outcome


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The host's files."""
    (tmp_path / "host/etc").mkdir(parents=True)
    return tmp_path / "host"


@pytest.fixture
def work(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path / "agent")


def run_put(work: Workbench, root: Path, path: str, content: bytes, **given: Any) -> Outcome:
    told = {"path": path, "content": base64.b64encode(content).decode(), **given}
    return put.run(workbench.task("put", told), work, root=root)


def run_get(work: Workbench, root: Path, path: str, **given: Any) -> Outcome:
    return get.run(workbench.task("get", {"path": path, **given}), work, root=root)


def digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_file_is_put_with_its_mode_and_its_digest(work: Workbench, root: Path) -> None:
    outcome = run_put(work, root, "/etc/motd", b"hello\n", mode="0640")

    assert outcome.changed is True
    assert outcome.result["digest"] == digest(b"hello\n")
    assert (root / "etc/motd").read_bytes() == b"hello\n"
    assert stat.S_IMODE((root / "etc/motd").stat().st_mode) == 0o640
    assert names(root / "etc") == ["motd"]


def test_the_same_file_again_is_no_change(work: Workbench, root: Path) -> None:
    run_put(work, root, "/etc/motd", b"hello\n", mode="0640")
    first = (root / "etc/motd").stat()

    outcome = run_put(work, root, "/etc/motd", b"hello\n", mode="0640")

    assert outcome.changed is False
    assert (root / "etc/motd").stat().st_ino == first.st_ino


@pytest.mark.parametrize(
    ("content", "mode"), [(b"hello!\n", "0640"), (b"hellO\n", "0640"), (b"hello\n", "0600")]
)
def test_another_content_or_mode_is_a_change(
    work: Workbench, root: Path, content: bytes, mode: str
) -> None:
    run_put(work, root, "/etc/motd", b"hello\n", mode="0640")

    outcome = run_put(work, root, "/etc/motd", content, mode=mode)

    assert outcome.changed is True
    assert (root / "etc/motd").read_bytes() == content


def test_what_is_not_said_stays_as_it_is(work: Workbench, root: Path) -> None:
    run_put(work, root, "/etc/motd", b"hello\n", mode="0600")

    run_put(work, root, "/etc/motd", b"bye\n")

    assert stat.S_IMODE((root / "etc/motd").stat().st_mode) == 0o600


def test_missing_folders_are_made_only_when_asked_for(work: Workbench, root: Path) -> None:
    with pytest.raises(Failed) as refused:
        run_put(work, root, "/etc/app/conf.d/a", b"x")
    run_put(work, root, "/etc/app/conf.d/a", b"x", parents=True)

    assert refused.value.code == "path_missing"
    assert (root / "etc/app/conf.d/a").read_bytes() == b"x"
    made = {change.name for change in changes.of_tenants(work.state) if change.what == "folder"}
    assert made == {"/etc/app", "/etc/app/conf.d"}


def test_folders_that_are_made_can_be_entered_whatever_the_agents_own_mask(
    work: Workbench, root: Path
) -> None:
    (root / "etc/closed").mkdir(mode=0o700)
    mask = os.umask(0o077)
    try:
        run_put(work, root, "/etc/app/conf.d/a", b"x", parents=True)
        run_put(work, root, "/etc/closed/deep/a", b"x", parents=True)
    finally:
        os.umask(mask)

    made = ("app", "app/conf.d", "closed/deep")
    assert [stat.S_IMODE((root / "etc" / one).stat().st_mode) for one in made] == [0o755] * 3
    assert stat.S_IMODE((root / "etc/closed").stat().st_mode) == 0o700, "it was there already"


def test_a_link_at_the_end_is_never_followed(work: Workbench, root: Path) -> None:
    (root / "etc/shadow").write_text("precious")
    (root / "etc/motd").symlink_to("shadow")

    with pytest.raises(Failed) as refused:
        run_put(work, root, "/etc/motd", b"x")

    assert refused.value.code == "path_is_symlink"
    assert (root / "etc/shadow").read_text() == "precious"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give a link to somebody else")
def test_a_link_on_the_way_that_somebody_else_owns_is_refused(work: Workbench, root: Path) -> None:
    (root / "home/eve").mkdir(parents=True)
    (root / "home/eve/conf").symlink_to("/etc")
    os.chown(root / "home/eve/conf", 1234, 1234, follow_symlinks=False)

    with pytest.raises(Failed) as refused:
        run_put(work, root, "/home/eve/conf/cron", b"x")

    assert refused.value.code == "path_is_symlink"
    assert names(root / "etc") == []


def test_a_link_of_root_in_a_folder_that_others_can_write_is_refused(
    work: Workbench, root: Path
) -> None:
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o1777)
    (root / "tmp/conf").symlink_to("/etc")

    with pytest.raises(Failed) as refused:
        run_put(work, root, "/tmp/conf/cron", b"x")

    assert refused.value.code == "path_is_symlink"


@pytest.mark.parametrize("target", ["/run", "../run", "/run/../run/."])
def test_a_link_of_the_system_is_followed(work: Workbench, root: Path, target: str) -> None:
    (root / "run/lock").mkdir(parents=True)
    (root / "var").mkdir()
    (root / "var/run").symlink_to(target)

    run_put(work, root, "/var/run/lock/a", b"x")

    assert (root / "run/lock/a").read_bytes() == b"x"


def test_links_in_a_circle_end(work: Workbench, root: Path) -> None:
    (root / "etc/a").symlink_to("b")
    (root / "etc/b").symlink_to("a")

    with pytest.raises(Failed) as refused:
        run_put(work, root, "/etc/a/file", b"x")

    assert refused.value.code == "path_invalid"


@pytest.mark.parametrize("path", ["etc/motd", "/etc/../motd", "/", "/etc/", "/etc/motd/x"])
def test_a_path_that_leads_nowhere_is_refused(work: Workbench, root: Path, path: str) -> None:
    (root / "etc/motd").write_text("a file")

    with pytest.raises(Failed) as refused:
        run_put(work, root, path, b"x")

    assert refused.value.code == "path_invalid"


def test_a_folder_or_a_socket_is_not_replaced(work: Workbench, root: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(root / "s"))

        codes = [refusal(run_put, work, root, path, b"x") for path in ("/etc", "/s")]

    assert codes == ["path_is_folder", "path_is_special"]


def refusal(act: Any, *arguments: Any, **given: Any) -> str:
    with pytest.raises(Failed) as refused:
        act(*arguments, **given)
    return refused.value.code


def test_an_artifact_is_held_against_its_digest(tmp_path: Path, root: Path) -> None:
    work = Workbench(tmp_path / "agent", artifact=[b"one", b"two"])
    right = {"path": "/etc/a", "digest": digest(b"onetwo"), "size": 6}

    wrong = refusal(put.run, workbench.task("put", {**right, "digest": "0" * 64}), work, root=root)
    left = names(root / "etc")
    first = put.run(workbench.task("put", right), work, root=root)
    again = put.run(workbench.task("put", right), work, root=root)

    assert (wrong, left) == ("content_mismatch", [])
    assert (root / "etc/a").read_bytes() == b"onetwo"
    assert (first.changed, again.changed, work.fetched) == (True, False, 2)


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, root: Path) -> None:
    class Full(Workbench):
        """The disk is full after the first piece."""

        def content(self) -> Iterator[bytes]:
            yield b"half"
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    work = Full(tmp_path / "agent")
    (root / "etc/a").write_text("before")

    code = refusal(
        put.run, workbench.task("put", {"path": "/etc/a", "digest": "0" * 64}), work, root=root
    )

    assert code == "disk_full"
    assert names(root / "etc") == ["a"]
    assert (root / "etc/a").read_text() == "before"


def test_a_cancelled_put_leaves_nothing(work: Workbench, root: Path) -> None:
    work.cancelled.set()

    code = refusal(run_put, work, root, "/etc/a", b"x")

    assert code == "cancelled"
    assert names(root / "etc") == []


def test_a_secret_without_a_mode_is_for_its_owner_alone(tmp_path: Path, root: Path) -> None:
    work = Workbench(tmp_path / "agent", secrets={"KEY": b"1234"})
    (root / "etc/old").write_bytes(b"for all")
    (root / "etc/old").chmod(0o644)

    for name in ("new", "old"):
        given = {"path": f"/etc/{name}", "content": {"$secret": "KEY"}}
        put.run(workbench.task("put", given), work, root=root)

    modes = [stat.S_IMODE((root / "etc" / name).stat().st_mode) for name in ("new", "old")]
    assert modes == [0o600, 0o600]


def test_a_secret_is_put_and_told_to_nobody(tmp_path: Path, root: Path) -> None:
    work = Workbench(tmp_path / "agent", secrets={"KEY": b"1234"})
    given = {"path": "/etc/key", "content": {"$secret": "KEY"}, "mode": "0400"}

    first = put.run(workbench.task("put", given), work, root=root)
    work.secrets["KEY"] = b"5678"
    put.run(workbench.task("put", given), work, root=root)

    assert (root / "etc/key").read_bytes() == b"5678"
    assert first.result == {"changed": True, "digest": None}
    kept = b"".join(path.read_bytes() for path in work.state.rglob("*") if path.is_file())
    assert b"1234" not in kept
    assert hashlib.sha256(b"1234").hexdigest().encode() not in kept


def test_what_was_there_before_is_kept_once(work: Workbench, root: Path) -> None:
    (root / "etc/motd").write_text("the site's own")

    run_put(work, root, "/etc/motd", b"first")
    run_put(work, root, "/etc/motd", b"second")

    (change,) = changes.of_tenants(work.state)
    assert changes.original(work.state, change) == b"the site's own"


def test_what_the_platform_does_for_itself_is_no_tenant_s_change(
    work: Workbench, root: Path
) -> None:
    given = {"path": "/etc/a", "content": ""}

    put.run(workbench.task("put", given, allocation_id=None), work, root=root)

    assert changes.of_tenants(work.state) == []
    assert (root / "etc/a").read_bytes() == b""


def test_an_owner_that_the_host_does_not_have_is_named(work: Workbench, root: Path) -> None:
    code = refusal(run_put, work, root, "/etc/a", b"x", owner="no-such-user")

    assert code == "owner_missing"
    assert names(root / "etc") == []


def test_a_file_is_read_with_what_is_known_of_it(work: Workbench, root: Path) -> None:
    (root / "etc/a").write_bytes(b"x" * 700_000)
    (root / "etc/a").chmod(0o604)

    outcome = run_get(work, root, "/etc/a")

    assert work.outputs["content"] == b"x" * 700_000
    assert outcome.result["size"] == 700_000
    assert outcome.result["digest"] == digest(b"x" * 700_000)
    assert outcome.result["mode"] == "0604"
    assert outcome.changed is None


def test_a_file_over_the_limit_is_not_sent_at_all(work: Workbench, root: Path) -> None:
    (root / "etc/a").write_bytes(b"x" * 11)

    code = refusal(run_get, work, root, "/etc/a", limit=10)

    assert (code, work.outputs) == ("too_large", {})


def test_links_pipes_folders_and_nothing_are_not_read(work: Workbench, root: Path) -> None:
    (root / "etc/a").symlink_to("b")
    os.mkfifo(root / "etc/pipe")

    paths = ("/etc/a", "/etc/pipe", "/etc", "/etc/none")
    codes = [refusal(run_get, work, root, path) for path in paths]

    assert codes == ["path_is_symlink", "path_is_special", "path_is_folder", "path_missing"]
