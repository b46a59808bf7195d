import pytest

from tests.lint import samples
from tools.lint import rules_are_pure

GOOD = [
    "from moorage_core.errors import ApiError",
    "from datetime import datetime, timedelta",
    "def is_expired(at, *, now): return at < now",
    "import hashlib",
]
BAD = [
    "async def decide(): ...",
    "from moorage_core.people import store",
    "from moorage_core.kit.db import Db",
    "import httpx2",
    "import time",
    "from time import monotonic",
    "import secrets",
    "started = datetime.now(UTC)",
    "started = datetime.datetime.utcnow()",
    "day = date.today()",
]


@pytest.mark.parametrize("text", GOOD)
def test_a_rule_that_takes_all_it_needs_passes(text: str) -> None:
    assert samples.lines(rules_are_pure.check, {"people/rules.py": text}) == []


@pytest.mark.parametrize("text", BAD)
def test_a_rule_that_reaches_out_is_found(text: str) -> None:
    assert samples.lines(rules_are_pure.check, {"people/rules.py": text}) == [1]


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize(
    "opening", ["Where it is. Pure.", "Pure: shapes.", "A line.\n\nPure. More."]
)
@pytest.mark.parametrize("place", ["people/placement.py", "kit/addresses.py"])
def test_a_module_that_says_it_is_pure_is_held_to_it(place: str, opening: str, text: str) -> None:
    module = f'"""{opening}"""\n\n{text}'

    assert len(samples.lines(rules_are_pure.check, {place: module})) == 1


def test_several_stores_are_as_impure_as_one() -> None:
    texts = {"people/rules.py": "from moorage_core.people import node_store"}

    assert samples.lines(rules_are_pure.check, texts) == [1]


def test_other_files_may_wait_and_look_at_the_clock() -> None:
    assert samples.lines(rules_are_pure.check, {"people/store.py": BAD[0]}) == []
