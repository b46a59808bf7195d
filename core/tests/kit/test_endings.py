"""Tasks are ended, also those that miss the first word."""

import asyncio

import pytest

from moorage_core.kit import endings


async def deaf(words: list[str], *, times: int) -> None:
    """Work in a loop that misses so many cancellations."""
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            words.append("heard")
            if len(words) > times:
                raise


async def fail() -> None:
    raise ValueError("nobody asks for this any more")


@pytest.mark.parametrize("times", [0, 1, 3])
async def test_a_task_that_misses_a_cancellation_is_told_again(
    times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endings, "AGAIN_SECONDS", 0.01)
    words: list[str] = []
    task = asyncio.create_task(deaf(words, times=times))
    await asyncio.sleep(0)

    await endings.end([task])

    assert task.cancelled()
    assert len(words) == times + 1


async def test_tasks_that_ended_already_are_left_as_they_are() -> None:
    task = asyncio.create_task(fail())
    await asyncio.wait({task})

    await endings.end([task])

    assert isinstance(task.exception(), ValueError)


async def test_no_tasks_are_at_their_end_at_once() -> None:
    await endings.end([])

    assert asyncio.all_tasks() == {asyncio.current_task()}
