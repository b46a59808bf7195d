"""Version numbers, their order, and constraints on them."""

import re
from functools import cmp_to_key

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moorage_manifest.versions import BadConstraint, BadVersion, Constraint, Version, parse

IN_ORDER = [
    "0.0.0-0",
    "0.0.0",
    "0.9.9",
    "1.0.0-1",
    "1.0.0-2",
    "1.0.0-10",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.0+a",
    "1.0.0+b",
    "1.0.1",
    "1.2.0",
    "1.10.0",
    "2.0.0",
]


def test_versions_have_the_order_of_semver() -> None:
    assert sorted(map(parse, reversed(IN_ORDER))) == list(map(parse, IN_ORDER))


@pytest.mark.parametrize("text", IN_ORDER)
def test_a_version_is_written_as_it_was_read(text: str) -> None:
    assert str(parse(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "1", "1.2", "1.2.3.4", "01.2.3", "1.2.3-01", "1.2.3-", "v1.2.3", "1.2.3\n", "\uff11.2.3"],
)
def test_a_text_that_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(BadVersion, match="three numbers"):
        parse(text)


@pytest.mark.parametrize(
    ("constraint", "allowed", "refused"),
    [
        ("*", "0.0.0 1.2.3 99.0.0", "1.0.0-rc.1"),
        ("x", "0.0.1", "1.0.0-a"),
        ("1.2.3", "1.2.3 1.2.3+build", "1.2.4 1.2.2 1.2.3-rc.1"),
        ("=1.2.3", "1.2.3", "1.2.4"),
        ("1.2.x", "1.2.0 1.2.99", "1.3.0 1.1.9 1.2.0-rc.1"),
        ("1.2", "1.2.0 1.2.99", "1.3.0"),
        ("1", "1.0.0 1.99.0", "2.0.0 0.9.0"),
        ("1.*", "1.5.0", "2.0.0"),
        ("^1.2", "1.2.0 1.9.9", "1.1.9 2.0.0 2.0.0-rc.1"),
        ("^1.2.3", "1.2.3 1.99.0", "1.2.2 2.0.0"),
        ("^0.2.3", "0.2.3 0.2.9", "0.2.2 0.3.0"),
        ("^0.0.3", "0.0.3", "0.0.4 0.0.2"),
        ("^0.0", "0.0.0 0.0.9", "0.1.0"),
        ("^0", "0.0.0 0.9.0", "1.0.0"),
        ("~1.2.3", "1.2.3 1.2.9", "1.3.0 1.2.2"),
        ("~1.2", "1.2.0 1.2.9", "1.3.0"),
        ("~1", "1.0.0 1.9.0", "2.0.0"),
        (">=1 <2", "1.0.0 1.9.9", "0.9.9 2.0.0 2.0.0-rc.1"),
        (">=1.4, <2", "1.4.0", "1.3.9 2.0.0"),
        (">= 1.4", "1.4.0 9.0.0", "1.3.9"),
        (">1.2", "1.3.0", "1.2.0 1.2.99"),
        (">1.2.3", "1.2.4", "1.2.3"),
        ("<=1.2", "1.2.99", "1.3.0"),
        ("<=1.2.3", "1.2.3", "1.2.4"),
        ("<1.2", "1.1.9", "1.2.0"),
        ("<1.2.3", "1.2.2", "1.2.3"),
        (">*", "", "1.0.0 0.0.0"),
        (">=2 <1", "", "1.0.0 2.0.0 1.5.0"),
        (">=1.0.0-rc.1", "1.0.0-rc.1 1.0.0-rc.2 1.0.0 1.1.0", "1.0.0-beta 1.1.0-rc.1"),
        ("^1.0.0-rc.1", "1.0.0-rc.2 1.4.0", "2.0.0 1.4.0-rc.1"),
        ("1.0.0-rc.1", "1.0.0-rc.1", "1.0.0 1.0.0-rc.2"),
        ("<1.0.0-rc.1", "1.0.0-beta 0.9.0", "1.0.0-rc.1 0.9.0-beta"),
    ],
)
def test_a_constraint_allows_what_it_says(constraint: str, allowed: str, refused: str) -> None:
    wanted = Constraint.parse(constraint)

    assert [v for v in allowed.split() if not wanted.allows(parse(v))] == []
    assert [v for v in refused.split() if wanted.allows(parse(v))] == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        ",",
        "^",
        "latest",
        "1.2.3.4",
        "^1.2-rc.1",
        "1.x-rc",
        ">>1",
        "1 || 2",
        "^^1",
        "=>1",
        "1-2",
        "^v1",
        "1" * 999,
        "1 " * 99,
        "'",
    ],
)
def test_a_text_that_is_no_constraint_is_refused(text: str) -> None:
    with pytest.raises(BadConstraint, match="is no constraint on versions"):
        Constraint.parse(text)


