"""Layers only narrow: over random chains, and for every dimension."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tests.policy import oracle, worlds
from core.tests.policy.worlds import chains, documents, layer
from moorage_core.policy import limits
from moorage_core.policy.limits import Layer, Limits
from moorage_core.policy.models import LEVELS

VALUES = {
    "operations": worlds.GROWING,
    "channels": worlds.CHANNELS,
    "artifact_sources": worlds.SOURCES,
    "regions": worlds.REGIONS,
    "skus": worlds.SKUS,
}
several = st.lists(documents, max_size=5)


def added_up(given: list[dict[str, Any]]) -> Limits:
    return limits.effective(limits.read(document) for document in given)


@pytest.mark.rule("PO-1")
@given(several, documents)
def test_another_layer_never_allows_what_was_not_allowed(
    before: list[dict[str, Any]], one_more: dict[str, Any]
) -> None:
    without, with_it = added_up(before), added_up([*before, one_more])

    for dimension, values in VALUES.items():
        for value in values:
            if with_it.choice(dimension).allows(value):
                assert without.choice(dimension).allows(value), (dimension, value)
    for name, limit in without.quotas.items():
        assert with_it.quotas[name] <= limit
    for app, constraints in without.versions.items():
        assert constraints <= with_it.versions[app]


@given(several)
def test_together_layers_allow_what_each_of_them_allows(given: list[dict[str, Any]]) -> None:
    together = added_up(given)

    for dimension, values in VALUES.items():
        for value in values:
            each = [oracle.allows(document, dimension, value) for document in given]
            assert together.choice(dimension).allows(value) == all(each), (dimension, value)


@pytest.mark.rule("PO-2")
@given(several, st.sampled_from(sorted(VALUES)), st.data())
def test_a_denied_value_stays_denied_whatever_others_allow(
    given: list[dict[str, Any]], dimension: str, data: st.DataObject
) -> None:
    value = data.draw(st.sampled_from(VALUES[dimension]))
    denying = {dimension: {"allow": [value], "deny": [value]}}

    together = added_up([denying, *given])

    assert not together.choice(dimension).allows(value)


@pytest.mark.rule("PO-3")
@given(st.lists(documents, max_size=4), st.randoms())
def test_the_order_of_layers_does_not_matter(given: list[dict[str, Any]], chance: Any) -> None:
    other = list(given)
    chance.shuffle(other)

    assert added_up(other) == added_up(given)


@given(several)
def test_what_layers_add_up_to_adds_up_to_itself(given: list[dict[str, Any]]) -> None:
    once = added_up(given)

    assert limits.effective([once]) == once
    assert limits.effective([once, once]) == once


@given(several)
def test_what_is_left_names_nothing_that_is_denied(given: list[dict[str, Any]]) -> None:
    for choice in added_up(given).choices.values():
        assert not (choice.allow or frozenset()) & choice.deny


@given(documents, st.dictionaries(st.sampled_from(worlds.QUOTAS), st.integers(1, 3)))
def test_a_layer_may_repeat_what_is_above_it(document: dict[str, Any], quotas: Any) -> None:
    document = document | {"quotas": quotas}
    repeated = limits.write(added_up([document]))

    limits.check_narrows(limits.read(repeated), [layer("global", document)])


@given(several, several)
def test_layers_may_be_added_up_in_parts(
    some: list[dict[str, Any]], others: list[dict[str, Any]]
) -> None:
    parts = limits.effective([added_up(some), added_up(others)])

    assert parts == added_up([*some, *others])


@given(documents)
def test_a_document_is_read_as_it_was_written(document: dict[str, Any]) -> None:
    stored = limits.write(limits.read(document))

    assert limits.read(stored) == limits.read(document)
    assert limits.write(limits.read(stored)) == stored


@pytest.mark.rule("PO-4")
@given(documents, chains)
def test_a_document_is_refused_exactly_if_it_names_what_is_not_allowed_above(
    document: dict[str, Any], chain: dict[Any, dict[str, Any]]
) -> None:
    above = [layer(level, chain.get(level, {})) for level in LEVELS]

    try:
        limits.check_narrows(limits.read(document), above)
        refused = False
    except limits.OverlayWidens:
        refused = True

    assert refused != oracle.is_narrower(document, [chain.get(level, {}) for level in LEVELS])


def test_a_refusal_names_the_layer_and_the_value() -> None:
    above = [
        Layer("global", "The platform's layer", limits.read({"regions": {"deny": ["mars"]}})),
        Layer("org", "Org acme's layer", limits.read({"quotas": {"gpus": 8}})),
    ]
    wide = limits.read({"regions": {"allow": ["mars", "eu"]}, "quotas": {"gpus": 9}})

    with pytest.raises(limits.OverlayWidens) as refused:
        limits.check_narrows(wide, above)

    assert "The platform's layer does not allow mars" in refused.value.detail
    assert [(fault.location, fault.message) for fault in refused.value.errors] == [
        (
            "body.document.regions.allow",
            "The platform's layer does not allow mars among its regions.",
        ),
        ("body.document.quotas.gpus", "Org acme's layer allows 8 GPUs, which is less than 9."),
    ]


def test_a_dimension_that_nothing_enforces_is_refused_by_name() -> None:
    with pytest.raises(limits.DimensionNotEnforced) as refused:
        limits.check_dimensions(["budget", "quotas.licences"])

    assert "budget, quotas.licences" in refused.value.detail
    assert all(name in refused.value.detail for name in limits.DIMENSIONS)


@pytest.mark.parametrize("text", ["", "latest", "1.2.3.4", "^^1", "> =", "\x00"])
def test_a_constraint_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(limits.ConstraintInvalid) as refused:
        limits.constraints_checked(limits.read({"versions": {"echo": text}}))

    assert refused.value.errors[0].location == "body.document.versions.echo"


def test_every_pair_of_layers_can_disagree() -> None:
    """Two that allow different things leave nothing, whichever they are."""
    for dimension, (first, second, *_) in VALUES.items():
        pair = [{dimension: {"allow": [value]}} for value in (first, second)]
        for chain in itertools.permutations(pair):
            assert added_up(list(chain)).choice(dimension).allow == frozenset()
