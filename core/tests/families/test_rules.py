"""What a family may be called and hold, and what may become of it."""

from datetime import UTC, datetime

import pytest

from moorage_core.families import rules
from moorage_core.families.models import FamilyRow
from moorage_core.families.schemas import FamilyKeyWrite, FamilyWrite
from moorage_manifest import Family, shipped

NOW = datetime(2026, 11, 15, tzinfo=UTC)


def written(*keys: tuple[str, str | None]) -> FamilyWrite:
    entries = [FamilyKeyWrite(key=key, description="Look.", means=means) for key, means in keys]
    return FamilyWrite(description="Queues of work.", keys=entries)


def kept(*keys: tuple[str, str | None]) -> FamilyRow:
    entries = [{"key": key, "description": "Look.", "means": means} for key, means in keys]
    return FamilyRow("batch-queue", "Queues of work.", entries, 1, NOW, NOW)


@pytest.mark.parametrize("name", ["iam", "catalog", "apps", "policy", "store", "moorage"])
def test_a_word_of_the_platform_is_no_familys_name(name: str) -> None:
    with pytest.raises(rules.NameReserved):
        rules.check_name(name)


def test_any_other_name_will_do() -> None:
    rules.check_name("batch-queue")


def test_keys_begin_with_the_name_and_mean_what_exists() -> None:
    rules.check_keys(
        "batch-queue",
        written(
            ("batch_queue.job.read", None),
            ("batch_queue.instance.read", "apps.instance.read"),
        ),
    )


@pytest.mark.parametrize(
    ("keys", "place", "names"),
    [
        ([("batch.job.read", None)], "body.keys.0.key", "batch.job.read"),
        ([("batch_queues.job.read", None)], "body.keys.0.key", "batch_queues.job.read"),
        ([("iam.org.delete", None)], "body.keys.0.key", "iam.org.delete"),
        ([("batch_queue.job.read", "apps.job.read")], "body.keys.0.means", "apps.job.read"),
        (
            [("batch_queue.job.read", None), ("batch_queue.job.read", None)],
            "body.keys.1.key",
            "batch_queue.job.read",
        ),
        (
            [("batch_queue.job.read", "batch_queue.job.read")],
            "body.keys.0.means",
            "batch_queue.job.read",
        ),
    ],
)
def test_any_other_key_is_refused_by_name(
    keys: list[tuple[str, str | None]], place: str, names: str
) -> None:
    with pytest.raises(rules.KeyNotAllowed) as refusal:
        rules.check_keys("batch-queue", written(*keys))

    [fault] = refusal.value.errors
    assert fault.location == place
    assert names in fault.message
    assert names in refusal.value.detail


def test_keys_may_be_added_and_reworded() -> None:
    have = kept(("batch_queue.job.read", None))
    more = written(("batch_queue.job.cancel", None), ("batch_queue.job.read", None))

    rules.check_extends(have, more)


@pytest.mark.parametrize(
    "after",
    [
        [("batch_queue.job.cancel", None)],
        [("batch_queue.job.read", "apps.instance.read"), ("batch_queue.job.cancel", None)],
        [("batch_queue.job.read", None)],
    ],
)
def test_a_key_that_goes_or_means_something_else_is_named(
    after: list[tuple[str, str | None]],
) -> None:
    have = kept(("batch_queue.job.read", None), ("batch_queue.job.cancel", None))
    lost = {"batch_queue.job.read", "batch_queue.job.cancel"} - {
        key for key, means in after if means is None
    }

    with pytest.raises(rules.KeysStay) as refusal:
        rules.check_extends(have, written(*after))

    assert {key for key in lost if key in refusal.value.detail} == lost
    assert len(refusal.value.errors) == len(lost)


def test_a_key_cannot_stop_standing_for_the_platforms() -> None:
    have = kept(("batch_queue.instance.read", "apps.instance.read"))

    with pytest.raises(rules.KeysStay):
        rules.check_extends(have, written(("batch_queue.instance.read", None)))


def test_a_ceiling_has_each_key_once() -> None:
    family = kept(("batch_queue.job.read", None), ("batch_queue.job.cancel", None))

    keys = rules.ceiling(family, ["batch_queue.job.read", "batch_queue.job.read"])

    assert keys == ["batch_queue.job.read"]


def test_a_ceiling_of_keys_that_the_family_lacks_is_refused() -> None:
    with pytest.raises(rules.KeyUnknown) as refusal:
        rules.ceiling(kept(("batch_queue.job.read", None)), ["batch_queue.job.write"])

    assert refusal.value.errors[0].location == "body.keys.0"


def test_manifests_are_judged_by_what_was_kept() -> None:
    family = rules.as_known(kept(("batch_queue.instance.read", "apps.instance.read")))

    assert family.namespace == "batch_queue"
    assert family.keys[0].means == "apps.instance.read"


def comes_with(*keys: tuple[str, str | None], says: str = "Look.") -> Family:
    """A family as a release brings it."""
    entries = [{"key": key, "description": says, "means": means} for key, means in keys]
    return Family.model_validate({"name": "batch-queue", "description": says, "keys": entries})


@pytest.mark.parametrize("name", shipped())
def test_what_comes_with_a_release_is_a_family_that_an_admin_could_write(name: str) -> None:
    rules.check_name(name)
    rules.check_keys(name, rules.brought_up(None, shipped()[name]) or written())


def test_a_family_that_is_there_gets_the_keys_and_words_that_a_release_brings() -> None:
    have = kept(("batch_queue.job.read", None), ("batch_queue.job.own", None))
    brings = comes_with(("batch_queue.job.read", None), ("batch_queue.job.end", None), says="See.")

    up = rules.brought_up(have, brings)

    assert up is not None
    assert up.description == "See."
    assert [(entry.key, entry.description) for entry in up.keys] == [
        ("batch_queue.job.read", "See."),
        ("batch_queue.job.own", "Look."),
        ("batch_queue.job.end", "See."),
    ]
    rules.check_extends(have, up)


def test_a_key_that_came_to_mean_something_else_stays_what_tenants_agreed_to() -> None:
    have = kept(("batch_queue.job.read", "apps.instance.read"))

    up = rules.brought_up(have, comes_with(("batch_queue.job.read", None), says="See."))

    assert up is not None
    assert [(entry.means, entry.description) for entry in up.keys] == [
        ("apps.instance.read", "Look.")
    ]


def test_a_family_that_says_it_all_is_left_alone() -> None:
    have = kept(("batch_queue.job.own", None), ("batch_queue.job.read", None))
    have = FamilyRow("batch-queue", "Look.", have.keys, 1, NOW, NOW)

    assert rules.brought_up(have, comes_with(("batch_queue.job.read", None))) is None
