"""What a version asks for, and how it differs from what was accepted."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifest.tests import golden_files
from manifest.tests.examples import WHOLE, judge
from moorage_manifest import Declaration, declaration, diff, wider
from moorage_manifest.declarations import ProbeAsked


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
        "actions": {"echo.say": "echo.greeting.say", "echo.submit": "scheduler.queue.submit"},
        "views": {"echo.words": "echo.greeting.read"},
        "probes": {"echo.alive": {"component": "head", "command": ["echo", "--alive"]}},
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
        actions=[
            action("echo.say", "echo.greeting.read"),
            action("echo.shout", "echo.greeting.shout"),
            action("echo.whisper", "echo.greeting.say"),
        ],
        views=[WHOLE["views"][0] | {"permission": "scheduler.queue.cancel"}],
        probes=[WHOLE["probes"][0] | {"component": "worker"}],
    )

    golden_files.check("declaration-diff.txt", f"{diff(new, asked())}\n")
    golden_files.check("declaration.json", new.model_dump_json(indent=2) + "\n")


def action(name: str, permission: str) -> dict[str, Any]:
    return {"name": name, "title": "Do", "permission": permission}


@pytest.mark.parametrize(
    ("changes", "sentences"),
    [
        (
            {"actions": [action("echo.say", "echo.greeting.read"), WHOLE["actions"][1]]},
            ["By default, viewer can run echo.say, which needs echo.greeting.read."],
        ),
        (
            {
                "actions": [*WHOLE["actions"], action("echo.wipe", "scheduler.node.read")],
                "family_grants": WHOLE["family_grants"] | {"scheduler.node.read": ["viewer"]},
            },
            ["By default, viewer can run echo.wipe, which needs scheduler.node.read."],
        ),
        (
            {"actions": [*WHOLE["actions"], action("echo.wipe", "echo.greeting.say")]},
            ["Whoever holds echo.greeting.say can run echo.wipe."],
        ),
        (
            {"views": [WHOLE["views"][0] | {"permission": "echo.greeting.say"}]},
            ["Whoever holds echo.greeting.say can see echo.words."],
        ),
        (
            {"probes": [WHOLE["probes"][0] | {"command": ["sh", "-c", "rm\n-rf /"]}]},
            ['Its probe echo.alive runs ["sh", "-c", "rm\\n-rf /"] on members of head.'],
        ),
        (
            {"probes": [WHOLE["probes"][0] | {"component": "worker"}]},
            ['Its probe echo.alive runs ["echo", "--alive"] on members of worker.'],
        ),
    ],
)
def test_who_can_do_or_see_something_new_is_asked(
    changes: dict[str, Any], sentences: list[str]
) -> None:
    found = wider(asked(**changes), asked())

    parts = ("actions", "views", "probes")
    assert [each.sentence for each in found if each.what in parts] == sentences


def test_an_action_that_fewer_can_run_asks_for_nothing() -> None:
    """What the sentence says of roles is no part of what is asked for: keys are."""
    nobody = [{"key": "echo.greeting.read", "description": "Read it."}, WHOLE["permissions"][1]]

    found = diff(asked(permissions=nobody, actions=[WHOLE["actions"][0]]), asked())

    assert found.wider == []
    assert {each.what for each in found.narrower} == {"actions", "family_keys", "keys"}


def test_other_words_for_an_action_ask_for_nothing() -> None:
    other = [WHOLE["actions"][0] | {"title": "Shout", "description": "x"}, WHOLE["actions"][1]]

    assert asked(actions=other).digest == asked().digest


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
    actions=st.dictionaries(words, words, max_size=3),
    views=st.dictionaries(words, words, max_size=3),
    probes=st.dictionaries(
        words, st.builds(ProbeAsked, component=words, command=st.tuples(words, words)), max_size=3
    ),
)


def is_within(one: Declaration, other: Declaration) -> bool:
    """The same question, asked field by field."""
    plain = ("families", "family_keys", "scopes", "secrets", "task_kinds", "run_as")
    granted = ("keys", "family_grants", "touches")
    paired = ("actions", "views", "probes")
    if any(getattr(other, name) != getattr(other, name) | getattr(one, name) for name in paired):
        return False
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
