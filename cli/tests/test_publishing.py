"""`moor app publish` and what follows it, against a real platform."""

import asyncio
import re
import urllib.request
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import moorage
from cli.tests.conftest import Moor
from cli.tests.test_catalog_pages import lines, play
from moorage import Client, PrivateKey, manifest
from sdk.tests import running
from sdk.tests.running import Platform

NEEDED = [
    "catalog.app.read",
    "catalog.artifact.create",
    "catalog.artifact.read",
    "catalog.artifact.sign",
    "catalog.publisher_key.read",
    "catalog.version.create",
    "catalog.version.promote",
    "catalog.version.publish",
]
"""As docs/howto/publish-an-app.md lists them."""

Ask = Callable[[Callable[[Client], Coroutine[Any, Any, Any]]], Any]


@pytest.fixture
def ask(platform: Platform, token: str) -> Ask:
    """Something that `moor` has no part in, through the SDK."""

    def run(what: Callable[[Client], Coroutine[Any, Any, Any]]) -> Any:
        async def asked() -> Any:
            async with Client(platform.url, auth=moorage.AccessToken(token)) as client:
                return await what(client)

        return asyncio.run(asked())

    return run


@pytest.fixture
def project(admin: Moor) -> str:
    org = f"c{running.free_port()}"
    admin("orgs", "create", org, "--name", "Acme", "--admin", running.ADMIN)
    return admin("projects", "create", org, "alpha", "--name", "Alpha", "-o", "json").json()["id"]


@pytest.fixture
def folder(admin: Moor, home: Path) -> Path:
    """A new app's folder, as `moor app init` makes it."""
    made = home / f"a{running.free_port()}"
    assert admin("app", "init", str(made)).code == 0
    return made


@pytest.fixture
def key(ask: Ask, project: str, home: Path) -> Path:
    """The private half of a publisher key of the project."""
    pair, file = PrivateKey.generate(), home / "release.pem"
    file.write_bytes(pair.pem)
    ask(lambda c: c.publisher_keys.create(project, name="release", key=pair))
    return file


def test_a_new_app_is_published_signed_and_promoted(
    admin: Moor, project: str, folder: Path, key: Path
) -> None:
    create = ("--create", "--app-project", project)

    unregistered = admin("app", "publish", str(folder))
    published = admin("app", "publish", str(folder), "--key", str(key), *create, "-o", "json")
    promoted = admin("app", "promote", folder.name, "0.1.0", "prod", "--reason", "To try it.")

    assert unregistered.code == 4
    result = published.json()
    assert (result["status"], result["app"]) == ("published", folder.name)
    assert [each["trust"] for each in result["artifacts"]] == ["verified"]
    assert promoted.out.strip() == f"prod of {folder.name} is 0.1.0 now."
    history = admin("app", "promotions", folder.name, "-o", "json").json()["items"]
    assert [(each["number"], each["reason"]) for each in history] == [("0.1.0", "To try it.")]


def test_publishing_again_changes_nothing(
    admin: Moor, project: str, folder: Path, key: Path
) -> None:
    command = ("app", "publish", str(folder), "--key", str(key))
    admin(*command, "--create", "--app-project", project)
    shown = admin("app", "version", folder.name, "0.1.0", "-o", "json").json()

    again = admin(*command)

    assert (again.code, again.out.strip()) == (0, f"{folder.name} 0.1.0 is published already.")
    assert admin("app", "version", folder.name, "0.1.0", "-o", "json").json() == shown


def test_a_published_number_with_another_manifest_is_refused(
    admin: Moor, project: str, folder: Path
) -> None:
    command = ("app", "publish", str(folder))
    admin(*command, "--create", "--app-project", project)
    text = (folder / "manifest.yaml").read_text()
    (folder / "manifest.yaml").write_text(f"{text}\n# changed\n")

    again = admin(*command)

    assert again.code == 5
    assert "Give the manifest another version" in again.err


def test_a_draft_is_looked_at_before_it_is_published(
    admin: Moor, project: str, folder: Path
) -> None:
    command = ("app", "publish", str(folder))
    drafted = admin(*command, "--draft", "--create", "--app-project", project, "-o", "json")
    text = (folder / "manifest.yaml").read_text() + "\n# changed\n"
    (folder / "manifest.yaml").write_text(text)
    redrafted = admin(*command, "--draft", "-o", "json")
    shown = admin("app", "version", folder.name, "0.1.0", "--manifest")

    published = admin(*command, "-o", "json")

    assert (drafted.json()["status"], redrafted.json()["status"]) == ("draft", "draft")
    assert drafted.json()["version_id"] == published.json()["version_id"]
    assert shown.out.strip() == text.strip()
    assert published.json()["status"] == "published"


