"""Artifacts, publisher keys and pulls from the command line, against a real platform."""

import asyncio
import functools
import hashlib
import os
import stat
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import moorage
from cli.tests import test_catalog_pages
from cli.tests.conftest import Moor
from moorage import Client, PrivateKey
from sdk.tests import running, shops
from sdk.tests.running import Platform
from sdk.tests.shops import Shop


@pytest.fixture
def project(admin: Moor) -> str:
    org = f"c{running.free_port()}"
    admin("orgs", "create", org, "--name", "Acme", "--admin", running.ADMIN)
    admin("projects", "create", org, "alpha", "--name", "Alpha")
    return f"{org}/alpha"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "thing.tar"
    made.write_bytes(os.urandom(100_000))
    return made


@pytest.fixture
def key(admin: Moor, project: str, tmp_path: Path) -> Path:
    """The file of a registered key."""
    made = tmp_path / "release.pem"
    admin("publisher-keys", "create", project, "release", "--generate", str(made))
    return made


@pytest.fixture
def shelf(admin: Moor, project: str, tmp_path: Path) -> Iterator[str]:
    """A source of the project's org that has the files of the test's folder."""
    handler = functools.partial(SimpleHTTPRequestHandler, directory=tmp_path)
    org = project.partition("/")[0]
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        admin(
            *("sources", "create", org, "shelf", "--name", "Shelf"),
            *("--kind", "https"),
            "--url",
            url,
        )
        yield f"{org}/shelf"
        server.shutdown()
        thread.join()


def digest_of(file: Path) -> str:
    return f"sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}"


def test_what_lies_at_a_source_is_registered_when_it_is_what_was_said(
    admin: Moor, project: str, file: Path, key: Path, shelf: str
) -> None:
    register = ("artifacts", "register", project, "thing.tar", "--source", shelf, "-o", "json")
    there, size = ("--location", "thing.tar"), ("--size", "100000")

    wrong = admin(*register, *there, *size, "--digest", f"sha256:{'a' * 64}")
    made = admin(*register, *there, *size, "--digest", digest_of(file)).json()
    signed = admin("artifacts", "sign", made["id"], "--key", str(key), "-o", "json").json()

    assert wrong.code != 0
    assert "not what was registered" in wrong.err
    assert (made["lifecycle"], signed["trust"]) == ("published", "verified")


def test_a_file_is_uploaded_signed_found_and_revoked(
    admin: Moor, project: str, file: Path, key: Path
) -> None:
    artifacts, here = ("artifacts",), ("--project", project, "-o", "json")
    digest = digest_of(file)
    media = ("--media-type", "application/x-tar")
    uploaded = admin(*artifacts, "upload", project, str(file), *media, "-o", "json").json()
    again = admin(*artifacts, "upload", project, str(file), "-o", "json").json()
    signed = admin(*artifacts, "sign", digest, "--key", str(key), *here).json()
    got = admin(*artifacts, "get", "thing.tar", *here).json()
    signatures = admin(*artifacts, "signatures", digest, *here).json()["items"]
    shown = admin(*artifacts, "get", digest, "--project", project).out
    deprecated = admin(*artifacts, "deprecate", digest, *here).json()
    restored = admin(*artifacts, "restore", digest, *here).json()
    retired = admin(*artifacts, "retire", digest, *here, "--yes").json()
    revoked = admin(
        *artifacts, "revoke", digest, *here, "--reason", "It opens a back door.", "--yes"
    ).json()

    assert (uploaded["name"], uploaded["digest"], uploaded["media_type"]) == (
        "thing.tar",
        digest,
        "application/x-tar",
    )
    assert (uploaded["id"], uploaded["trust"]) == (again["id"], "unverified")
    assert signed["trust"] == got["trust"] == "verified"
    assert [each["key_id"] in shown for each in signatures] == [True]
    assert [each["lifecycle"] for each in (deprecated, restored, retired)] == [
        "deprecated",
        "published",
        "retired",
    ]
    assert (revoked["trust"], revoked["trust_reason"]) == ("revoked", "It opens a back door.")
    listed = admin(*artifacts, "list", project, "--trust", "revoked", "-o", "json").json()["items"]
    assert [each["id"] for each in listed] == [uploaded["id"]]


def test_a_file_is_signed_as_it_is_uploaded(
    admin: Moor, project: str, file: Path, key: Path
) -> None:
    upload = ("artifacts", "upload", project, str(file), "--key", str(key), "-o", "json")

    first, again = admin(*upload).json(), admin(*upload).json()

    assert first["trust"] == again["trust"] == "verified"


def test_an_artifact_that_nobody_uses_is_deleted(admin: Moor, project: str, file: Path) -> None:
    made = admin("artifacts", "upload", project, str(file), "-o", "json").json()

    unsure = admin("artifacts", "delete", made["id"])
    deleted = admin("artifacts", "delete", made["id"], "--yes", "-o", "json").json()

    assert unsure.code == 1
    assert deleted == {"id": made["id"], "deleted": True}
    assert admin("artifacts", "get", made["id"]).code == 4


def test_the_platform_revokes_by_break_glass(admin: Moor, project: str, file: Path) -> None:
    made = admin("artifacts", "upload", project, str(file), "-o", "json").json()

    revoked = admin(
        *("artifacts", "revoke", made["id"], "--as-platform", "--yes", "-o", "json"),
        *("--reason", "It mines coins for a stranger."),
    ).json()

    assert revoked["trust"] == "revoked"


