"""One is one, and everything else is many."""

import pytest

from moorage_core.kit.counting import counted


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 artifacts"), (1, "1 artifact"), (2, "2 artifacts")]
)
def test_a_number_goes_with_its_noun(number: int, said: str) -> None:
    assert counted(number, "artifact") == said


def test_a_verb_can_go_along() -> None:
    assert counted(1, "layer names", "layers name") == "1 layer names"
    assert counted(3, "layer names", "layers name") == "3 layers name"