def test_an_upload_that_was_cut_off_is_gone_on_with(
    admin: Moor, ask: Ask, project: str, folder: Path
) -> None:
    (item,) = read(folder).artifacts
    content = (folder / str(item.file)).read_bytes()

    async def cut_off(client: Client) -> str:
        artifact = await client.artifacts.create(
            project, name=item.name, digest=item.digest, size=item.size
        )

        async def half() -> AsyncIterator[bytes]:
            yield content[: len(content) // 2]

        await client.artifacts.put_content(artifact, half, offset=0)
        return artifact.id

    begun = ask(cut_off)

    published = admin("app", "publish", str(folder), "--create", "--app-project", project)

    assert published.code == 0, published.err
    unsigned = f"Not signed, so no project can deploy or pull it yet: {item.name}. "
    assert unsigned + "Run this again with --key." in published.out
    shown = admin("app", "version", folder.name, "0.1.0", "-o", "json").json()
    assert [each["artifact_id"] for each in shown["artifacts"]] == [begun]


def test_a_key_can_be_brought_later(admin: Moor, project: str, folder: Path, key: Path) -> None:
    command = ("app", "publish", str(folder))
    admin(*command, "--create", "--app-project", project)
    refused = admin("app", "promote", folder.name, "0.1.0", "staging")

    signed = admin(*command, "--key", str(key))
    accepted = admin("app", "promote", folder.name, "0.1.0", "staging")

    assert (refused.code, "not signed" in refused.err) == (5, True)
    assert (signed.code, accepted.code) == (0, 0)
    [name] = [artifact.name for artifact in read(folder).artifacts]
    assert signed.out.strip() == f"{folder.name} 0.1.0 is published already. Signed now: {name}."


@contextmanager
def swapping(platform: Platform, old: str, new: str) -> Iterator[tuple[str, list[str]]]:
    """The platform's address with a liar in between, and what was sent through it.

    Where artifacts are listed, it says `new` for `old`.
    """
    sent: list[str] = []

    class Liar(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            headers = {name: self.headers[name] for name in ("Authorization", "Accept")}
            request = urllib.request.Request(platform.url + self.path, headers=headers)
            with urllib.request.urlopen(request) as answer:
                body = answer.read()
            if "/artifacts?" in self.path:
                body = body.replace(old.encode(), new.encode())
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            sent.append(self.path)
            self.send_error(400)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Liar)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", sent
    finally:
        server.shutdown()
        server.server_close()


def test_nothing_is_signed_that_the_manifest_does_not_name(
    admin: Moor,
    platform: Platform,
    project: str,
    folder: Path,
    key: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = ("app", "publish", str(folder))
    admin(*command, "--create", "--app-project", project)
    (item,) = read(folder).artifacts

    with swapping(platform, item.digest, f"sha256:{'e' * 64}") as (url, sent):
        monkeypatch.setenv("MOOR_URL", url)
        ran = admin(*command, "--key", str(key))

    assert (ran.code, sent) == (1, [])
    assert "another digest" in ran.err


def test_a_key_that_the_project_does_not_know_is_refused(
    admin: Moor, project: str, folder: Path, home: Path
) -> None:
    stranger, nothing = home / "other.pem", home / "none.pem"
    stranger.write_bytes(PrivateKey.generate().pem)
    command = ("app", "publish", str(folder), "--create", "--app-project", project)

    ran = [admin(*command, "--key", str(file)) for file in (stranger, nothing, folder)]

    assert [each.code for each in ran] == [1, 1, 1]
    assert "publisher key" in ran[0].err
    assert admin("app", "versions", folder.name, "-o", "json").json()["items"] == []


def test_a_folder_with_faults_reaches_no_platform(admin: Moor, project: str, folder: Path) -> None:
    with (folder / "manifest.yaml").open("a") as file:
        file.write("colour: red\n")

    ran = admin("app", "publish", str(folder), "--create", "--app-project", project)

    assert ran.code == 5
    assert ran.err.startswith(f"{folder / 'manifest.yaml'}:")
    assert admin("app", "get", folder.name).code == 4


def test_versions_come_and_go(admin: Moor, project: str, folder: Path) -> None:
    slug = folder.name
    admin("app", "publish", str(folder), "--create", "--app-project", project)
    text = (folder / "manifest.yaml").read_text()
    (folder / "manifest.yaml").write_text(text.replace("0.1.0", "0.2.0"))
    admin("app", "publish", str(folder), "--draft")

    discarded = admin("app", "discard", slug, "0.2.0", "--yes")
    admin("app", "publish", str(folder))
    deprecated = admin("app", "deprecate", slug, "0.1.0", "--note", "Use 0.2.0.")
    restored = admin("app", "restore", slug, "0.1.0")
    admin("app", "promote", slug, "0.1.0", "dev")
    again = admin("app", "promote", slug, "0.1.0", "dev")
    kept = admin("app", "retire", slug, "0.1.0", "--reason", "Too old.", "--yes")
    admin("app", "promote", slug, "0.2.0", "dev")
    retired = admin("app", "retire", slug, "0.1.0", "--reason", "Too old.", "--yes")

    assert discarded.out.strip() == f"The draft {slug} 0.2.0 is gone."
    assert deprecated.out.strip() == f"{slug} 0.1.0 is deprecated."
    assert restored.out.strip() == f"{slug} 0.1.0 is published."
    assert (again.code, again.out.strip()) == (0, f"dev of {slug} is 0.1.0 already.")
    assert (kept.code, "on_channel" in kept.err) == (5, True)
    assert retired.out.strip() == f"{slug} 0.1.0 is retired."
    listed = admin("app", "versions", slug, "-o", "json").json()["items"]
    assert [(each["number"], each["status"]) for each in listed] == [
        ("0.2.0", "published"),
        ("0.1.0", "retired"),
    ]
    channels = admin("app", "channels", slug, "-o", "json").json()["items"]
    assert [(each["channel"], each["number"]) for each in channels] == [("dev", "0.2.0")]
    assert "Use" not in admin("app", "version", slug, "0.2.0").out
    assert admin("app", "version", slug, "9.9.9").code == 4
    assert admin("app", "delete", slug, "--yes").code == 5


def test_the_last_version_is_retired_after_its_channel_is_cleared(
    admin: Moor, project: str, folder: Path
) -> None:
    slug = folder.name
    admin("app", "publish", str(folder), "--create", "--app-project", project)
    admin("app", "promote", slug, "0.1.0", "dev")

    unasked = admin("app", "clear-channel", slug, "dev")
    cleared = admin("app", "clear-channel", slug, "dev", "--yes")
    again = admin("app", "clear-channel", slug, "dev", "--yes", "-o", "json")
    retired = admin("app", "retire", slug, "0.1.0", "--reason", "It is over.", "--yes")

    assert unasked.code == 1
    assert cleared.out.strip() == f"dev of {slug} points to nothing now."
    assert again.json()["changed"] is False
    assert retired.code == 0, retired.err
    history = admin("app", "promotions", slug, "-o", "json").json()["items"]
    assert [each["number"] for each in history] == [None, "0.1.0"]


def test_a_pipeline_publishes_with_the_keys_that_the_page_lists(
    admin: Moor,
    ask: Ask,
    platform: Platform,
    project: str,
    folder: Path,
    key: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = (Path(__file__).parents[2] / "docs/howto/publish-an-app.md").read_text()
    assert all(f"| `{needed}` |" in page for needed in NEEDED)
    said = ("--name", "Example", "--summary", "It works.")
    admin("app", "create", project, folder.name, *said)

    async def robot(client: Client) -> str:
        account = await client.service_accounts.create(project, name="pipeline", permissions=NEEDED)
        issued = await client.service_accounts.create_key(account)
        minted = await client.signing_in.mint_token(
            service_account=account.id, key=issued.id, client_secret=str(issued.secret)
        )
        return minted.access_token

    monkeypatch.setenv("MOOR_TOKEN", ask(robot))

    published = admin("app", "publish", str(folder), "--key", str(key))
    promoted = admin("app", "promote", folder.name, "0.1.0", "prod")

    said = f"{folder.name} 0.1.0 is published. Signed now: greeting.txt."
    assert published.out.strip() == said
    assert promoted.code == 0, promoted.err


def read(folder: Path) -> manifest.Manifest:
    reading = manifest.folder.load(folder)
    assert reading.manifest is not None, reading.faults
    return reading.manifest


def test_an_app_is_published_as_the_page_says(
    admin: Moor, process: Moor, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    org, slug = f"c{running.free_port()}", f"g{running.free_port()}"
    admin("orgs", "create", org, "--name", "Acme", "--admin", running.ADMIN)
    admin("projects", "create", org, "widgets", "--name", "Widgets")
    admin("app", "init", str(home / slug))
    monkeypatch.chdir(home)
    typed = lines("publish-an-app.md")
    begin = next(at for at, line in enumerate(typed) if line.startswith("moor app publish"))
    # Where there is no terminal to ask, a command that cannot be taken back wants a word more.
    rest = [f"{line} --yes" if " retire " in line else line for line in typed[begin:]]
    renamed = {"acme": org, "greeter": slug}

    play(process, typed[:begin], renamed, stdin="nothing to read")
    for number in ("1.3.0", "1.4.0"):
        text = (home / slug / "manifest.yaml").read_text()
        changed = re.sub(r"^version: .*$", f'version: "{number}"', text, flags=re.MULTILINE)
        (home / slug / "manifest.yaml").write_text(changed)
        if number == "1.3.0":
            assert admin("app", "publish", slug).code == 0
    play(process, rest, renamed, stdin="nothing to read")

    listed = admin("app", "versions", slug, "-o", "json").json()["items"]
    assert {each["number"]: each["status"] for each in listed} == {
        "1.3.0": "retired",
        "1.4.0": "published",
    }
    channels = admin("app", "channels", slug, "-o", "json").json()["items"]
    assert [each["channel"] for each in channels] == ["dev", "prod"]
    assert len(admin("operators", "list", f"{org}/widgets", "-o", "json").json()["items"]) == 1
