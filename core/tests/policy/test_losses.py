"""What counts as lost: the rules that are enforced decide, before a change and after it."""

import dataclasses
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.tests.policy import worlds
from core.tests.policy.worlds import World, artifact, documents, entitle, facts, layer, release
from moorage_core.policy import breaks, limits, rules
from moorage_core.policy.facts import Facts
from moorage_core.policy.limits import Layer
from moorage_core.policy.models import LEVELS, Break, Level, Place, Wanted

PLACE = Place("org", "org_2")


def put(known: Facts, changed: Layer) -> Facts:
    layers = [changed if each.level == changed.level else each for each in known.layers]
    return dataclasses.replace(known, layers=layers)


def lost(known: Facts, before: Layer, after: Layer) -> Break | None:
    assert known.entitlement is not None
    return breaks.lost(known, known.entitlement, before, after)


def closed(known: Facts, before: Layer, after: Layer) -> list[tuple[str | None, str | None]]:
    above = [each.limits for each in known.layers[: LEVELS.index(before.level)]]
    was, now = (limits.effective([*above, each.limits]) for each in (before, after))
    return [(each.dimension, each.value) for each in breaks.closed(PLACE, "It", was, now)]


def is_broken(known: Facts, before: Layer, after: Layer, kind: Any) -> bool:
    """Whether what was allowed is refused, or comes to another version because its own is."""
    wanted = Wanted("prj_2", worlds.ECHO.id, kind)
    was, now = (rules.judge(put(known, each), wanted) for each in (before, after))
    if not was.allowed or was.version is None or now.version == was.version:
        return was.allowed and not now.allowed
    same = dataclasses.replace(wanted, version=was.version.id)
    return not now.allowed or not rules.judge(put(known, after), same).allowed


@settings(max_examples=150)
@given(worlds.worlds(), st.sampled_from(LEVELS), documents)
def test_an_entitlement_is_named_exactly_if_something_allowed_is_refused_or_changes(
    world: World, level: Level, document: dict[str, Any]
) -> None:
    """But for kinds and amounts, which are named once for all: see the next."""
    assume(world.entitlement is not None)
    known, said = world.facts, world.chain.get(level, {})
    same = {name: said[name] for name in ("operations", "quotas") if name in said}
    rest = {name: each for name, each in document.items() if name not in ("operations", "quotas")}
    before, after = layer(level, said), layer(level, rest | same)

    found = lost(known, before, after)

    broken = [kind for kind in breaks.GROWING if is_broken(known, before, after, kind)]
    assert (found is not None) == bool(broken), (found, broken)


@settings(max_examples=150)
@given(worlds.worlds(), st.sampled_from(LEVELS), documents)
def test_nothing_is_lost_without_being_named(
    world: World, level: Level, document: dict[str, Any]
) -> None:
    assume(world.entitlement is not None)
    known = world.facts
    before, after = layer(level, world.chain.get(level, {})), layer(level, document)

    one, alike = lost(known, before, after), closed(known, before, after)

    quotas = [dimension for dimension, _ in alike if str(dimension).startswith("quotas.")]
    for kind in breaks.GROWING:
        if is_broken(known, before, after, kind):
            assert one or ("operations", kind) in alike or quotas, kind


@settings(max_examples=100)
@given(worlds.worlds(), st.sampled_from(LEVELS), documents)
def test_a_kind_is_named_exactly_if_the_layer_and_those_above_allowed_it(
    world: World, level: Level, document: dict[str, Any]
) -> None:
    known = dataclasses.replace(world, entitlement=entitle()).facts
    before, after = layer(level, world.chain.get(level, {})), layer(level, document)
    above = known.layers[: LEVELS.index(level)]

    named = {
        value for dimension, value in closed(known, before, after) if dimension == "operations"
    }

    for kind in breaks.GROWING:
        had = all(each.limits.choice("operations").allows(kind) for each in [*above, before])
        assert (kind in named) == (had and not after.limits.choice("operations").allows(kind))


def test_a_version_that_could_not_be_used_is_not_lost() -> None:
    known = facts(
        versions=[release("1.1.0"), release("2.0.0")],
        artifacts=[artifact("1.1.0"), artifact("2.0.0", trust="unverified")],
        entitlement=entitle(),
    )

    used = lost(known, layer("org", {}), layer("org", {"versions": {"echo": "^2"}}))
    never = lost(known, layer("org", {}), layer("org", {"versions": {"echo": "^1"}}))

    assert used is not None
    assert (used.version, used.instead, used.dimension) == ("1.1.0", None, "versions")
    assert never is None


def test_what_layers_take_from_all_alike_is_named_once_for_each() -> None:
    known = facts(entitlement=entitle(), chain={"global": {"operations": {"deny": ["action"]}}})
    before = layer("org", {"quotas": {"gpus": 8}, "regions": {"deny": ["mars"]}})
    after = layer(
        "org",
        {
            "operations": {"deny": ["artifact.pull", "action"]},
            "quotas": {"gpus": 4, "members": 9},
            "regions": {"deny": ["mars", "eu"]},
            "skus": {"allow": ["small"]},
        },
    )

    assert closed(known, before, after) == [
        ("operations", "artifact.pull"),
        ("regions", "eu"),
        ("skus", "small"),
        ("quotas.gpus", "4"),
        ("quotas.members", "9"),
    ]
    assert closed(known, after, before) == []


def test_what_may_still_grow_is_lost_where_nothing_new_could_be_chosen() -> None:
    known = facts(
        channels={"dev": "ver_1.0.0"},
        entitlement=entitle(channel="dev"),
        chain={"org": {"channels": {"deny": ["dev"]}}},
    )

    found = lost(known, layer("project", {}), layer("project", {"versions": {"echo": "^2"}}))

    assert found is not None
    assert (found.version, found.instead) == ("1.0.0", None)


def test_a_version_is_lost_to_the_one_kind_that_layers_left() -> None:
    only = {"operations": {"allow": ["instance.deploy"]}}
    known = facts(entitlement=entitle(), chain={"org": only})

    found = lost(known, layer("project", {}), layer("project", {"versions": {"echo": "^2"}}))

    assert found is not None
    assert found.version == "1.0.0"


@pytest.mark.parametrize("taken", [{"operations": {"allow": []}}, {"quotas": {"instances": 0}}])
def test_what_is_lost_to_all_is_not_said_of_each(taken: dict[str, Any]) -> None:
    only = {"operations": {"allow": ["instance.deploy"]}}
    known = facts(entitlement=entitle(), chain={"global": only})

    assert lost(known, layer("org", {}), layer("org", taken)) is None
    assert len(closed(known, layer("org", {}), layer("org", taken))) == 1
