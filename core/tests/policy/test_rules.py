"""What every layer says: by example, and against an oracle over random worlds."""

import dataclasses
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.tests.policy import oracle, worlds
from core.tests.policy.worlds import (
    QUEUES,
    WIDER,
    World,
    artifact,
    documents,
    entitle,
    facts,
    release,
    want,
)
from moorage_core.policy import limits, rules
from moorage_core.policy.limits import Layer
from moorage_core.policy.models import (
    LEVELS,
    OF_THE_PLATFORM,
    Decision,
    Level,
    Usage,
    Verdict,
    Wanted,
)


def refusal(decision: Decision) -> Verdict:
    """The only one."""
    assert [verdict.layer for verdict in decision.refusals] == [decision.refusals[0].layer]
    return decision.refusals[0]


# By example


def test_what_every_layer_allows_is_allowed() -> None:
    known = facts(entitlement=entitle(), artifacts=[artifact("1.0.0")])

    decision = rules.judge(known, want(region="eu"))

    assert decision.allowed
    assert [verdict.layer for verdict in decision.verdicts] == list(rules.LAYERS)
    assert all(verdict.allowed for verdict in decision.verdicts)
    assert decision.version == known.versions[0]


def test_an_app_that_cannot_be_seen_is_refused_by_the_catalog() -> None:
    decision = rules.judge(facts(app=None), want())

    assert refusal(decision).sentence == "There is no app app_1 that you can see."
    assert [verdict.allowed for verdict in decision.verdicts[1:5]] == [None] * 4


def test_an_app_that_its_publisher_does_not_show_to_the_project_is_refused() -> None:
    known = dataclasses.replace(facts(entitlement=entitle()), offered=False)

    no = refusal(rules.judge(known, want()))

    assert (no.layer, no.sentence) == ("catalog", "App echo is not shown to project alpha.")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"version": "9.9.9"}, "App echo has no published version 9.9.9."),
        ({"channel": "prod"}, "No version of echo is promoted to the channel prod."),
        ({"artifact": "other"}, "Version 1.0.0 of echo has no artifact other."),
    ],
)
def test_what_the_catalog_does_not_have_is_refused(asked: Any, sentence: str) -> None:
    decision = rules.judge(facts(entitlement=entitle()), want(**asked))

    assert (refusal(decision).layer, refusal(decision).sentence) == ("catalog", sentence)


def test_a_retired_version_may_not_be_used_and_a_deprecated_one_may() -> None:
    known = facts(
        entitlement=entitle(),
        versions=[release("1.0.0", status="retired"), release("1.1.0", status="deprecated")],
    )

    retired = rules.judge(known, want(version="1.0.0"))
    deprecated = rules.judge(known, want(version="1.1.0"))

    assert refusal(retired).value == "retired"
    assert deprecated.allowed


@pytest.mark.parametrize(
    "kind",
    ["member.add", "member.replace", "instance.start", "instance.configure", "instance.rollback"],
)
def test_what_runs_at_a_retired_version_may_go_on(kind: Any) -> None:
    known = facts(entitlement=entitle(), versions=[release("1.0.0", status="retired")])

    assert rules.judge(known, want(kind, version="1.0.0")).allowed


@pytest.mark.parametrize("kind", ["instance.deploy", "instance.upgrade", "artifact.pull"])
def test_nothing_new_may_choose_a_retired_version(kind: Any) -> None:
    known = facts(entitlement=entitle(), versions=[release("1.0.0", status="retired")])

    no = refusal(rules.judge(known, want(kind, version="1.0.0")))

    assert (no.layer, no.value) == ("catalog", "retired")


def test_without_an_entitlement_the_answer_says_who_gives_one() -> None:
    no = refusal(rules.judge(facts(), want(version="1.0.0")))

    assert no.sentence == "Project alpha has no entitlement to echo."
    who = "somebody with catalog.entitlement.create on org acme: its tenant admins"
    assert no.who_can_change == who


def test_without_an_entitlement_the_answer_does_not_claim_that_there_is_no_version() -> None:
    decision = rules.judge(facts(artifacts=[artifact("1.0.0")]), want())

    said = {each.layer: each for each in decision.verdicts}
    for name in ("consent", "family", "trust"):
        assert said[name].allowed is None
        assert said[name].sentence == (
            "Not judged: without an entitlement it is open which version would be used."
        )


