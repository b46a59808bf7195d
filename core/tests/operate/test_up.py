"""`moor up`, as real processes: starts, stops, crashes, refusals."""

import contextlib
import os
import signal
import socket
import ssl
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import httpx2
import psycopg
import pytest

from core.tests.embedded import places
from core.tests.operate import conftest, runs
from moorage_core.embedded import authority, cluster, folder, postgres, tls
from moorage_core.migrations import run as migrations
from moorage_core.operate import serving, up
from moorage_core.settings import ServerSettings, Settings


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody else shares with whoever asks for sharing, as Granian does."""
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def database_process(data: Path) -> int | None:
    return cluster.find_process(folder.prepare(data))


def test_a_first_start_shows_the_admin_and_a_second_does_not(place: Path, port: int) -> None:
    with runs.started(place / "data", port=port) as first:
        ready = first.wait_for("ready")
        assert f"http://127.0.0.1:{port}" in ready
        assert first.get() == 200
        settings = place / "data" / "run" / "settings.json"
        assert stat.S_IMODE(settings.stat().st_mode) == 0o600
        assert "moorage_owner" not in settings.read_text()
        assert first.stop() == 0
        assert not settings.exists()

    with runs.started(place / "data", port=port) as second:
        second.wait_for("ready")
        assert second.stop(signal.SIGINT) == 0

    assert "First admin   admin@localhost" in first.said
    assert "First admin" not in second.said
    assert first.lines[-1] == second.lines[-1] == "Stopped.\n"
    assert database_process(place / "data") is None


def test_whoever_waits_is_sent_home_when_the_server_stops(place: Path, port: int) -> None:
    with runs.started(place / "data", port=port) as run:
        run.wait_for("ready")
        url = f"http://127.0.0.1:{port}"
        password = next(line for line in run.lines if line.startswith("Password")).split()[1]
        login = {"email": "admin@localhost", "password": password}
        with httpx2.Client(base_url=url, timeout=60) as client, ThreadPoolExecutor() as hands:
            assert client.post("/v1/auth/login", json=login).status_code == 200
            waits = {"after": "latest", "wait": "55", "type": "infra.node.retired"}
            waiting = hands.submit(client.get, "/v1/events", params=waits)
            while "moorage_waiting_requests 1.0" not in client.get("/metrics").text:
                pass
            code = run.stop()
            answer = waiting.result()

    assert (code, answer.status_code, answer.json()["items"]) == (0, 200, [])


def test_no_secret_stands_in_a_command_line_or_environment(place: Path, port: int) -> None:
    with runs.started(place / "data", port=port) as run:
        run.wait_for("ready")
        pids = [run.process.pid, *run.workers()]
        key = (place / "data" / "keys" / "postgres.key").read_bytes()
        words = [postgres.roles.password(key, role=role) for role in postgres.roles.MADE]
        words += [line.split()[1] for line in run.lines if line.startswith("Password")]

        files = [Path(f"/proc/{pid}/{name}") for pid in pids for name in ("cmdline", "environ")]
        seen = "".join(file.read_text() for file in files)

        assert len(words) == 4
        assert [word for word in words if word in seen + run.errors()] == []


def test_a_second_start_on_one_folder_is_refused_with_the_first_ones_pid(
    place: Path, port: int
) -> None:
    with runs.started(place / "data", port=port) as first:
        first.wait_for("Database")

        with runs.started(place / "data", port=port + 1) as second:
            assert second.end() == 5

        assert f"process {first.process.pid}" in second.errors()
        first.wait_for("ready")


def test_a_taken_port_is_refused_before_anything_is_started(place: Path, taken: int) -> None:
    with runs.started(place / "data", port=taken) as run:
        code = run.end()

        assert code == 5
        assert f"Port {taken} on 127.0.0.1 is taken" in run.errors()
        assert cluster.major(place / "data" / "postgres") is None


def test_a_killed_supervisor_takes_its_workers_along_and_the_next_start_is_clean(
    place: Path, port: int
) -> None:
    with runs.started(place / "data", port=port, server__workers="2") as first:
        first.wait_for("ready")
        runs.wait_until(lambda: len(first.workers()) == 2)
        workers, database = first.workers(), database_process(place / "data")
        first.stop(signal.SIGKILL)

        with runs.started(place / "data", port=port) as second:
            second.wait_for("ready")

            assert second.get() == 200
            assert database_process(place / "data") == database
            assert [pid for pid in workers if _is_running(pid)] == []


def test_a_killed_worker_is_replaced(place: Path, port: int) -> None:
    with runs.started(place / "data", port=port) as run:
        run.wait_for("ready")
        [before] = run.workers()

        os.kill(before, signal.SIGKILL)

        runs.wait_until(lambda: before not in run.workers() and runs.answers(run))
        assert run.stop() == 0


def test_a_worker_that_is_killed_as_soon_as_it_is_replaced_is_replaced_again(
    place: Path, port: int
) -> None:
    with runs.started(place / "data", port=port) as run:
        run.wait_for("ready")
        for _ in range(4):
            [before] = run.workers()
            os.kill(before, signal.SIGKILL)
            runs.wait_until(lambda before=before: _replaced(run, before))

        runs.wait_until(lambda: runs.answers(run))
        assert run.stop() == 0


@pytest.mark.slow
def test_workers_that_die_by_the_dozen_end_the_platform_with_a_word(place: Path, port: int) -> None:
    with runs.started(place / "data", port=port) as run:
        run.wait_for("ready")

        killed: set[int] = set()

        def ended() -> bool:
            for pid in run.workers():
                if len(killed) < serving.MOST_DEATHS:  # who comes next stops the database
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                    killed.add(pid)
            return run.process.poll() is not None

        runs.wait_until(ended)
        assert run.process.returncode != 0
        assert "again and again" in run.errors()


def _replaced(run: runs.Run, before: int) -> bool:
    return len(run.workers()) == 1 and before not in run.workers()


def test_a_killed_database_is_started_again(place: Path, port: int) -> None:
    with runs.started(place / "data", port=port) as run:
        run.wait_for("ready")
        before = database_process(place / "data")
        assert before is not None

        os.kill(before, signal.SIGKILL)

        runs.wait_until(lambda: database_process(place / "data") not in (None, before))
        assert run.stop() == 0
        assert "keeper.database_started" in run.errors()


def test_with_our_own_authority_a_client_needs_nothing_but_its_certificate(
    place: Path, port: int
) -> None:
    with runs.started(place / "data", port=port, server__tls="own") as run:
        ready = run.wait_for("ready")
        context = ssl.create_default_context(cafile=str(place / "data" / "tls" / "ca.pem"))

        answer = httpx2.get(f"https://localhost:{port}/v1/status", verify=context, timeout=60)

        assert answer.status_code == 200
        assert f"https://127.0.0.1:{port}" in ready
        assert tls.fingerprint(place / "data" / "tls" / "ca.pem") in run.said
        with pytest.raises(httpx2.ConnectError):
            httpx2.get(f"https://localhost:{port}/v1/status")


def test_a_renewed_certificate_is_taken_up_without_a_stop(place: Path, port: int) -> None:
    with runs.started(place / "data", port=port, server__tls="own") as run:
        run.wait_for("ready")
        before = served_certificate(port)
        [worker] = run.workers()

        authority.issue(place / "data" / "tls", names=["localhost"], now=datetime.now(UTC))
        run.process.send_signal(signal.SIGHUP)

        runs.wait_until(lambda: served_certificate(port) not in ("", before))
        runs.wait_until(lambda: worker not in run.workers())
        assert run.stop() == 0


def served_certificate(port: int) -> str:
    """What a client is shown right now; empty where nobody answers."""
    try:
        return ssl.get_server_certificate(("127.0.0.1", port), timeout=10)
    except OSError:
        return ""


def test_a_key_that_does_not_fit_its_certificate_is_refused(place: Path, port: int) -> None:
    now = datetime.now(UTC)
    for name in ("one", "other"):
        (place / name).mkdir()
        tls.own(place / name, names=["localhost"], now=now)

    with runs.started(
        place / "data",
        port=port,
        server__tls="files",
        server__certificate=str(place / "one" / "server.pem"),
        server__certificate_key=str(place / "other" / "server.key"),
    ) as run:
        assert run.end() == 2

    assert "does not belong to the certificate" in run.errors()


def test_an_existing_server_is_used_and_left_running(place: Path, port: int) -> None:
    with places.prepared_folder(place / "elsewhere") as other:
        server = postgres.start(other, binaries=conftest.OLDEST, fsync=False)
        urls = {
            "database__owner_url": server.owner_url,
            "database__app_url": server.app_url,
            "database__system_url": server.system_url,
        }

        with runs.started(place / "data", port=port, **urls) as run:
            run.wait_for("ready")
            assert run.get() == 200
            assert run.stop() == 0

        assert cluster.major(place / "data" / "postgres") is None
        with psycopg.connect(server.owner_url) as db:
            assert db.execute("SELECT count(*) FROM users").fetchone() == (1,)


def test_a_database_of_a_newer_release_is_refused(place: Path, port: int) -> None:
    with places.prepared_folder(place / "data") as made:
        server = postgres.start(made, fsync=False)
        migrations.upgrade(server.owner_url)
        with psycopg.connect(server.owner_url) as db:
            db.execute("UPDATE alembic_version SET version_num = '9999'")

        with runs.started(place / "data", port=port) as run:
            assert run.end() == 2

    assert "revision 9999, which this release does not know" in run.errors()
    assert database_process(place / "data") is None


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("server__prot", "80", "MOORAGE_SERVER__PROT is not a setting"),
        ("server__workers", "many", "server.workers"),
        ("database__owner_url", "postgresql://u:hush@h/d", "needs all three"),
        ("database__pool_size", "hush", "database.pool_size"),
        ("server__host", "no-such-host.invalid", "is not an address of this machine"),
        ("server__host", "192.0.2.1", "cannot listen on 192.0.2.1"),
    ],
)
def test_settings_that_cannot_work_end_the_start_with_one_line(
    place: Path, port: int, name: str, value: str, says: str
) -> None:
    with runs.started(place / "data", port=port, **{name: value}) as run:
        code = run.end()

        assert code == 1
        assert says in run.errors()
        assert "hush" not in run.errors()
        assert "Traceback" not in run.errors()


@pytest.mark.parametrize(
    ("server", "url"),
    [
        (ServerSettings(), "http://127.0.0.1:7700"),
        (ServerSettings(host="::1", tls="own"), "https://[::1]:7700"),
        (ServerSettings(host="0.0.0.0"), f"https://{socket.gethostname()}:7700"),
        (ServerSettings(public_url="https://moor.example"), "https://moor.example"),
    ],
)
def test_the_address_shown_is_one_that_can_be_typed(server: ServerSettings, url: str) -> None:
    assert up.shown_url(Settings(server=server)) == url


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] != "Z"
    except FileNotFoundError:
        return False
