"""`moor up` with OpenBao, as real processes."""

import socket
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from core.tests.embedded import places
from core.tests.operate import runs
from core.tests.secrets.openbao_server import Running
from moorage_core.embedded import folder, postgres
from moorage_core.operate import backup
from moorage_core.settings import SecretSettings


@pytest.fixture
def store(openbao: Running) -> SecretSettings:
    return openbao.settings


@pytest.fixture
def place() -> Iterator[Path]:
    with places.open_place() as path:
        yield path
        for cluster in path.glob("*/postgres"):
            places.stop(folder.prepare(cluster.parent))


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def variables(openbao: Running) -> dict[str, str]:
    return {
        "secrets__store": "openbao",
        "secrets__url": openbao.url,
        "secrets__token_file": str(openbao.token_file),
    }


def stored(data: Path) -> set[tuple[str, bool]]:
    running = postgres.find_running(folder.prepare(data))
    assert running is not None
    with psycopg.connect(running.super_url) as db:
        return set(db.execute("SELECT store, placed FROM secrets").fetchall())


def test_the_platform_starts_serves_and_starts_again_on_openbao(
    place: Path, port: int, openbao: Running
) -> None:
    data = place / "data"
    with runs.started(data, port=port, **variables(openbao)) as first:
        first.wait_for("ready")
        assert f"OpenBao at {openbao.url}, kept there" in first.said
        assert first.get("/.well-known/jwks.json") == 200
        runs.wait_until(lambda: stored(data) == {("openbao", True)})
        assert first.stop() == 0

    with runs.started(data, port=port, **variables(openbao)) as second:
        second.wait_for("ready")
        assert second.get() == 200
        assert second.stop() == 0


def test_a_start_without_openbao_says_why_and_makes_nothing(
    place: Path, port: int, openbao: Running
) -> None:
    wrong = variables(openbao) | {"secrets__transit_key": "absent"}

    with runs.started(place / "data", port=port, **wrong) as run:
        assert run.end() != 0

    assert "does not let our token do this" in run.said + run.errors()
    assert "Traceback" not in run.errors()


def test_a_backup_says_what_it_does_not_contain(
    place: Path,
    port: int,
    openbao: Running,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = place / "data"
    with runs.started(data, port=port, **variables(openbao)) as run:
        run.wait_for("ready")
        run.stop()
    for name, value in variables(openbao).items():
        monkeypatch.setenv(f"MOORAGE_{name.upper()}", value)

    backup.backup(place / "file.tar", data=data)

    assert f"they are in OpenBao at {openbao.url}" in capsys.readouterr().out