def test_without_an_entitlement_a_version_that_is_named_is_judged_all_the_same() -> None:
    known = facts(artifacts=[artifact("1.0.0", trust="revoked")])

    decision = rules.judge(known, want(version="1.0.0"))

    assert [no.layer for no in decision.refusals] == ["entitlement", "trust"]
    consent = next(each for each in decision.verdicts if each.layer == "consent")
    assert consent.sentence == "There is no entitlement with which anything was accepted."


@pytest.mark.parametrize(
    ("entitlement", "dimension"),
    [
        (entitle(enabled=False), "enabled"),
        (entitle(versions="^2"), "versions"),
        (entitle(channel="prod"), "channels"),
    ],
)
def test_what_an_entitlement_is_not_for_is_refused(entitlement: Any, dimension: str) -> None:
    known = facts(
        versions=[release("1.0.0"), release("2.0.0")],
        channels={"prod": "ver_2.0.0"},
        entitlement=entitlement,
    )

    no = refusal(rules.judge(known, want(version="1.0.0")))

    assert (no.layer, no.dimension) == ("entitlement", dimension)


def test_what_runs_on_a_version_that_left_the_channel_may_go_on() -> None:
    known = facts(
        versions=[release("1.0.0"), release("1.1.0")],
        channels={"prod": "ver_1.1.0"},
        entitlement=entitle(channel="prod"),
    )

    assert rules.judge(known, want("member.add", version="1.0.0")).allowed
    assert not rules.judge(known, want("instance.deploy", version="1.0.0")).allowed


def test_a_version_that_asks_for_more_needs_consent() -> None:
    known = facts(versions=[release("1.0.0", asks=WIDER)], entitlement=entitle())

    no = refusal(rules.judge(known, want(version="1.0.0")))

    assert no.layer == "consent"
    assert "echo.greeting.write" in no.sentence
    assert "catalog.entitlement.consent" in str(no.who_can_change)


@pytest.mark.parametrize("ceilings", [{}, {"scheduler": frozenset({"scheduler.queue.cancel"})}])
def test_a_family_admits_before_its_keys_are_used(ceilings: Any) -> None:
    known = facts(
        versions=[release("1.0.0", asks=QUEUES)],
        entitlement=entitle(accepted=QUEUES),
        ceilings=ceilings,
    )

    no = refusal(rules.judge(known, want()))

    assert (no.layer, no.dimension) == ("family", "family_keys")
    assert str(no.who_can_change).startswith("those who run the platform")


@pytest.mark.parametrize(
    "bad",
    [
        {"trust": "unverified"},
        {"trust": "failed"},
        {"trust": "revoked"},
        {"lifecycle": "retired"},
        {"enabled": False, "source": "shared"},
    ],
)
def test_an_artifact_that_cannot_be_trusted_is_refused(bad: Any) -> None:
    artifacts = [artifact("1.0.0", "good"), artifact("1.0.0", "bad", **bad)]
    known = facts(entitlement=entitle(), artifacts=artifacts)

    whole = rules.judge(known, want())
    other = rules.judge(known, want("artifact.pull", artifact="good"))

    assert (refusal(whole).layer, refusal(whole).value) == ("trust", "bad")
    assert other.allowed, "it does not need the bad one"


@pytest.mark.parametrize(
    ("document", "asked", "dimension", "value"),
    [
        ({"operations": {"deny": ["instance.deploy"]}}, {}, "operations", "instance.deploy"),
        ({"channels": {"allow": ["prod"]}}, {"channel": "dev"}, "channels", "dev"),
        ({"versions": {"echo": "^2"}}, {"version": "1.0.0"}, "versions", "1.0.0"),
        ({"artifact_sources": {"allow": []}}, {}, "artifact_sources", "store"),
        ({"regions": {"allow": ["us"]}}, {"region": "eu"}, "regions", "eu"),
        ({"skus": {"deny": ["large"]}}, {"sku": "large"}, "skus", "large"),
        ({"quotas": {"gpus": 7}}, {"gpus": 8}, "quotas.gpus", "8"),
        ({"quotas": {"instances": 0}}, {}, "quotas.instances", "1"),
        ({"quotas": {"concurrent_operations": 0}}, {}, "quotas.concurrent_operations", "1"),
        ({"quotas": {"members": 0}}, {"operation": "member.add"}, "quotas.members", "1"),
    ],
)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.rule("PO-6")
def test_every_layer_refuses_in_every_dimension(
    level: Level, document: Any, asked: Any, dimension: str, value: str
) -> None:
    known = facts(
        channels={"dev": "ver_1.0.0"},
        artifacts=[artifact("1.0.0")],
        entitlement=entitle(),
        chain={level: document},
    )

    no = refusal(rules.judge(known, want(**asked)))

    expected = "entitlement_overlay" if level == "entitlement" else level
    assert (no.layer, no.dimension, no.value) == (expected, dimension, value)
    assert no.sentence.startswith(worlds.NAMES[level])
    key = "policy.global.update" if level in OF_THE_PLATFORM else "policy.overlay.update"
    assert key in str(no.who_can_change)


