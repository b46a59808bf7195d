"""Whatever a kind of task meets, there is a report that says what would help."""

from pathlib import Path

from agent.tests.workbench import Workbench, task
from moorage_agent import runner


class FullDisk(Workbench):
    """Nothing that is put out can be kept."""

    def output(self, stream: str, data: bytes) -> None:
        with open("/dev/full", "wb", buffering=0) as disk:
            disk.write(data)


def test_a_disk_that_is_full_in_the_middle_of_a_task_is_called_that(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("something")

    report = runner.do(task("get", {"path": str(file)}), FullDisk(tmp_path))

    assert (report["state"], report["error"]["code"]) == ("failed", "disk_full")
