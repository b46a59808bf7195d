"""`moor policy`, against a real platform."""

import json
import re
import shlex
from pathlib import Path

import pytest

from cli.tests.conftest import Moor
from cli.tests.test_entitlements import Publish, publish
from sdk.tests import running

__all__ = ["publish"]

PAGE = Path(__file__).resolve().parents[2] / "docs/howto/limit-a-project.md"


@pytest.fixture
def org(admin: Moor) -> str:
    slug = f"y{running.free_port()}"
    admin("orgs", "create", slug, "--name", "Acme", "--admin", running.ADMIN)
    return slug


@pytest.fixture
def project(admin: Moor, org: str) -> str:
    admin("projects", "create", org, "alpha", "--name", "Alpha")
    return f"{org}/alpha"


@pytest.fixture
def app(admin: Moor, project: str, publish: Publish) -> str:
    """Two versions, to which the project is entitled."""
    slug = f"app{running.free_port()}"
    publish(slug, "1.0.0")
    publish(slug, "2.0.0")
    made = admin("entitlements", "create", project, slug, "--yes")
    assert made.code == 0, made.err
    return slug


def test_options_change_what_a_layer_says_and_keep_the_rest(admin: Moor, org: str) -> None:
    first = admin("policy", "set", "--org", org, "--allow", "regions=eu,us", "--quota", "gpus=8")
    admin("policy", "set", "--org", org, "--deny", "channels=dev", "--quota", "gpus=4")
    third = admin("policy", "set", "--org", org, "--allow", "regions=any", "--versions", "echo=^1")

    shown = admin("policy", "show", "--org", org, "-o", "json").json()

    assert first.out.startswith(f"The layer of org {org} is written; it is at version 1.")
    assert "Note: No app that is offered here is called echo today." in third.out
    assert shown["version"] == 3
    document = {name: value for name, value in shown["document"].items() if value is not None}
    assert document["channels"]["deny"] == ["dev"]
    assert document["quotas"]["gpus"] == 4
    assert document["versions"] == {"echo": "^1"}
    assert "regions" not in document


@pytest.mark.parametrize(
    "text",
    ["regions:\n  allow: [eu]\nquotas: {gpus: 2}\n", '{"regions": {"allow": ["eu"]}}'],
    ids=["YAML", "JSON"],
)
def test_a_file_is_the_whole_layer(admin: Moor, project: str, tmp_path: Path, text: str) -> None:
    file = tmp_path / "layer.yaml"
    file.write_text(text)
    admin("policy", "set", "--project", project, "--deny", "skus=large")

    answer = admin("policy", "set", str(file), "--project", project, "-o", "json").json()

    assert answer["document"]["regions"]["allow"] == ["eu"]
    assert answer["document"]["skus"] is None


def test_a_file_that_says_too_much_is_refused_with_what_there_is(
    admin: Moor, project: str, tmp_path: Path
) -> None:
    file = tmp_path / "layer.yaml"
    file.write_text("budget: {eur: 5}\n")

    ran = admin("policy", "set", str(file), "--project", project)

    assert ran.code == 1
    assert "Nothing enforces budget" in ran.err
    assert "quotas.gpus" in ran.err


@pytest.mark.parametrize(
    ("content", "said"),
    [("regions: [eu", "layer.yaml:"), ("- regions\n", "does not hold a layer"), (None, "cannot")],
)
def test_a_file_that_cannot_be_read_is_named(
    admin: Moor, project: str, tmp_path: Path, content: str | None, said: str
) -> None:
    file = tmp_path / "layer.yaml"
    if content is not None:
        file.write_text(content)

    ran = admin("policy", "set", str(file), "--project", project)

    assert ran.code == 1
    assert said in ran.err


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--quota", "gpus"],
        ["--quota", "gpus=many"],
        ["--allow", "=eu"],
        ["--org", "x", "--project", "x/y", "--quota", "gpus=1"],
        ["--app", "x", "--quota", "gpus=1"],
        ["--platform", "--org", "x", "--project", "x/y", "--quota", "gpus=1"],
        ["--platform", "--project", "x/y", "--quota", "gpus=1"],
    ],
)
def test_what_does_not_say_enough_is_refused(admin: Moor, options: list[str]) -> None:
    assert admin("policy", "set", *options).code == 1


