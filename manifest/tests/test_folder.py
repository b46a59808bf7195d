"""An app's folder: the manifest and the files that it names, and nothing else."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from manifest.tests.examples import SMALL, only
from moorage_manifest import folder, read


def write(root: Path, files: dict[str, bytes]) -> Path:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root


def artifact(file: str, content: bytes = b"bytes", **changes: Any) -> dict[str, Any]:
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    named = {"name": "a", "digest": digest, "size": len(content), "media_type": "text/plain"}
    return {**named, "file": file, **changes}


def app(root: Path, **sections: Any) -> Path:
    return write(root, {"manifest.yaml": json.dumps(SMALL | sections).encode()})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_bytes(b"bytes")
    (tmp_path / "app").mkdir()
    return tmp_path / "app"


@pytest.mark.parametrize(
    ("slug", "name"), [("echo", None), ("hello-you", 'Say: "hi" # @slug@ é'), ("a", "- *x")]
)
def test_a_skeleton_validates(root: Path, slug: str, name: str | None) -> None:
    write(root, folder.skeleton(slug, name))

    found = folder.load(root)

    assert found.faults == []
    assert found.manifest is not None
    assert (found.manifest.slug, found.manifest.name) == (slug, name or slug.capitalize())
    assert list(found.files) == ["greeting.txt"]
    assert found.runbook is not None
    assert "@" not in (found.text + found.runbook).replace("@slug@", "")


@pytest.mark.parametrize(
    ("slug", "name"),
    [
        ("iam", None),
        ("scheduler", None),
        ("A", None),
        ("../x", None),
        ("a", ""),
        ("a", "b\nc: d"),
        ("a", "\ud800"),
        ("a", "\x1b"),
    ],
)
def test_no_skeleton_is_made_for_a_name_that_no_app_may_have(slug: str, name: str | None) -> None:
    with pytest.raises(folder.BadName):
        folder.skeleton(slug, name)


def test_what_a_publisher_sends_is_what_was_judged(root: Path) -> None:
    write(root, folder.skeleton("echo"))

    found = folder.load(root)

    assert read(found.text).manifest == found.manifest
    assert found.runbook == (root / "runbook.md").read_text()
    assert (
        found.files["greeting.txt"].read_bytes() == (root / "artifacts/greeting.txt").read_bytes()
    )


def test_a_changed_file_is_told_its_digest_and_size(root: Path) -> None:
    write(root, folder.skeleton("echo"))
    (root / "artifacts/greeting.txt").write_bytes(b"other")
    digest = hashlib.sha256(b"other").hexdigest()

    faults = folder.validate(root)

    assert [(fault.path, fault.message) for fault in faults] == [
        (
            "artifacts[0].digest",
            f"artifacts/greeting.txt has another digest: write 'digest: sha256:{digest}'",
        ),
        ("artifacts[0].size", "artifacts/greeting.txt has 5 bytes: write 'size: 5'"),
    ]
    line = (root / "manifest.yaml").read_text().splitlines()[faults[0].line - 1]
    assert line[faults[0].column - 1 :].startswith("sha256:")


def test_files_that_are_missing_are_told_together(root: Path) -> None:
    app(root, artifacts=[artifact("a.bin")], runbook="runbook.md")

    assert [fault.message for fault in folder.validate(root)] == [
        "there is no a.bin in the folder",
        "there is no runbook.md in the folder",
    ]


def test_an_artifact_without_a_file_needs_none(root: Path) -> None:
    app(root, artifacts=[artifact("x") | {"file": None}])

    assert folder.validate(root) == []


def test_a_link_that_stays_inside_is_followed(root: Path) -> None:
    write(root, {"real": b"bytes"})
    (root / "link").symlink_to("real")
    app(root, artifacts=[artifact("link")])

    assert folder.validate(root) == []


@pytest.mark.parametrize("target", ["../secret", "/etc/passwd"])
def test_a_link_out_of_the_folder_is_refused(root: Path, target: str) -> None:
    (root / "link").symlink_to(target)
    app(root, artifacts=[artifact("link")])

    assert only(folder.validate(root)).message == "link leads out of the folder"


def test_a_folder_that_is_a_link_out_is_refused(root: Path) -> None:
    (root / "artifacts").symlink_to("..")
    app(root, artifacts=[artifact("artifacts/secret")], runbook="artifacts/secret.md")
    (root.parent / "secret.md").write_text("hidden")

    found = folder.load(root)

    assert [fault.message for fault in found.faults] == [
        "artifacts/secret leads out of the folder",
        "artifacts/secret.md leads out of the folder",
    ]
    assert found.runbook is None


def test_a_manifest_that_is_a_link_out_is_refused(root: Path) -> None:
    (root.parent / "other.yaml").write_text(json.dumps(SMALL))
    (root / "manifest.yaml").symlink_to("../other.yaml")

    assert only(folder.validate(root)).message == "manifest.yaml leads out of the folder"


def test_links_that_go_round_are_refused(root: Path) -> None:
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    app(root, artifacts=[artifact("one")])

    assert only(folder.validate(root)).message == "one cannot be reached"


def test_only_regular_files_are_opened(root: Path) -> None:
    os.mkfifo(root / "pipe")  # Opening it would wait for ever.
    (root / "folder").mkdir()
    app(root, artifacts=[artifact("pipe"), artifact("folder", name="b")])

    assert [fault.message for fault in folder.validate(root)] == [
        "pipe is not a regular file",
        "folder is not a regular file",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "runbook.md is not UTF-8 text"),
        (b"x" * 300_000, "runbook.md is larger than 256 KiB"),
    ],
)
def test_a_runbook_that_nobody_could_read_is_refused(
    root: Path, content: bytes, message: str
) -> None:
    app(write(root, {"runbook.md": content}), runbook="runbook.md")

    assert only(folder.validate(root)).message == message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: \xff", "this is not UTF-8 text"),
        (b"x" * 5_000_000, "manifest.yaml is larger than 256 KiB"),
        (b"", "the file is empty"),
    ],
)
def test_a_manifest_that_cannot_be_read_is_one_fault(
    root: Path, content: bytes, message: str
) -> None:
    write(root, {"manifest.yaml": content})

    assert message in only(folder.validate(root)).message


def test_a_folder_that_is_not_there_has_no_manifest(tmp_path: Path) -> None:
    assert "there is no manifest.yaml" in only(folder.validate(tmp_path / "nowhere")).message


def test_a_byte_order_mark_does_not_reach_the_platform(root: Path) -> None:
    write(root, {"manifest.yaml": b"\xef\xbb\xbf" + json.dumps(SMALL).encode()})

    assert folder.load(root).text == json.dumps(SMALL)
