"""Configurations: defaults, faults, effects."""

from typing import Any

import pytest

from core.tests.instances.test_rules import manifest
from moorage_core.instances import config, rules
from moorage_manifest import Manifest

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "size": {"type": "integer", "default": 3},
        "tls": {
            "type": "object",
            "properties": {"port": {"type": "integer", "default": 443}, "a/b": {"type": "string"}},
        },
        "log": {"$ref": "#/$defs/log"},
    },
    "$defs": {
        "log": {
            "type": "object",
            "default": {},
            "properties": {"level": {"type": "string", "default": "info"}},
        }
    },
}
EFFECTS = {"size": "reconfigure", "/tls/port": "none", "tls": "restart"}


def app(schema: dict[str, Any] | None = None) -> Manifest:
    return manifest(config={"schema": schema or SCHEMA, "effects": EFFECTS})


def test_defaults_are_filled_in_wherever_the_schema_has_them() -> None:
    settled = config.settled(app(), {"name": "a", "tls": {}})

    assert settled == {"name": "a", "size": 3, "tls": {"port": 443}, "log": {"level": "info"}}


def test_what_was_given_is_not_changed() -> None:
    given: dict[str, Any] = {"name": "a", "tls": {}}

    config.settled(app(), given)

    assert given == {"name": "a", "tls": {}}


def test_every_fault_is_named_by_its_place() -> None:
    with pytest.raises(rules.InvalidConfig) as caught:
        config.settled(app(), {"size": "large", "colour": "red"})

    assert sorted(fault.location for fault in caught.value.errors) == [
        "body.config.colour",
        "body.config.name",
        "body.config.size",
    ]


def test_an_app_without_configuration_takes_none() -> None:
    assert config.settled(manifest(), {}) == {}
    with pytest.raises(rules.InvalidConfig):
        config.settled(manifest(), {"size": 1})


@pytest.mark.parametrize(
    ("before", "after", "effects"),
    [
        ({"size": 1}, {"size": 2}, {"/size": "reconfigure"}),
        ({"size": 1}, {"size": 1}, {}),
        ({"tls": {"port": 1}}, {"tls": {"port": 2}}, {"/tls/port": "none"}),
        ({"tls": {"port": 1}}, {"tls": {"port": 1, "a/b": "c"}}, {"/tls/a~1b": "restart"}),
        ({}, {"name": "a"}, {"/name": "restart"}),
        ({"name": 1}, {"name": True}, {"/name": "restart"}),
    ],
)
def test_each_changed_field_has_its_effect(
    before: dict[str, Any], after: dict[str, Any], effects: dict[str, str]
) -> None:
    assert config.effects(app(), before, after) == effects


def test_the_strongest_effect_is_that_of_the_change() -> None:
    assert config.strongest({"/a": "none", "/b": "restart", "/c": "reconfigure"}) == "restart"
    assert config.strongest({"/a": "none"}) == "none"
    assert config.strongest({}) == "none"
