"""What topics say of the instances that somebody watches."""

from moorage_core.events import movements
from moorage_core.events.movements import Movement


def test_a_topic_names_what_moved() -> None:
    topics = {
        movements.topic("ins_1", "operations"),
        movements.topic("ins_1", "views", "echo.keys"),
        movements.topic("ins_2", "instance"),
        "org:org_1",
    }

    found = movements.told(topics, ["ins_1"])

    assert found == [Movement("ins_1", "operations"), Movement("ins_1", "views", "echo.keys")]


def test_who_may_have_missed_something_is_told_to_look_at_everything() -> None:
    found = movements.told({movements.subject("ins_1")}, ["ins_1"])

    assert {each.what for each in found} == {"instance", "operations", "views"}
    assert {each.name for each in found} == {None}


def test_hints_alone_are_no_reason_to_read() -> None:
    hint = movements.topic("ins_1", "instance")

    assert not movements.is_news({hint})
    assert movements.is_news({hint, "org:org_1"})