def test_a_quota_says_what_is_left() -> None:
    known = facts(
        entitlement=entitle(), chain={"org": {"quotas": {"gpus": 8}}}, usage=Usage(gpus=6)
    )

    no = refusal(rules.judge(known, want(gpus=4)))

    expected = "Org acme's layer allows 8 GPUs: 6 in use, 2 left, 4 more asked for."
    assert no.sentence == expected
    assert rules.judge(known, want(gpus=2)).allowed


def test_all_that_stands_in_the_way_is_named_at_once() -> None:
    known = facts(
        artifacts=[artifact("1.0.0", trust="revoked")],
        entitlement=entitle(enabled=False),
        chain={"global": {"regions": {"deny": ["eu"]}, "skus": {"deny": ["large"]}}},
    )

    decision = rules.judge(known, want(region="eu", sku="large"))

    named = [(no.layer, no.dimension) for no in decision.refusals]
    assert named == [
        ("entitlement", "enabled"),
        ("trust", "artifact"),
        ("global", "regions"),
        ("global", "skus"),
    ]


def test_a_layer_says_what_it_would_look_at() -> None:
    known = facts(entitlement=entitle(), chain={"project": {"regions": {"allow": ["eu"]}}})

    decision = rules.judge(known, want())

    said = next(v.sentence for v in decision.verdicts if v.layer == "project")
    assert said.endswith("It limits regions, which the request does not name.")


def test_the_newest_version_that_all_layers_allow_is_used() -> None:
    known = facts(
        versions=[release(number) for number in ("1.0.0", "1.1.0", "2.0.0")],
        entitlement=entitle(),
        chain={"org": {"versions": {"echo": "^1"}}},
    )

    decision = rules.judge(known, want())

    assert decision.allowed
    assert decision.version is not None
    assert decision.version.number == "1.1.0"
    assert decision.held_back is not None
    assert (decision.held_back.number, decision.held_back.layer) == ("2.0.0", "org")


def test_what_is_refused_anyway_is_judged_by_the_version_that_would_be_used() -> None:
    known = facts(
        versions=[release("1.0.0"), release("2.0.0")],
        entitlement=entitle(),
        chain={"org": {"versions": {"echo": "^1"}, "regions": {"deny": ["eu"]}}},
    )

    decision = rules.judge(known, want(region="eu"))

    assert decision.version == known.versions[0]
    assert refusal(decision).dimension == "regions"


def test_a_version_that_waits_for_consent_is_named() -> None:
    known = facts(versions=[release("1.0.0"), release("1.1.0", asks=WIDER)], entitlement=entitle())

    decision = rules.judge(known, want())

    assert decision.version is not None
    assert decision.held_back is not None
    assert decision.version.number == "1.0.0"
    assert (decision.held_back.number, decision.held_back.layer) == ("1.1.0", "consent")


def test_where_nothing_accepted_is_left_it_is_consent_that_is_missing() -> None:
    known = facts(
        versions=[release("1.0.0", status="retired"), release("1.1.0", asks=WIDER)],
        entitlement=entitle(),
    )

    decision = rules.judge(known, want())

    assert (refusal(decision).layer, decision.version) == ("consent", known.versions[1])


def test_a_version_that_is_promoted_to_an_open_channel_too_may_be_used_by_its_number() -> None:
    known = facts(
        channels={"dev": "ver_1.0.0", "prod": "ver_1.0.0"},
        entitlement=entitle(),
        chain={"org": {"channels": {"deny": ["dev"]}}},
    )

    assert rules.judge(known, want(version="1.0.0")).allowed
    assert not rules.judge(known, want(channel="dev")).allowed