def test_a_constraint_is_written_as_it_was_read() -> None:
    assert str(Constraint.parse(" >= 1.4,  <2 ")) == ">=1.4 <2"


# An independent model: a naive reading of semver and of npm's text, with no bounds and no ranks.


def compare(one: Version, other: Version) -> int:
    if one.numbers != other.numbers:
        return 1 if one.numbers > other.numbers else -1
    if not one.prerelease or not other.prerelease:
        return bool(other.prerelease) - bool(one.prerelease)
    for mine, theirs in zip(one.prerelease, other.prerelease, strict=False):
        if mine == theirs:
            continue
        if mine.isdigit() and theirs.isdigit():
            return 1 if int(mine) > int(theirs) else -1
        if mine.isdigit() != theirs.isdigit():
            return -1 if mine.isdigit() else 1
        return 1 if mine > theirs else -1
    lengths = len(one.prerelease), len(other.prerelease)
    return (lengths[0] > lengths[1]) - (lengths[0] < lengths[1])


def naively_allows(constraint: str, version: Version) -> bool:
    parts = [re.fullmatch(r"([^\dx*]*)([^-]*)-?(.*)", word) for word in constraint.split()]
    named = False
    for match in parts:
        assert match is not None
        operator, numbers, prerelease = match.groups()
        given = [int(n) for n in numbers.split(".") if n not in "x*"]
        if prerelease and tuple(given) == version.numbers:
            named = True
        if not naively_fits(operator, given, prerelease, version):
            return False
    return named or not version.prerelease


def naively_fits(operator: str, given: list[int], prerelease: str, version: Version) -> bool:
    count = len(given)
    if count == 0:
        return operator not in {"<", ">"}
    mine = list(version.numbers)
    words = tuple(prerelease.split(".")) if prerelease else ()
    major, minor, patch = [*given, 0, 0][:3]
    edge = Version(major, minor, patch, words)
    order = compare(version, edge)
    same = mine[:count] == given
    if operator in {"", "="}:
        return same if count < 3 else order == 0
    if operator == "~":
        kept = min(count, 2)
        return order >= 0 and mine[:kept] == given[:kept]
    if operator == "^":
        first = next((n for n, number in enumerate(given) if number), count - 1)
        return order >= 0 and mine[: first + 1] == given[: first + 1]
    if operator == ">=":
        return order >= 0
    if operator == "<":
        return order < 0
    beyond = mine[:count] > given
    if operator == ">":
        return order > 0 if count == 3 else beyond
    return order <= 0 if count == 3 else not beyond


small = st.integers(0, 3)
identifiers = st.sampled_from(["0", "1", "10", "a", "b", "rc", "-"])
prereleases = st.lists(identifiers, max_size=2).map(tuple)
all_versions = st.builds(Version, small, small, small, prereleases, st.sampled_from(["", "b"]))


@st.composite
def constraint_words(draw: st.DrawFn) -> str:
    numbers = [str(draw(small)) for _ in range(draw(st.integers(0, 3)))]
    text = ".".join(numbers)
    if len(numbers) < 3 and (not numbers or draw(st.booleans())):
        text = ".".join([*numbers, draw(st.sampled_from("x*"))])
    words = draw(prereleases) if len(numbers) == 3 else ()
    text += f"-{'.'.join(words)}" if words else ""
    return draw(st.sampled_from(["", "=", "^", "~", ">", ">=", "<", "<="])) + text


@given(st.lists(constraint_words(), min_size=1, max_size=3).map(" ".join), all_versions)
def test_constraints_agree_with_a_naive_model(constraint: str, version: Version) -> None:
    assert Constraint.parse(constraint).allows(version) is naively_allows(constraint, version)


@given(st.lists(all_versions, max_size=8))
def test_the_order_agrees_with_a_naive_model(found: list[Version]) -> None:
    plain = [Version(*v.numbers, v.prerelease) for v in found]

    assert sorted(plain) == sorted(plain, key=cmp_to_key(compare))


@given(st.text(max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read, refusal in ((parse, BadVersion), (Constraint.parse, BadConstraint)):
        try:
            read(text)
        except refusal:
            pass
