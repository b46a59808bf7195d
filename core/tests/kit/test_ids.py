"""Ids sort by birth, also those of one millisecond."""

import uuid
from concurrent.futures import ThreadPoolExecutor

from moorage_core.kit.ids import TaskId, uuid7


def test_ids_made_one_after_the_other_sort_so() -> None:
    made = [TaskId.new() for _ in range(10_000)]

    assert made == sorted(made)


def test_an_id_is_a_version_7_uuid() -> None:
    read = [uuid.UUID(int=uuid7()) for _ in range(1_000)]

    assert {(each.version, each.variant) for each in read} == {(7, uuid.RFC_4122)}


def test_no_two_threads_make_the_same_id() -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: uuid7(), range(20_000)))

    assert len(set(made)) == len(made)