def test_two_layers_may_leave_no_channel_of_those_a_version_is_promoted_to() -> None:
    known = facts(
        channels={"dev": "ver_1.0.0", "prod": "ver_1.0.0"},
        entitlement=entitle(),
        chain={"org": {"channels": {"deny": ["dev"]}}, "project": {"channels": {"deny": ["prod"]}}},
    )

    no = refusal(rules.judge(known, want(version="1.0.0")))

    assert (no.layer, no.dimension, no.value) == ("project", "channels", "prod")


@pytest.mark.parametrize(
    "document", [{"deny": ["dev"]}, {"deny": ["dev", "staging", "prod"]}, {"allow": ["prod"]}]
)
@pytest.mark.parametrize("level", LEVELS)
def test_a_version_in_no_channel_is_refused_where_a_layer_limits_channels(
    level: Level, document: Any
) -> None:
    """Else a publisher who points a denied channel elsewhere would set free what was on it."""
    known = facts(
        versions=[release("1.0.0"), release("1.1.0")],
        channels={"dev": "ver_1.1.0"},
        entitlement=entitle(),
        chain={level: {"channels": document}},
    )

    no = refusal(rules.judge(known, want(version="1.0.0")))

    assert (no.dimension, no.value) == ("channels", "none")
    assert no.sentence == (
        f"{worlds.NAMES[level]} limits channels, and version 1.0.0 is promoted to none."
    )
    assert rules.judge(known, want("member.add", version="1.0.0")).allowed


def test_what_an_entitlement_reaches_through_a_denied_channel_is_refused() -> None:
    """Wherever else the version is promoted to: the entitlement is for that one channel."""
    known = facts(
        channels={"dev": "ver_1.0.0", "prod": "ver_1.0.0"},
        entitlement=entitle(channel="dev"),
        chain={"org": {"channels": {"deny": ["dev"]}}},
    )

    no = refusal(rules.judge(known, want()))

    assert (no.layer, no.dimension, no.value) == ("org", "channels", "dev")


def test_a_refusal_carries_every_sentence() -> None:
    decision = rules.judge(facts(chain={"org": {"regions": {"allow": []}}}), want(region="eu"))

    error = rules.PolicyRefused(decision, org="org_2", project="prj_2")

    assert error.detail.startswith("Project alpha has no entitlement to echo. It can be changed by")
    assert [fault.location for fault in error.errors] == ["entitlement", "org"]


# Over random worlds


@pytest.mark.rule("PO-6")
@settings(max_examples=worlds.EXAMPLES)
@given(worlds.worlds(), worlds.requests())
def test_a_request_for_one_version_is_judged_as_the_oracle_judges(
    world: World, wanted: Wanted
) -> None:
    assume(wanted.version is not None or wanted.channel is not None)
    id = f"ver_{wanted.version}" if wanted.version else world.channels.get(str(wanted.channel))
    version = next((each for each in world.versions if each.id == id), None)

    decision = rules.judge(world.facts, wanted)

    expected = version is not None and oracle.is_allowed(world, wanted, version)
    assert decision.allowed == expected, decision.refusals


@settings(max_examples=worlds.EXAMPLES)
@given(worlds.worlds(), worlds.requests())
def test_a_request_for_no_version_comes_to_the_newest_that_the_oracle_allows(
    world: World, wanted: Wanted
) -> None:
    wanted = dataclasses.replace(wanted, version=None, channel=None)
    usable = [each for each in world.versions if each.status != "retired"]
    named = [each for each in usable if oracle.is_allowed(world, wanted, each)]

    decision = rules.judge(world.facts, wanted)

    free = world.entitlement is not None and world.entitlement.channel is None
    assert not decision.allowed or decision.version in named
    if free and named:
        published = [each for each in named if each.status == "published"]
        assert decision.allowed
        assert decision.version == max(published or named, key=lambda each: each.number)


@pytest.mark.rule("PO-1")
@settings(max_examples=worlds.EXAMPLES)
@given(worlds.worlds(), worlds.requests(), st.sampled_from(LEVELS), documents)
def test_a_further_layer_never_turns_a_refusal_into_an_allowance(
    world: World, wanted: Wanted, level: Level, document: dict[str, Any]
) -> None:
    before = {each: limit for each, limit in world.chain.items() if each != level}

    without = rules.judge(dataclasses.replace(world, chain=before).facts, wanted)
    chain = {**before, level: document}
    with_it = rules.judge(dataclasses.replace(world, chain=chain).facts, wanted)

    assert without.allowed or not with_it.allowed


