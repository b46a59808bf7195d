"""The worker against a real sshd: same kinds of tasks, same ends, and every way to be kept out."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from core.tests.credentials import places
from core.tests.credentials.daemon import Daemon
from core.tests.credentials.places import put_wish, rotate
from core.tests.tasks.workplaces import Workplace
from moorage_core.credentials.sweeps import DropOldKeys, RunSshTasks


async def test_a_task_is_done_on_the_host(
    place: Workplace, credential: dict[str, Any], tmp_path: Path
) -> None:
    (task,) = await place.ask(put_wish(tmp_path / "file"))

    seen = await places.work(place)

    row = await place.row(task["id"])
    assert seen == {"done": 1}
    assert (row["status"], row["changed"], row["error_code"]) == ("succeeded", True, None)
    assert (tmp_path / "file").read_bytes() == b"hello\n"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640
    assert row["started_at"] is not None


async def test_doing_it_again_changes_nothing(
    place: Workplace, credential: dict[str, Any], tmp_path: Path
) -> None:
    await place.ask(put_wish(tmp_path / "file"))
    await places.work(place)

    (again,) = await place.ask(put_wish(tmp_path / "file", key="step/again"))
    await places.work(place)

    row = await place.row(again["id"])
    assert (row["status"], row["changed"]) == ("succeeded", False)


async def test_output_comes_back_whole(
    place: Workplace, credential: dict[str, Any], tmp_path: Path
) -> None:
    content = bytes(range(256)) * 2000
    (tmp_path / "file").write_bytes(content)
    (task,) = await place.ask(
        {"key": "step/get", "kind": "get", "input": {"path": str(tmp_path / "file")}}
    )

    await places.work(place)

    assert (await place.row(task["id"]))["status"] == "succeeded"
    assert await places.output(place, task["id"]) == content


async def test_the_agent_is_brought_once(
    place: Workplace, credential: dict[str, Any], host: Daemon, tmp_path: Path
) -> None:
    digest = place.site.platform.handout.agent_digest
    folder = host.place / "lib" / "moorage-agent" / "ssh"

    await place.ask(put_wish(tmp_path / "one"))
    await places.work(place)
    first = (folder / f"{digest}.pyz").stat().st_mtime_ns
    (folder / "an-older-one.pyz").write_bytes(b"old")
    await place.ask(put_wish(tmp_path / "two", key="step/two"))
    await places.work(place)

    assert (folder / f"{digest}.pyz").stat().st_mtime_ns == first
    (folder / f"{digest}.pyz").write_bytes(b"spoilt")
    await place.ask(put_wish(tmp_path / "three", key="step/three"))
    await places.work(place)
    assert host.files() == [f"{digest}.pyz"], "the spoilt one was replaced, the older one went"


async def test_a_secret_goes_to_the_host_alone(
    place: Workplace, credential: dict[str, Any], tmp_path: Path
) -> None:
    stored = await place.holder.post(
        f"/v1/operations/{place.operation}/secrets",
        {
            "name": "cluster",
            "purpose": "cluster_key",
            "value": "a planted secret",
        },
    )
    assert stored.status_code < 300, stored.text
    given = {"path": str(tmp_path / "key"), "content": {"$secret": "cluster"}}
    (task,) = await place.ask({"key": "step/key", "kind": "put", "input": given})

    await places.work(place)

    row = await place.row(task["id"])
    assert (row["status"], row["error_message"]) == ("succeeded", None)
    assert (tmp_path / "key").read_bytes() == b"a planted secret"
    assert "planted" not in str(row)


async def test_many_tasks_share_one_connection(
    place: Workplace, credential: dict[str, Any], tmp_path: Path
) -> None:
    wishes = [put_wish(tmp_path / f"file-{n}", key=f"step/{n}") for n in range(8)]
    asked = await place.ask(*wishes)

    seen = await places.work(place)

    assert seen == {"done": 1}
    ends = [(await place.row(task["id"]))["status"] for task in asked]
    assert ends == ["succeeded"] * 8


async def test_a_task_that_cannot_be_done_says_why(
    place: Workplace, credential: dict[str, Any]
) -> None:
    (task,) = await place.ask(put_wish(Path("/nowhere/at/all/file")))

    await places.work(place)

    row = await place.row(task["id"])
    assert row["status"] == "failed"
    assert row["error_code"]
    assert row["error_message"]


# Kept out


async def ended(place: Workplace, tmp_path: Path) -> tuple[str, str, str]:
    """How a task ends that is asked for now: status, code, message."""
    (task,) = await place.ask(put_wish(tmp_path / "never"))
    await places.work(place)
    row = await place.row(task["id"])
    assert not (tmp_path / "never").exists()
    return row["status"], row["error_code"], row["error_message"]


async def test_without_a_credential_nothing_is_done(place: Workplace, tmp_path: Path) -> None:
    status, code, _ = await ended(place, tmp_path)

    assert (status, code) == ("failed", "ssh_host_not_set")


async def test_without_a_confirmed_key_nothing_is_done(
    place: Workplace, host: Daemon, tmp_path: Path
) -> None:
    made = await places.make_credential(place)
    host.admit(made["public_key"])
    await places.set_host(place, made["id"])
    await places.scan(place)

    status, code, _ = await ended(place, tmp_path)

    assert (status, code) == ("failed", "host_not_confirmed")


async def test_a_host_with_a_weak_key_cannot_be_confirmed(place: Workplace, host: Daemon) -> None:
    host.change_host_key("ssh-rsa", key_size=1984)
    made = await places.make_credential(place)
    await places.set_host(place, made["id"])

    scanned = await places.scan(place)
    confirmed = await places.confirm(place, host.fingerprint)

    assert scanned.json()["code"] == "ssh_host_unreachable"
    assert "An RSA key of 1984 bits is too weak" in scanned.json()["detail"]
    assert confirmed.json()["code"] == "ssh_host_not_set"


async def test_a_changed_host_key_stops_everything_until_it_is_confirmed(
    place: Workplace, credential: dict[str, Any], host: Daemon, tmp_path: Path
) -> None:
    host.change_host_key()

    status, code, message = await ended(place, tmp_path)

    assert (status, code) == ("failed", "host_key_changed")
    assert "Nothing was sent" in message
    assert (await places.get_host(place))["problem"] == message
    scanned = (await places.scan(place)).json()
    assert scanned["offered_fingerprint"] == host.fingerprint != scanned["host_fingerprint"]
    await places.confirm(place, host.fingerprint)
    (task,) = await place.ask(put_wish(tmp_path / "file", key="step/after"))
    await places.work(place)
    assert (await place.row(task["id"]))["status"] == "succeeded"
    assert (await places.get_host(place))["problem"] is None


async def test_a_key_that_the_host_does_not_know_is_refused_there(
    place: Workplace, credential: dict[str, Any], host: Daemon, tmp_path: Path
) -> None:
    host.admit()

    status, code, _ = await ended(place, tmp_path)

    assert (status, code) == ("failed", "login_refused")


async def test_a_host_that_is_off_fails_the_task_at_once(
    place: Workplace, credential: dict[str, Any], host: Daemon, tmp_path: Path
) -> None:
    host.stop()

    status, code, message = await ended(place, tmp_path)

    assert (status, code) == ("failed", "host_unreachable")
    assert f"127.0.0.1 port {host.port} does not answer" in message


async def test_a_revoked_credential_opens_nothing(
    place: Workplace, credential: dict[str, Any], tmp_path: Path
) -> None:
    path = f"/v1/access-credentials/{credential['id']}/revoke"
    assert (await place.tenant.admin.post(path)).status_code == 200

    status, code, _ = await ended(place, tmp_path)

    assert (status, code) == ("failed", "credential_revoked")


async def test_a_host_without_python_is_told_apart(
    place: Workplace, credential: dict[str, Any], host: Daemon, tmp_path: Path
) -> None:
    host.hide_programs()

    status, code, message = await ended(place, tmp_path)

    assert (status, code) == ("failed", "python_missing")
    assert (await places.get_host(place))["problem"] == message


async def test_a_failed_way_in_does_not_use_a_secret_up(
    place: Workplace, credential: dict[str, Any], host: Daemon, tmp_path: Path
) -> None:
    await place.holder.post(
        f"/v1/operations/{place.operation}/secrets",
        {"name": "cluster", "purpose": "cluster_key", "generate": 32},
    )
    wish = {
        "key": "step/key",
        "kind": "put",
        "input": {"path": str(tmp_path / "key"), "content": {"$secret": "cluster"}},
    }
    host.admit()
    (first,) = await place.ask(wish)
    await places.work(place)
    host.admit(credential["public_key"])

    (second,) = await place.ask(wish | {"attempt": 2})
    await places.work(place)

    assert (await place.row(first["id"]))["error_code"] == "login_refused"
    assert (await place.row(second["id"]))["status"] == "succeeded"
    assert len((tmp_path / "key").read_bytes()) > 32


# Taken out


async def quarantine(place: Workplace) -> None:
    root = await place.site.actor("platform_admin")
    path, body = f"/v1/nodes/{place.node}/quarantine", {"reason": "something is wrong with it"}
    assert (await root.post(path, body)).status_code == 200


async def resume(place: Workplace) -> None:
    root = await place.site.actor("platform_admin")
    assert (await root.post(f"/v1/nodes/{place.node}/resume")).status_code == 200


async def test_on_a_node_that_was_taken_out_tasks_wait(
    place: Workplace, credential: dict[str, Any], tmp_path: Path
) -> None:
    (task,) = await place.ask(put_wish(tmp_path / "file"))
    await quarantine(place)

    seen = await places.work(place)

    assert seen == {}, "nobody goes there"
    assert (await place.row(task["id"]))["status"] == "queued"
    await resume(place)
    await places.work(place)
    assert (await place.row(task["id"]))["status"] == "succeeded"


async def test_who_lost_access_loses_it_on_a_node_that_was_taken_out(
    place: Workplace, credential: dict[str, Any], tmp_path: Path
) -> None:
    (task,) = await place.ask(put_wish(tmp_path / "file"))
    sync = await place.queue(
        reach="ssh", kind="access-sync", key="access/people", fence=1, input={}
    )
    await quarantine(place)

    await places.work(place)

    assert (await place.row(sync))["started_at"] is not None, "handed to the host"
    assert (await place.row(task["id"]))["status"] == "queued"
    assert not (tmp_path / "file").exists()


async def test_what_is_to_stop_stops_on_a_node_that_was_taken_out(
    place: Workplace, credential: dict[str, Any]
) -> None:
    sent = await place.queue(
        reach="ssh", kind="put", key="step/sent", status="sent", fence=1, input={}
    )
    await quarantine(place)
    stopped = await place.tenant.admin.post(f"/v1/tasks/{sent}/cancel")

    await places.work(place)

    assert stopped.status_code < 300, stopped.text
    assert (await place.row(sent))["status"] == "cancelled"


# Keys that change


async def test_during_the_overlap_either_key_opens_the_host(
    place: Workplace, credential: dict[str, Any], host: Daemon, tmp_path: Path
) -> None:
    changed = await rotate(place, credential, 1)
    (first,) = await place.ask(put_wish(tmp_path / "one"))
    await places.work(place)
    host.admit(changed["public_key"])

    (second,) = await place.ask(put_wish(tmp_path / "two", key="step/two"))
    await places.work(place)

    assert (await place.row(first["id"]))["status"] == "succeeded", "by the old key"
    assert (await place.row(second["id"]))["status"] == "succeeded", "by the new key"


async def test_after_the_overlap_the_old_key_is_gone(
    place: Workplace, credential: dict[str, Any], tmp_path: Path
) -> None:
    await rotate(place, credential, 1)
    await place.site.sql.execute(
        "UPDATE access_credentials SET previous_until = now() - interval '1 second' WHERE id = %s",
        (credential["id"],),
    )

    dropped = await DropOldKeys(place.site.platform).activate()
    status, code, _ = await ended(place, tmp_path)

    assert dropped == {"dropped": 1}
    assert (status, code) == ("failed", "login_refused")
    rows = await place.site.rows(
        "SELECT id FROM secrets WHERE project_id = %s", place.tenant.project.id
    )
    assert len(rows) == 1


# One process at a time


async def test_a_host_that_another_process_has_is_left_alone(
    place: Workplace, credential: dict[str, Any], tmp_path: Path
) -> None:
    await _held_by(place, "another", seconds=30)
    (task,) = await place.ask(put_wish(tmp_path / "file"))

    seen = await RunSshTasks(place.site.platform, linger=timedelta()).activate()

    assert seen == {"held_elsewhere": 1}
    assert (await place.row(task["id"]))["status"] == "queued"


async def test_what_a_dead_process_left_running_is_unknown_and_the_rest_is_done(
    place: Workplace, credential: dict[str, Any], tmp_path: Path
) -> None:
    await _held_by(place, "dead", seconds=-1)
    running = await place.queue(
        reach="ssh", kind="put", key="step/ran", status="running", fence=1, input={}
    )
    (queued,) = await place.ask(put_wish(tmp_path / "file"))

    await places.work(place)

    lost = await place.row(running)
    assert (lost["status"], lost["error_code"]) == ("unknown", "lost_on_node")
    assert (await place.row(queued["id"]))["status"] == "succeeded"
    workers = await place.site.rows(
        "SELECT worker FROM ssh_workers WHERE allocation_id = %s", place.allocation
    )
    assert workers == [], "let go"


async def _held_by(place: Workplace, worker: str, *, seconds: int) -> None:
    await place.site.sql.execute(
        "INSERT INTO ssh_workers (allocation_id, org_id, project_id, worker, held_until)"
        " VALUES (%s, %s, %s, %s, now() + make_interval(secs => %s))",
        (place.allocation, place.tenant.org.id, place.tenant.project.id, worker, seconds),
    )
