"""The page that explains artifacts tells the truth."""

from pathlib import Path

from moorage_core.artifacts import local_blobs, rules, uploads
from moorage_core.artifacts.rules import Lifecycle, Trust
from moorage_core.pulls import rules as pull_rules

PAGE = Path(__file__).parents[3] / "docs/explanation/artifacts.md"


def test_the_page_names_every_state_and_the_numbers_in_force() -> None:
    text = PAGE.read_text()

    for state in (*Lifecycle, *Trust):
        assert f"| `{state}` |" in text
    assert f"nothing for {uploads.STALLED_AFTER:g} seconds" in text
    assert f"goes on with for {rules.IDLE.total_seconds() / 3600:g} hours" in " ".join(text.split())
    assert f"last row by {rules.KEPT.total_seconds() / 3600:g} hours" in " ".join(text.split())
    assert f"{local_blobs.PIECE >> 20} MiB on the way in" in text
    assert f"{local_blobs.GIVEN >> 10} KiB on the way out" in text
    assert rules.SIGNED_PREFIX == b"moorage artifact v1\n"
    assert pull_rules.LIFETIME.total_seconds() == 5 * 60
    assert "five minutes" in text


def test_the_page_names_what_an_upload_and_a_pull_are_refused_with() -> None:
    text = PAGE.read_text()

    for refusal in (
        rules.UploadOffset,
        rules.UploadBusy,
        rules.DigestMismatch,
        rules.StoreFull,
        rules.ContentUnavailable,
        pull_rules.SecretWrong,
        pull_rules.PullExpired,
    ):
        assert f"{refusal.status} `{refusal.code}`" in " ".join(text.split())