def test_a_key_is_made_here_and_only_its_public_half_leaves(
    admin: Moor, project: str, tmp_path: Path
) -> None:
    keys, made = ("publisher-keys",), tmp_path / "release.pem"
    created = admin(
        *keys, "create", project, "release", "--generate", str(made), "-o", "json"
    ).json()
    again = admin(*keys, "create", project, "again", "--key", str(made))
    over = admin(*keys, "create", project, "other", "--generate", str(made))
    neither = admin(*keys, "create", project, "other")
    revoked = admin(
        *(*keys, "revoke", "release", "--project", project, "--yes", "-o", "json"),
        *("--reason", "It was copied."),
    ).json()
    listed = admin(*keys, "list", project, "-o", "json").json()["items"]

    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert created["public_key"]["x"] == PrivateKey.load(made).public.x
    assert (again.code, over.code, neither.code) == (5, 1, 1)
    assert revoked["revoked"] is True
    assert [each["id"] for each in listed] == [created["id"]]


def test_a_key_that_cannot_be_registered_leaves_no_file(admin: Moor, tmp_path: Path) -> None:
    made = tmp_path / "release.pem"

    refused = admin(
        "publisher-keys", "create", "prj_" + "7" * 26, "release", "--generate", str(made)
    )

    assert refused.code == 4
    assert not made.exists()


@pytest.mark.parametrize("content", [b"", b"not a key"])
def test_what_is_no_key_signs_nothing(
    admin: Moor, project: str, file: Path, tmp_path: Path, content: bytes
) -> None:
    wrong = tmp_path / "wrong.pem"
    wrong.write_bytes(content)
    other = tmp_path / "other.pem"
    other.write_bytes(PrivateKey.generate().pem)
    made = admin("artifacts", "upload", project, str(file), "-o", "json").json()

    no_key = admin("artifacts", "sign", made["id"], "--key", str(wrong))
    absent = admin("artifacts", "sign", made["id"], "--key", str(tmp_path / "absent.pem"))
    unknown = admin("artifacts", "sign", made["id"], "--key", str(other))

    assert (no_key.code, absent.code, unknown.code) == (1, 1, 4)
    assert "publisher-keys create" in unknown.err


def test_a_file_that_is_not_there_is_said(admin: Moor, project: str, tmp_path: Path) -> None:
    ran = admin("artifacts", "upload", project, str(tmp_path / "absent"))

    assert ran.code == 1
    assert "cannot be read" in ran.err


def test_artifacts_are_signed_and_revoked_as_the_page_says(
    admin: Moor,
    process: Moor,
    project: str,
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file.rename(tmp_path / "greeter.tar")
    monkeypatch.chdir(tmp_path)
    org, slug = project.split("/")

    typed = test_catalog_pages.lines("sign-and-revoke-artifacts.md")
    test_catalog_pages.play(process, typed, {"acme": org, "widgets": slug}, stdin="none")

    (left,) = admin("artifacts", "list", project, "-o", "json").json()["items"]
    assert (left["name"], left["trust"]) == ("greeter.tar", "revoked")


# Pulls


@pytest.fixture
def shop(admin: Moor, project: str, file: Path, platform: Platform, token: str) -> Shop:
    id = admin("projects", "get", project, "-o", "json").json()["id"]

    async def make() -> Shop:
        async with Client(platform.url, auth=moorage.AccessToken(token)) as client:
            return await shops.open_shop(client, await client.projects.get(id), file)

    return asyncio.run(make())


def test_an_artifact_is_fetched(admin: Moor, project: str, shop: Shop, tmp_path: Path) -> None:
    to = tmp_path / "got.tar"
    fetch = ("pulls", "fetch", project, shop.app.slug, shop.artifact.name, "--to", str(to))

    ran = admin(*fetch, "--version", "1.0.0", "--signed-by", shop.key.public.x)
    as_json = admin(*fetch, "-o", "json").json()

    assert ran.code == 0, ran.err
    assert digest_of(to) == shop.artifact.digest
    assert (as_json["file"], as_json["digest"], as_json["version"]) == (
        str(to),
        shop.artifact.digest,
        "1.0.0",
    )
    assert "moor_pul_" not in ran.out + ran.err + str(as_json)


def test_what_an_unknown_key_signed_is_not_fetched(
    admin: Moor, project: str, shop: Shop, tmp_path: Path
) -> None:
    to = tmp_path / "got.tar"

    ran = admin(
        *("pulls", "fetch", project, shop.app.slug, shop.artifact.name, "--to", str(to)),
        *("--signed-by", PrivateKey.generate().public.x, "-o", "json"),
    )

    assert (ran.code, ran.problem()["code"]) == (5, "signature_broken")
    assert not to.exists()


def test_a_refusal_names_the_layer(admin: Moor, project: str, shop: Shop, tmp_path: Path) -> None:
    admin("artifacts", "revoke", shop.artifact.id, "--reason", "It opens a back door.", "--yes")

    ran = admin(
        *("pulls", "fetch", project, shop.app.slug, shop.artifact.name),
        *("--to", str(tmp_path / "got.tar"), "--channel", "prod"),
    )
    by_version = admin(
        *("pulls", "fetch", project, shop.app.slug, shop.artifact.name),
        *("--to", str(tmp_path / "got.tar")),
    )

    assert (ran.code, by_version.code) == (3, 3)
    assert "policy_refused" in by_version.err
    assert "trust" in by_version.err
    assert "It opens a back door." in by_version.err
