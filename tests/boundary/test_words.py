"""The platform names no app. See `tools/boundary/words.py` for why."""

from pathlib import Path

import pytest

from tools.boundary import words

REPO = Path(__file__).parents[2]
FOREIGN = ["slurm", "Slurmctld", "slurm_conf", "munge", "SBATCH", "head of a ray cluster", "etcd."]
OWN = ["array", "portray", "mungerer", "fetcd", "betrayal"]


@pytest.mark.rule("BQ-1")
def test_the_platform_names_no_app() -> None:
    assert list(words.find(REPO)) == [], words.SENTENCE


@pytest.mark.parametrize("folder", words.PLATFORM)
@pytest.mark.parametrize("text", FOREIGN)
def test_an_app_word_is_found_with_its_place(tmp_path: Path, folder: str, text: str) -> None:
    file = tmp_path / folder / "page.txt"
    file.parent.mkdir(parents=True)
    file.write_text(f"\n{text}\n")

    places = list(words.find(tmp_path))

    assert [place.rpartition(": ")[0] for place in places] == [f"{folder}/page.txt:2"]


@pytest.mark.parametrize("text", OWN)
def test_a_word_that_only_contains_one_is_not(tmp_path: Path, text: str) -> None:
    file = tmp_path / "core/src/page.txt"
    file.parent.mkdir(parents=True)
    file.write_text(text)

    assert list(words.find(tmp_path)) == []


def test_a_file_named_after_an_app_is_found(tmp_path: Path) -> None:
    file = tmp_path / "core/src/slurm.py"
    file.parent.mkdir(parents=True)
    file.touch()

    assert len(list(words.find(tmp_path))) == 1


@pytest.mark.parametrize("built", words.BUILT)
def test_what_is_built_may_speak_of_apps_and_what_stands_beside_it_may_not(
    tmp_path: Path, built: str
) -> None:
    beside = tmp_path / built
    beside.mkdir(parents=True)
    (beside / "page.html").write_text("slurm")
    (beside.parent / "routes.py").write_text("slurm")

    assert list(words.find(tmp_path)) == ["core/src/moorage_core/console/routes.py:1: 'slurm'"]
