"""Whatever a stranger writes: a manifest or faults, and never a key that is not the app's."""

import json
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from manifest.tests.examples import SMALL, WHOLE
from moorage_manifest import Family, Manifest, declaration, read, read_family, shipped
from moorage_manifest.models import FamilyKey

CHESS = Family(
    name="chess-club",
    description="x",
    keys=[FamilyKey(key="chess_club.board.read", description="x")],
)
KNOWN = {**shipped(), "chess-club": CHESS}

PIECES = [
    *"a[]{}|>#?,~\"'\t\n\x00",
    *(": ", "  ", "- ", "&a ", "*a", "!t ", "<<", "1e999", "\\u202e", "é"),
    *("%YAML 1.1\n", "---\n", "...\n"),
    *("contract: 1\n", "slug: echo\n", "permissions:\n", "config: {schema: {$ref: x}}\n"),
]
yaml_ish = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)

leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
)
anything = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=10,
)


def one_or_the_other(text: str | bytes) -> None:
    reading, family = read(text), read_family(text)

    assert (reading.manifest is None) is bool(reading.faults)
    assert (family.family is None) is bool(family.faults)
    assert len(reading.faults) <= 100
    assert all(fault.line >= 1 and fault.column >= 1 for fault in reading.faults)
    assert reading.faults == sorted(reading.faults)


@example("[?,0")
@given(st.one_of(st.text(), yaml_ish, st.binary()))
def test_any_text_gives_a_manifest_or_faults(text: str | bytes) -> None:
    one_or_the_other(text)


@example({"[key]": 1})
@given(anything)
def test_any_document_gives_a_manifest_or_faults(document: Any) -> None:
    one_or_the_other(json.dumps(document))


def spoilt(document: Any, way: list[int], value: Any) -> Any:
    """The document with one value in it replaced; `way` says which."""
    if not way or not isinstance(document, dict | list) or not document:
        return value
    if isinstance(document, dict):
        name = sorted(document)[way[0] % len(document)]
        return {**document, name: spoilt(document[name], way[1:], value)}
    index = way[0] % len(document)
    return [*document[:index], spoilt(document[index], way[1:], value), *document[index + 1 :]]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.integers(0, 50), min_size=1, max_size=6), anything)
def test_a_manifest_with_something_wrong_anywhere_gives_faults(way: list[int], value: Any) -> None:
    one_or_the_other(json.dumps(spoilt(WHOLE, way, value)))


HOSTILE = [
    "iam.org.delete",
    "apps.operation.claim",
    "platform.org.list",
    "echo.greeting.read",
    "echo.greeting.say",
    "echo_two.greeting.read",
    "other.thing.read",
    "scheduler.queue.read",
    "scheduler.queue.invented",
    "scheduler.instance.delete",
    "chess_club.board.read",
    "chess-club.board.read",
    "echo.*",
    "echo",
    "ECHO.greeting.read",
    "echo.greeting.read ",
    "",
]
keys = st.sampled_from(HOSTILE)
roles = st.lists(
    st.sampled_from(["viewer", "project_admin", "tenant_admin", "platform_admin"]),
    max_size=2,
    unique=True,
)
hostile = st.fixed_dictionaries(
    {
        "slug": st.sampled_from(["echo", "echo-two", "iam", "scheduler", "chess-club", "other"]),
        "families": st.lists(
            st.sampled_from(["scheduler", "chess-club", "iam"]), max_size=2, unique=True
        ),
    },
    optional={
        "permissions": st.lists(
            st.fixed_dictionaries({"key": keys, "description": st.just("x"), "grants": roles}),
            max_size=2,
        ),
        "family_grants": st.dictionaries(keys, roles, max_size=2),
        "actions": st.lists(
            st.fixed_dictionaries({"name": keys, "title": st.just("x"), "permission": keys}),
            max_size=1,
        ),
        "views": st.lists(
            st.fixed_dictionaries(
                {
                    "name": keys,
                    "title": st.just("x"),
                    "columns": st.just([{"name": "id", "title": "Id"}]),
                    "key": st.just("id"),
                    "permission": keys,
                }
            ),
            max_size=1,
        ),
    },
)


def keys_of(manifest: Manifest) -> set[str]:
    """Every permission key that a manifest names anywhere, found without its declaration."""
    found = {permission.key for permission in manifest.permissions} | set(manifest.family_grants)
    return found | {part.permission for part in [*manifest.actions, *manifest.views]}


@settings(max_examples=1000, suppress_health_check=[HealthCheck.too_slow])
@given(hostile)
def test_no_manifest_without_fault_names_a_key_outside_its_namespace_and_families(
    sections: dict[str, Any],
) -> None:
    manifest = read(json.dumps(SMALL | sections), families=KNOWN).manifest
    if manifest is None:
        return

    asked = declaration(manifest)
    own = f"{manifest.slug.replace('-', '_')}."
    shared = {key.key for name in manifest.families for key in KNOWN[name].keys}

    assert manifest.slug not in {"iam", "scheduler", "chess-club"}
    assert keys_of(manifest) == {*asked.keys, *asked.family_keys}
    assert all(key.startswith(own) for key in asked.keys)
    assert set(asked.family_keys) <= shared
    granted = [*asked.keys.values(), *asked.family_grants.values()]
    assert {role for roles in granted for role in roles} <= {"viewer", "project_admin"}


def test_the_property_is_not_empty() -> None:
    honest = {
        "families": ["scheduler"],
        "permissions": [{"key": "echo.greeting.read", "description": "x", "grants": ["viewer"]}],
        "family_grants": {"scheduler.queue.read": ["viewer"]},
    }

    assert read(json.dumps(SMALL | honest), families=KNOWN).faults == []
