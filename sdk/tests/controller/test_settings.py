"""What a controller takes from the environment."""

import pytest

from moorage.controller.settings import Settings, SettingsWrong

GIVEN = {
    "MOORAGE_URL": "https://moorage.example.org",
    "MOORAGE_SERVICE_ACCOUNT": "sac_1",
    "MOORAGE_KEY": "key_1",
    "MOORAGE_KEY_FILE": "operator.pem",
}


def test_a_replica_has_a_name_of_its_own() -> None:
    first, second = Settings.read(GIVEN), Settings.read(GIVEN)

    assert first.replica != second.replica
    assert (first.capacity, first.health_port) == (32, None)


def test_steps_have_as_long_to_end_as_the_setting_says() -> None:
    assert Settings.read(GIVEN).grace == 10
    assert Settings.read(GIVEN | {"MOORAGE_GRACE": "0"}).grace == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"MOORAGE_URL": ""}, "Set MOORAGE_URL"),
        ({"MOORAGE_KEY_FILE": ""}, "either MOORAGE_KEY_FILE or MOORAGE_SECRET_FILE"),
        ({"MOORAGE_SECRET_FILE": "s"}, "either MOORAGE_KEY_FILE or MOORAGE_SECRET_FILE"),
        ({"MOORAGE_CAPACITY": "many"}, "MOORAGE_CAPACITY is a whole number"),
        ({"MOORAGE_HEALTH_PORT": "70000"}, "MOORAGE_HEALTH_PORT is a whole number"),
    ],
)
def test_a_setting_that_is_missing_or_wrong_is_named(change: dict[str, str], why: str) -> None:
    with pytest.raises(SettingsWrong, match=why):
        Settings.read(GIVEN | change)
