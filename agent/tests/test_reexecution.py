"""systemd is executed anew in the middle of a command: the connection is lost, and nothing else."""

import os
import pwd
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from agent.tests import standin_systemd
from agent.tests.workbench import Workbench, task
from moorage_agent import systemd, units
from moorage_agent.kinds import exec as exec_kind
from moorage_agent.tasks import Failed, Lost, Task

Standing = Callable[..., standin_systemd.Systemd]
TASK: Task = task("exec", {"argv": ["true"]}, run_as=pwd.getpwuid(os.geteuid()).pw_name)


@pytest.fixture
def standing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Standing:
    monkeypatch.setattr(systemd, "SOCKET", tmp_path / "socket")
    monkeypatch.setattr(systemd, "BOOTED", tmp_path)
    monkeypatch.setattr(systemd, "BACK_WITHIN", 0.2)

    def stand(breaks: Sequence[tuple[str, str]], *, lives: int = 100) -> standin_systemd.Systemd:
        return standin_systemd.Systemd(tmp_path / "socket", code=7, breaks=breaks, lives=lives)

    return stand


@pytest.mark.parametrize(
    "breaks",
    [
        [("StartTransientUnit", "before"), ("StopUnit", "before")],
        [("StartTransientUnit", "before")] * 3,
        [("StartTransientUnit", "after")],
        [("StartTransientUnit", "after"), ("GetUnit", "before"), ("GetAll", "before")],
        [("StartTransientUnit", "after"), ("GetUnitProcesses", "after")],
        [("StartTransientUnit", "after"), ("StopUnit", "before")],
        [("StartTransientUnit", "after"), ("StopUnit", "after")],
    ],
    ids=str,
)
def test_a_command_is_started_once_and_its_end_is_known(
    standing: Standing, breaks: list[tuple[str, str]], tmp_path: Path
) -> None:
    init = standing([*breaks, ("GetUnitProcesses", "before")])

    with pytest.raises(Failed) as failure:
        exec_kind.run(TASK, Workbench(tmp_path))

    assert failure.value.code == "exit_nonzero"
    assert failure.value.result == {"exit_code": 7, "signal": None}
    assert init.started == [units.name(TASK.id)]
    init.close()


def test_where_systemd_never_was_a_command_is_refused(standing: Standing, tmp_path: Path) -> None:
    with pytest.raises(Failed) as failure:
        exec_kind.run(TASK, Workbench(tmp_path))

    assert failure.value.code == "systemd_absent"


def test_a_systemd_that_does_not_come_back_leaves_a_command_unknown(
    standing: Standing, tmp_path: Path
) -> None:
    standing([("StartTransientUnit", "after")], lives=1)

    with pytest.raises(Lost, match="Nobody can say what became of the command"):
        exec_kind.run(TASK, Workbench(tmp_path))
