import pytest

from tests.lint import samples
from tools.lint import settings_come_in

BAD = ['os.getenv("HOME")', 'os.environ["HOME"]', "dict(os.environ)", "from os import environ"]


def test_an_argument_passes() -> None:
    texts = {"people/commands.py": "def lock_out(settings): return settings.people.attempts"}

    assert samples.lines(settings_come_in.check, texts) == []


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize("package", ["moorage_core", "moorage", "moorage_cli", "moorage_agent"])
def test_reading_the_environment_is_found(package: str, text: str) -> None:
    texts = {"people/commands.py": text}

    assert samples.lines(settings_come_in.check, texts, package=package) == [1]


@pytest.mark.parametrize(
    "place", ["settings.py", "controller/settings.py", "operate/up.py", "verbs/install.py"]
)
def test_settings_and_those_who_start_processes_may_read_it(place: str) -> None:
    assert samples.lines(settings_come_in.check, {place: BAD[0]}) == []
