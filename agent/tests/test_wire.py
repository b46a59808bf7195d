"""D-Bus as bytes."""

import pytest

from moorage_agent import systemd, wire


def sent(signature: str, *values: object) -> wire.Message:
    """A message that went through bytes and back."""
    data = bytearray(
        wire.call(7, "Do", path="/a/b", interface="x.y", signature=signature, values=values)
    )
    message = wire.take(data)
    assert message is not None
    assert data == b""
    return message


@pytest.mark.parametrize(
    ("signature", "values"),
    [
        ("", []),
        ("s", ["grüße"]),
        ("ybnqiuxtd", [1, 1, -2, 3, -4, 5, -6, 7, 0.5]),
        ("as", [["a", "", "ccc"]]),
        ("yat", [1, [1, 2**63]]),
        ("a(sasas)", [[("p", ["a", "b"], []), ("", [], ["x"])]]),
        ("(aiai)", [([1, 2], [])]),
        ("sa{st}", ["k", {"one": 1, "two": 2}]),
        ("g", ["a{sv}"]),
    ],
)
def test_values_come_back_as_they_went(signature: str, values: list[object]) -> None:
    given = [list(value.items()) if isinstance(value, dict) else value for value in values]

    message = sent(signature, *given)

    assert message.body() == values
    assert (message.path, message.member, message.serial) == ("/a/b", "Do", 7)


def test_a_variant_is_read_as_its_value() -> None:
    assert sent("a(sv)", [("n", ("i", -1)), ("s", ("as", ["x"]))]).body() == [
        [("n", -1), ("s", ["x"])]
    ]


def test_a_message_is_taken_only_when_it_is_whole() -> None:
    whole = wire.call(1, "Do", path="/", interface="x.y", signature="s", values=["hello"])

    for length in range(len(whole)):
        assert wire.take(bytearray(whole[:length])) is None
    two = bytearray(whole + whole[:5])
    assert wire.take(two) is not None
    assert bytes(two) == whole[:5]


def test_signals_about_other_things_are_skipped_and_answers_are_not() -> None:
    def signal(path: str) -> bytes:
        data = bytearray(wire.call(1, "Changed", path=path, interface="x.y"))
        data[1] = wire.SIGNAL
        return bytes(data)

    buffer = bytearray(signal("/other") + signal("/mine") + signal("/other"))
    buffer += wire.call(2, "Do", path="/other", interface="x.y")

    first, second = wire.take(buffer, about=[b"/mine"]), wire.take(buffer, about=[b"/mine"])

    assert first is not None
    assert second is not None
    assert (first.path, second.serial, buffer) == ("/mine", 2, b"")


def test_a_foreign_or_endless_message_is_refused() -> None:
    with pytest.raises(wire.Malformed):
        wire.take(bytearray(b"B" + b"\0" * 20))
    with pytest.raises(wire.Malformed):
        wire.take(bytearray(b"l\1\0\1\xff\xff\xff\x7f" + b"\0" * 12))


def test_a_units_object_is_found_by_its_name() -> None:
    path = systemd.object_path("moorage-task-tsk_1.service")

    assert path.endswith("/unit/moorage_2dtask_2dtsk_5f1_2eservice")
