"""What an app says for the kit, read and refused."""

from pathlib import Path

import pytest

from moorage_conformance import plan, run
from moorage_conformance.findings import CannotRun

REPO = Path(__file__).parents[2]
FINE = """
controller: [node, controller.mjs]
components: {host: 2}
grow: host
configure: {greeting: welcome}
actions: {node_echo.say: {word: aboard}}
traces: {paths: [/etc/node-echo]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("manifest.yaml", "runbook.md"):
        source = REPO / "apps/fixtures/node-echo" / name
        (tmp_path / name).write_bytes(source.read_bytes())
    (tmp_path / plan.FILE).write_text(FINE)
    return tmp_path


def test_a_run_takes_two_machines_more_than_the_first_deployment(folder: Path) -> None:
    found = plan.read(folder)

    assert found.machines == 4
    assert found.fault == "/etc/node-echo"


@pytest.mark.parametrize(
    ("line", "instead", "said"),
    [
        ("grow: host", "grow: guest", "grow: the manifest has no component 'guest'"),
        ("{host: 2}", "{ship: 2}", "components: the manifest has no component 'ship'"),
        ("node_echo.say", "node_echo.sing", "actions: nothing is said of 'node_echo.say'"),
        (
            "{word: aboard}",
            "{word: {answer: node_echo.ask, field: word}}",
            "node_echo.say wants an answer of 'node_echo.ask', which does not come before it",
        ),
        ("paths: [/etc/node-echo]", "units: [a.service]", "traces.paths: name what the app"),
        ("grow: host", "grows: host", "grows: Extra inputs are not permitted"),
        ("grow: host", "grow: [", "is no YAML"),
    ],
)
def test_what_does_not_fit_is_named(folder: Path, line: str, instead: str, said: str) -> None:
    (folder / plan.FILE).write_text(FINE.replace(line, instead))

    with pytest.raises(CannotRun) as refused:
        plan.read(folder)

    assert said in str(refused.value)


def test_an_app_that_says_nothing_for_the_kit_is_told_what_is_missing(folder: Path) -> None:
    (folder / plan.FILE).unlink()

    with pytest.raises(CannotRun, match=r"conformance\.yaml cannot be read"):
        plan.read(folder)


def test_an_authority_is_a_file_whether_it_was_given_as_one_or_as_text(tmp_path: Path) -> None:
    text = "-----BEGIN CERTIFICATE-----\n"

    kept = run.as_file(text, tmp_path)

    assert kept is not None
    assert kept.read_text() == text
    assert run.as_file(kept, tmp_path) == kept
    assert run.as_file(None, tmp_path) is None