def test_the_platforms_layer_is_meant_only_where_it_is_named(admin: Moor) -> None:
    before = admin("policy", "show", "--platform", "-o", "json").json()

    written = admin("policy", "set", "--deny", "regions=nowhere")
    shown = admin("policy", "show")

    assert (written.code, shown.code) == (1, 1)
    for ran in (written, shown):
        assert "--platform" in ran.err
    assert admin("policy", "show", "--platform", "-o", "json").json() == before


def test_a_dry_run_says_what_would_be_taken_away(admin: Moor, org: str, app: str) -> None:
    ran = admin("policy", "set", "--org", org, "--versions", f"{app}=^1", "--dry-run")

    assert ran.out.startswith(f"Nothing was changed. The layer of org {org} would be at version 1.")
    assert f"{app} 2.0.0 → 1.0.0" in ran.out
    assert admin("policy", "show", "--org", org, "-o", "json").json()["version"] == 0


def test_what_is_left_names_the_layers(admin: Moor, org: str, project: str) -> None:
    admin("policy", "set", "--org", org, "--allow", "regions=eu", "--deny", "skus=large")
    admin("policy", "set", "--project", project, "--quota", "members=3")

    ran = admin("policy", "effective", project)

    assert "regions: only eu (org)" in ran.out
    assert "skus: large is denied (org)" in ran.out
    assert "members: at most 3 (project)" in ran.out


def test_an_explanation_is_read_line_by_line(admin: Moor, org: str, project: str, app: str) -> None:
    admin("policy", "set", "--project", project, "--app", app, "--deny", "regions=eu")

    said = admin("policy", "explain", project, app, "instance.deploy", "--region", "eu").out
    asked = ("policy", "explain", project, app, "member.drain", "-o", "json")
    drain = admin(*asked).json()
    read = admin(*asked[:-2]).out

    assert said.startswith("Refused.\nVersion 2.0.0, sha256:")
    line = next(line for line in said.splitlines() if "entitlement_overlay" in line)
    assert line.split()[:2] == ["no", "entitlement_overlay"]
    assert f"It can be changed by somebody with policy.overlay.update on org {org}" in said
    assert drain["allowed"] is True
    assert read.count("gives something back") == 1
    assert "every layer" in read


def test_a_project_is_limited_as_the_page_says(
    admin: Moor, process: Moor, publish: Publish, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    org, app = f"y{running.free_port()}", f"app{running.free_port()}"
    admin("orgs", "create", org, "--name", "Acme", "--admin", running.ADMIN)
    admin("projects", "create", org, "research", "--name", "Research")
    publish(app, "1.0.0")
    publish(app, "2.0.0")
    admin("app", "update", app, "--visibility", "platform")
    admin("entitlements", "create", f"{org}/research", app, "--yes")
    renamed = {"acme": org, "greeter": app}
    [file] = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (tmp_path / "layer.yaml").write_text(file.replace("greeter", app))
    monkeypatch.chdir(tmp_path)

    for line, shown in typed(PAGE.read_text(), renamed):
        ran = process(*shlex.split(line)[1:])

        assert ran.code == 0, f"{line}: {ran.err}"
        for expected in shown:
            assert expected in re.sub(r" +", " ", ran.out), f"{line}: {ran.out}"


def typed(page: str, renamed: dict[str, str]) -> list[tuple[str, list[str]]]:
    """What the page says to type, each with the pieces of what it says is shown."""
    for name, other in renamed.items():
        page = re.sub(rf"\b{name}\b", other, page)
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line.removeprefix("$ "), []))
            else:
                pieces = (piece.strip() for piece in re.sub(r" +", " ", line).split("…"))
                found[-1][1].extend(piece for piece in pieces if piece)
    return found


def test_the_platforms_layer_is_written_by_those_who_name_it(admin: Moor) -> None:
    changing = ("policy", "set", "--platform", "--deny", "regions=nowhere")

    ran = admin(*changing, "--dry-run", "-o", "json")

    assert json.loads(ran.out)["level"] == "global"


def test_the_platforms_word_on_one_org_is_a_layer_of_its_own(admin: Moor) -> None:
    org = f"c{running.free_port()}"
    admin("orgs", "create", org, "--name", "Acme", "--admin", running.ADMIN)
    where = ("--platform", "--org", org)

    written = admin("policy", "set", *where, "--quota", "allocations=4", "-o", "json").json()
    shown = admin("policy", "show", *where, "-o", "json").json()
    wider = admin("policy", "set", "--org", org, "--quota", "allocations=5")

    assert (written["level"], shown["document"]["quotas"]["allocations"]) == ("tenant", 4)
    assert wider.code != 0
    assert "allows 4 allocations" in wider.err
