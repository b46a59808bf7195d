"""What a class of machines may be."""

import pytest

from moorage_core.fleet import rules


@pytest.mark.parametrize(("model", "count"), [(None, 0), ("H200", 8)])
def test_a_model_and_a_number_of_gpus_belong_together(model: str | None, count: int) -> None:
    rules.check_gpus(model=model, count=count)


@pytest.mark.parametrize(("model", "count"), [("H200", 0), (None, 1)])
def test_one_without_the_other_is_refused(model: str | None, count: int) -> None:
    with pytest.raises(rules.GpusUnclear):
        rules.check_gpus(model=model, count=count)
