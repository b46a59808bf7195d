"""What a version asks for, and how it differs from what was accepted."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from manifest.tests import golden_files
from manifest.tests.examples import WHOLE, judge
from moorage_manifest import Declaration, declaration, diff, wider


def asked(**changes: Any) -> Declaration:
    reading = judge(**changes)
    assert reading.manifest is not None, reading.faults
    return declaration(reading.manifest)


def test_a_declaration_holds_what_consent_is_about() -> None:
    assert asked().model_dump(mode="json") == {
        "families": ["scheduler"],
        "keys": {"echo.greeting.read": ["viewer"], "echo.greeting.say": []},
        "family_grants": {"scheduler.queue.read": ["project_member", "viewer"]},
        "family_keys": ["scheduler.queue.read", "scheduler.queue.submit"],
        "scopes": ["principals.read"],
        "touches": {"instance.repair": ["head", "worker"], "member.add": ["head"]},
        "secrets": ["join"],
        "task_kinds": ["exec", "probe"],
        "run_as": ["root"],
    }


def test_what_is_not_asked_for_does_not_change_the_digest() -> None:
    other = asked(
        version="9.9.9",
        summary="Other words.",
        runbook=...,
        touches={**WHOLE["touches"], "action": []},
    )

    assert other.digest == asked().digest
    assert other.digest.startswith("sha256:")


def test_the_order_of_writing_does_not_change_the_digest() -> None:
    turned = asked(
        permissions=WHOLE["permissions"][::-1],
        touches=dict(reversed(WHOLE["touches"].items())),
        tasks={"kinds": ["probe", "exec"], "run_as": ["root"]},
    )

    assert turned.digest == asked().digest


def test_a_declaration_survives_json() -> None:
    again = Declaration.model_validate_json(asked().model_dump_json())

    assert again == asked()
    assert again.digest == asked().digest


def test_wider_says_what_is_new_and_diff_what_is_gone() -> None:
    new = asked(
        permissions=[
            {
                "key": "echo.greeting.read",
                "description": "x",
                "grants": ["viewer", "project_member"],
            },
            {"key": "echo.greeting.say", "description": "x"},
            {"key": "echo.greeting.shout", "description": "x", "grants": ["project_admin"]},
        ],
        family_grants={"scheduler.queue.cancel": ["viewer"]},
        scopes=["usage.report"],
        touches={"member.add": ["head", "worker"]},
        secrets=["join", "database"],
        tasks={"kinds": ["exec", "probe", "packages"], "run_as": ["root", "postgres"]},
    )

    golden_files.check("declaration-diff.txt", f"{diff(new, asked())}\n")
    golden_files.check("declaration.json", new.model_dump_json(indent=2) + "\n")


def test_nothing_new_is_said_to_be_nothing() -> None:
    assert str(diff(asked(), asked())) == "Nothing changes."


words = st.sampled_from(["a", "b", "c"])
lists = st.frozensets(words).map(lambda found: tuple(sorted(found)))
grants = st.dictionaries(words, lists, max_size=3)
some_grants = st.dictionaries(words, lists.filter(bool), max_size=3)
declarations = st.builds(
    Declaration,
    families=lists,
    keys=grants,
    family_grants=some_grants,
    family_keys=lists,
    scopes=lists,
    touches=some_grants,
    secrets=lists,
    task_kinds=lists,
    run_as=lists,
)


def is_within(one: Declaration, other: Declaration) -> bool:
    """The same question, asked field by field."""
    plain = ("families", "family_keys", "scopes", "secrets", "task_kinds", "run_as")
    granted = ("keys", "family_grants", "touches")
    return all(set(getattr(one, name)) <= set(getattr(other, name)) for name in plain) and all(
        key in getattr(other, name) and set(roles) <= set(getattr(other, name)[key])
        for name in granted
        for key, roles in getattr(one, name).items()
    )


@given(declarations)
def test_nothing_is_wider_than_itself(one: Declaration) -> None:
    assert wider(one, one) == []


@given(declarations, declarations)
def test_wider_is_empty_exactly_where_one_is_within_the_other(
    one: Declaration, other: Declaration
) -> None:
    assert (wider(one, other) == []) is is_within(one, other)


@given(declarations, declarations)
def test_the_digest_is_the_same_exactly_where_nothing_differs(
    one: Declaration, other: Declaration
) -> None:
    found = diff(one, other)

    assert (one.digest == other.digest) is (found.wider == [] and found.narrower == [])
