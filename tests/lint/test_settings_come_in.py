import pytest

from tests.lint import samples
from tools.lint import settings_come_in

BAD = ['os.getenv("HOME")', 'os.environ["HOME"]', "dict(os.environ)", "from os import environ"]


def test_an_argument_passes() -> None:
    texts = {"people/commands.py": "def lock_out(settings): return settings.people.attempts"}

    assert samples.lines(settings_come_in.check, texts) == []


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize("package", ["moorage_core", "moorage", "moorage_cli"])
def test_reading_the_environment_is_found(package: str, text: str) -> None:
    texts = {"people/commands.py": text}

    assert samples.lines(settings_come_in.check, texts, package=package) == [1]


@pytest.mark.parametrize("place", ["settings.py", "operate/up.py"])
def test_settings_and_operate_may_read_it(place: str) -> None:
    assert samples.lines(settings_come_in.check, {place: BAD[0]}) == []
