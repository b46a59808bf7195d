"""Which version an entitlement comes to, and when somebody has to consent first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tests.factories.entitlements import LARGE, SMALL, entitlement, version
from moorage_core.catalog.models import Version
from moorage_core.entitlements import rules
from moorage_core.entitlements.rules import Consent, Wanted
from moorage_manifest.declarations import Declaration, wider
from moorage_manifest.versions import Constraint

DECLARATIONS = (Declaration(), SMALL, LARGE, LARGE.model_copy(update={"run_as": ("root",)}))
ASKED = {each.digest: each.model_dump(mode="json") for each in DECLARATIONS}


def number(found: Version | None) -> str | None:
    return found and found.number


def asks(found: Version) -> Declaration:
    return Declaration.model_validate(ASKED[found.declaration_digest])


def test_the_newest_published_version_is_wanted_however_the_list_is_sorted() -> None:
    known = [version("1.2.0"), version("1.10.0"), version("1.9.0")]

    assert number(rules.wanted(Wanted(None, "*"), known, {})) == "1.10.0"


def test_a_constraint_leaves_the_newest_that_it_allows() -> None:
    known = [version("1.2.0"), version("2.0.0"), version("1.4.0")]

    assert number(rules.wanted(Wanted(None, "^1.2"), known, {})) == "1.4.0"


@pytest.mark.parametrize("status", ["deprecated", "retired"])
def test_what_is_deprecated_or_retired_is_wanted_by_nobody_without_a_channel(status: str) -> None:
    known = [version("1.0.0"), version("2.0.0", status=status)]

    assert number(rules.wanted(Wanted(None, "*"), known, {})) == "1.0.0"


def test_with_a_channel_its_version_is_wanted_and_no_newer_one() -> None:
    known = [version("1.0.0"), version("2.0.0")]

    assert number(rules.wanted(Wanted("prod", "*"), known, {"prod": "ver_1.0.0"})) == "1.0.0"


def test_a_channel_whose_version_the_constraint_forbids_leads_to_none() -> None:
    known = [version("1.0.0"), version("2.0.0")]

    assert rules.wanted(Wanted("prod", "^1"), known, {"prod": "ver_2.0.0"}) is None


def test_an_empty_channel_leads_to_no_version() -> None:
    assert rules.wanted(Wanted("prod", "*"), [version("1.0.0")], {}) is None


def test_a_prerelease_is_wanted_only_where_the_constraint_names_one() -> None:
    known = [version("1.0.0"), version("2.0.0-rc.1")]

    assert number(rules.wanted(Wanted(None, "*"), known, {})) == "1.0.0"
    assert number(rules.wanted(Wanted(None, ">=2.0.0-rc.1"), known, {})) == "2.0.0-rc.1"


def test_policy_can_limit_the_choice_further() -> None:
    known = [version("1.0.0"), version("1.1.0"), version("1.2.0")]

    found = rules.resolve(
        entitlement(), known, {}, Consent(entitlement(), ASKED), limits=[Constraint.parse("<1.2")]
    )

    assert number(found) == "1.1.0"


def test_a_wider_version_waits_and_the_newest_within_consent_is_used() -> None:
    known = [version("1.0.0"), version("1.1.0"), version("2.0.0", LARGE)]

    assert number(rules.resolve(entitlement(), known, {}, Consent(entitlement(), ASKED))) == "1.1.0"
    assert number(rules.waiting(entitlement(), known, {}, Consent(entitlement(), ASKED))) == "2.0.0"


def test_a_narrower_version_is_used_without_consent() -> None:
    known = [version("1.0.0"), version("2.0.0", Declaration())]

    assert number(rules.resolve(entitlement(), known, {}, Consent(entitlement(), ASKED))) == "2.0.0"
    assert rules.waiting(entitlement(), known, {}, Consent(entitlement(), ASKED)) is None


def test_while_a_channels_version_waits_the_accepted_one_is_used() -> None:
    known = [version("1.0.0"), version("1.1.0"), version("2.0.0", LARGE)]
    channels = {"prod": "ver_2.0.0"}
    entitled = entitlement(channel="prod")

    assert number(rules.resolve(entitled, known, channels, Consent(entitled, ASKED))) == "1.0.0"
    assert number(rules.waiting(entitled, known, channels, Consent(entitled, ASKED))) == "2.0.0"


def test_the_accepted_version_serves_on_when_it_is_deprecated_but_not_when_it_is_retired() -> None:
    wide = version("2.0.0", LARGE)

    consent = Consent(entitlement(), ASKED)

    deprecated, retired = (
        rules.resolve(entitlement(), [version("1.0.0", status=status), wide], {}, consent)
        for status in ("deprecated", "retired")
    )

    assert (number(deprecated), number(retired)) == ("1.0.0", None)


def test_a_wish_that_stays_needs_no_consent_even_while_a_wider_version_waits() -> None:
    known = [version("1.0.0"), version("2.0.0", LARGE)]

    assert rules.wanted_anew(entitlement(), Wanted(None, "*"), known, {}, consent=None) is None


def test_a_wish_that_leads_to_a_wider_version_needs_consent() -> None:
    known = [version("1.0.0"), version("2.0.0", LARGE)]
    entitled = entitlement(versions="^1")

    leads_to = rules.wanted_anew(entitled, Wanted(None, "^2"), known, {}, consent=None)
    with pytest.raises(rules.ConsentNeeded) as refusal:
        rules.is_newly_accepted(entitled, known[1], LARGE, consent=None)

    assert leads_to == known[1]
    assert refusal.value.errors[0].message == LARGE.digest
    assert "It has the scope usage.report." in refusal.value.detail
    assert rules.is_newly_accepted(entitled, known[1], LARGE, consent=LARGE.digest)


def test_a_wish_that_leads_to_no_wider_version_accepts_nothing() -> None:
    assert not rules.is_newly_accepted(entitlement(), version("1.1.0"), SMALL, consent=None)


def test_consent_to_something_else_is_no_consent() -> None:
    with pytest.raises(rules.ConsentNeeded, match="for something else"):
        rules.check_consent(version("2.0.0", LARGE), SMALL.digest, rules.everything(LARGE))


def test_a_refusal_counts_what_it_does_not_spell_out() -> None:
    keys = {f"echo.thing.do{number}": ("viewer",) for number in range(200)}
    asks = Declaration(keys=keys)

    with pytest.raises(rules.ConsentNeeded, match="And 395 more") as refusal:
        rules.check_consent(version("1.0.0", asks), None, rules.everything(asks))

    assert len(refusal.value.errors) == rules.SHOWN_AT_MOST + 1


def test_consent_can_be_given_to_any_version_that_the_entitlement_can_come_to() -> None:
    largest = DECLARATIONS[-1]
    known = [version("1.0.0"), version("2.0.0", LARGE), version("3.0.0", largest)]

    assert number(rules.to_accept(entitlement(), known, {}, given=LARGE.digest)) == "2.0.0"
    other = rules.to_accept(entitlement(versions="^1"), known, {}, given=LARGE.digest)
    assert number(other) == "1.0.0"
    with pytest.raises(rules.ConsentNeeded):
        rules.check_consent(other, LARGE.digest, [])


def test_consent_where_there_is_no_version_says_so() -> None:
    with pytest.raises(rules.NoVersion, match=r"echo has no version on its channel prod"):
        rules.to_accept(entitlement(channel="prod"), [version("1.0.0")], {}, given=SMALL.digest)


@pytest.mark.parametrize("text", ["", "newest", "1.2.3.4", "^", ">=1 ||"])
def test_what_is_no_constraint_is_refused_with_what_would_be_one(text: str) -> None:
    with pytest.raises(rules.ConstraintInvalid, match=r"\^1\.2") as refusal:
        rules.constraint(text, location="body.versions")

    assert refusal.value.errors[0].location == "body.versions"


def test_few_declarations_are_looked_up_however_many_there_are() -> None:
    asks = [Declaration(keys={f"echo.thing.do{each}": ()}) for each in range(300)]
    known = [version(f"2.{each}.0", asked) for each, asked in enumerate(asks)]
    known += [version("1.0.0"), version("1.1.0")]

    compared = rules.to_compare(entitlement(), known, {})
    looked_up = {each.digest: each.model_dump(mode="json") for each in asks[-20:]}
    used = rules.resolve(entitlement(), known, {}, Consent(entitlement(), looked_up))

    assert [each.number for each in compared] == [f"2.{each}.0" for each in range(299, 279, -1)]
    assert number(used) == "1.1.0", "what was accepted is known without a look"


def test_versions_that_ask_for_the_same_are_looked_up_once() -> None:
    known = [version("1.0.0"), *(version(f"2.{each}.0", LARGE) for each in range(50))]

    assert [number(each) for each in rules.to_compare(entitlement(), known, {})] == ["2.49.0"]


def test_what_was_not_looked_up_is_not_used() -> None:
    known = [version("1.0.0"), version("2.0.0", Declaration())]

    assert number(rules.resolve(entitlement(), known, {}, Consent(entitlement(), {}))) == "1.0.0"


versions = st.lists(
    st.builds(
        version,
        st.builds("{}.{}.{}".format, *[st.integers(0, 2)] * 3),
        st.sampled_from(DECLARATIONS),
        status=st.sampled_from(["published", "deprecated", "retired"]),
    ),
    max_size=8,
    unique_by=lambda made: made.number,
)


@given(
    versions,
    st.sampled_from(DECLARATIONS),
    st.sampled_from(["*", "^1", "<2", "1.x"]),
    st.sampled_from([None, "prod"]),
    st.data(),
)
def test_what_is_used_never_asks_for_more_than_was_accepted(
    known: list[Version],
    accepted: Declaration,
    constraint: str,
    channel: str | None,
    data: st.DataObject,
) -> None:
    ids = [each.id for each in known]
    channels = {"prod": data.draw(st.sampled_from(ids))} if ids else {}
    entitled = entitlement(accepted, versions=constraint, channel=channel)

    used = rules.resolve(entitled, known, channels, Consent(entitled, ASKED))
    waits = rules.waiting(entitled, known, channels, Consent(entitled, ASKED))

    if used is not None:
        assert wider(asks(used), accepted) == []
        assert used.status != "retired"
    if waits is not None:
        assert wider(asks(waits), accepted) != []
        assert waits != used
