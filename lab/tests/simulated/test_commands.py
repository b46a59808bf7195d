"""The command line of simulated agents."""

from pathlib import Path

import pytest

from lab.tests.simulated.standin import StandIn, serving
from moorage_lab.errors import BadRequest
from moorage_lab.simulated import Crowd, commands
from moorage_lab.simulated.http1 import Server


def test_tokens_are_read_one_in_each_line(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("moor_enr_a\n\n  moor_enr_b\n")

    assert commands.read(tmp_path / "tokens") == ["moor_enr_a", "moor_enr_b"]


def test_a_file_without_tokens_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("\n")

    with pytest.raises(BadRequest, match="holds no enrolment token"):
        commands.read(tmp_path / "tokens")


async def test_the_line_says_how_the_crowd_is() -> None:
    async with serving(StandIn()) as platform:
        async with Crowd(Server(platform.url), [platform.enrolment(), "moor_enr_forged"]) as crowd:
            await crowd.until(lambda c: c.states() == {"working": 1, "refused": 1})

            said = commands.line(crowd)

    assert said.startswith("1 refused, 1 working; ")
    assert said.endswith("refused: 1 enrolment_refused")