@pytest.mark.rule("PO-1")
@settings(max_examples=worlds.EXAMPLES)
@given(worlds.worlds(), worlds.requests())
def test_a_chain_of_layers_decides_like_the_one_layer_that_it_adds_up_to(
    world: World, wanted: Wanted
) -> None:
    """So what is proved of the sum, and what is shown of it, holds for what is enforced."""
    known = world.facts
    together = limits.effective(layer.limits for layer in known.layers)
    alone = [Layer(layer.level, layer.name) for layer in known.layers]
    alone[0] = dataclasses.replace(alone[0], limits=together)

    decision = rules.judge(known, wanted)
    summed = rules.judge(dataclasses.replace(known, layers=alone), wanted)

    assert (decision.allowed, decision.version) == (summed.allowed, summed.version)


@settings(max_examples=300)
@given(
    st.sets(st.sampled_from(worlds.CHANNELS)),
    st.lists(st.sets(st.sampled_from(worlds.CHANNELS)), min_size=5, max_size=5),
)
def test_a_version_needs_a_channel_that_every_layer_leaves_open(
    on: set[str], denied: list[set[str]]
) -> None:
    chain: dict[Level, Any] = {
        level: {"channels": {"deny": list(some)}}
        for level, some in zip(LEVELS, denied, strict=True)
    }
    known = facts(channels=dict.fromkeys(on, "ver_1.0.0"), entitlement=entitle(), chain=chain)

    decision = rules.judge(known, want(version="1.0.0"))

    assert decision.allowed == (not any(denied) or bool(on.difference(*denied)))


@pytest.mark.rule("PO-2")
@given(worlds.worlds(), worlds.requests())
def test_what_the_platform_denies_nobody_gets(world: World, wanted: Wanted) -> None:
    denied = {"operations": {"allow": [wanted.operation], "deny": [wanted.operation]}}
    chain = {**world.chain, "global": denied}

    decision = rules.judge(dataclasses.replace(world, chain=chain).facts, wanted)

    assert not decision.allowed
    assert "global" in [no.layer for no in decision.refusals]


@pytest.mark.rule("PO-5")
@given(worlds.worlds(), worlds.requests(operations=worlds.SHRINKING))
def test_what_gives_something_back_is_never_refused(world: World, wanted: Wanted) -> None:
    decision = rules.judge(world.facts, wanted)

    assert decision.allowed
    assert [verdict.layer for verdict in decision.verdicts] == list(rules.LAYERS)
    assert all(verdict.allowed for verdict in decision.verdicts)
    assert all("gives something back" in verdict.sentence for verdict in decision.verdicts)


@given(worlds.worlds(), worlds.requests())
def test_every_layer_speaks_and_every_refusal_names_what_and_who(
    world: World, wanted: Wanted
) -> None:
    decision = rules.judge(world.facts, wanted)

    order = [rules.LAYERS.index(verdict.layer) for verdict in decision.verdicts]
    assert order == sorted(order)
    assert set(order) == set(range(len(rules.LAYERS)))
    for verdict in decision.verdicts:
        assert verdict.sentence.endswith(".")
        if verdict.allowed is False:
            assert verdict.dimension
            assert verdict.who_can_change
    if any(verdict.allowed is None for verdict in decision.verdicts):
        assert not decision.allowed


def test_nobody_is_said_to_take_a_revocation_back() -> None:
    known = facts(artifacts=[artifact("1.0.0", trust="revoked")], entitlement=entitle())

    no = refusal(rules.judge(known, want()))

    assert no.who_can_change == (
        "nobody: that is final, but its publisher can publish another version"
    )


@pytest.mark.parametrize(
    ("names", "said"),
    [(("bundle",), "1 artifact is signed"), (("bundle", "image"), "2 artifacts are signed")],
)
def test_numbers_go_with_their_nouns(names: tuple[str, ...], said: str) -> None:
    known = facts(artifacts=[artifact("1.0.0", name) for name in names], entitlement=entitle())

    sentences = [each.sentence for each in rules.judge(known, want()).verdicts]

    assert f"{said}, and none is withdrawn." in sentences
