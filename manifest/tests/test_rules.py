"""What the parts of a manifest say about each other, and the wall against escalation."""

from typing import Any

import pytest

from manifest.tests.examples import DIGEST, WHOLE, judge, said
from moorage_manifest import RESERVED_SLUGS, Family, read, read_family, shipped
from moorage_manifest.vocabulary import CORE_AREAS

SCHEMA = {"type": "object"}


def permission(key: str) -> dict[str, Any]:
    return {"key": key, "description": "Something."}


def action(**changes: Any) -> dict[str, Any]:
    return {"name": "echo.do", "title": "Do", "permission": "echo.greeting.say"} | changes


def view(**changes: Any) -> dict[str, Any]:
    columns = [{"name": "id", "title": "Id"}]
    shape = {"name": "echo.see", "title": "See", "columns": columns, "key": "id"}
    return {**shape, "permission": "echo.greeting.read", **changes}


FOREIGN = [
    "iam.org.delete",
    "apps.operation.claim",
    "catalog.app.read",
    "platform.org.list",
    "other.thing.read",
    "echoes.greeting.read",
    "echo_two.greeting.read",
    "scheduler.queue.read",
]


@pytest.mark.parametrize("key", FOREIGN)
def test_a_permission_key_outside_the_namespace_is_refused(key: str) -> None:
    faults = said(judge(permissions=[*WHOLE["permissions"], permission(key)]))

    assert "must begin with 'echo.'" in faults["permissions[2].key"]


@pytest.mark.parametrize(
    "key", ["echo", "echo.", ".echo.a", "echo..a", "Echo.a.b", "echo.a.*", "*"]
)
def test_a_permission_key_that_is_none_is_refused(key: str) -> None:
    assert "permissions[0].key" in said(judge(permissions=[permission(key)]))


def test_the_namespace_has_underscores_for_hyphens() -> None:
    own = {"slug": "echo-two", "actions": [], "views": [], "probes": [], "meters": []}

    assert judge(**own, permissions=[permission("echo_two.a.b")]).faults == []
    assert "permissions[0].key" in said(judge(**own, permissions=[permission("echo.a.b")]))


@pytest.mark.parametrize("slug", sorted(RESERVED_SLUGS | {"scheduler"}))
def test_a_slug_of_the_platform_or_of_a_family_is_refused(slug: str) -> None:
    assert said(judge(slug=slug, permissions=[], actions=[], views=[]))["slug"]


def test_a_family_that_the_platform_made_is_reserved_too() -> None:
    chess = Family.model_validate(
        {
            "name": "chess-club",
            "description": "x",
            "keys": [{"key": "chess_club.a.b", "description": "x"}],
        }
    )

    faults = read('{"slug": "chess-club"}', families={"chess-club": chess}).faults

    assert "'chess-club' is the name of a family" in {fault.message for fault in faults}


def test_a_family_of_the_contract_is_reserved_where_a_platform_does_not_know_it() -> None:
    faults = read('{"slug": "scheduler"}', families={}).faults

    assert "'scheduler' is the name of a family" in {fault.message for fault in faults}


@pytest.mark.parametrize("section", ["actions", "views"])
@pytest.mark.parametrize(
    ("key", "part"),
    [
        ("iam.org.delete", "neither a key of this app"),
        ("other.thing.read", "neither a key of this app"),
        ("echo.greeting.shout", "is not among permissions"),
        ("scheduler.queue.own", "the family scheduler has no key"),
    ],
)
def test_an_action_or_view_needs_a_key_of_its_own_or_of_a_family(
    section: str, key: str, part: str
) -> None:
    make = action if section == "actions" else view

    faults = said(judge(**{section: [make(permission=key)]}))

    assert part in faults[f"{section}[0].permission"]


@pytest.mark.parametrize("make", [action, view])
def test_a_family_that_is_not_named_is_not_used(make: Any) -> None:
    section = "actions" if make is action else "views"
    others = {"actions": [], "views": [], "family_grants": {}} | {
        section: [make(permission="scheduler.queue.read")]
    }

    faults = said(judge(families=[], **others))

    assert faults[f"{section}[0].permission"].endswith("name it under families")


@pytest.mark.parametrize(
    ("key", "part"),
    [
        ("iam.org.delete", "neither a key of this app"),
        ("scheduler.queue.own", "has no key"),
        ("echo.greeting.read", "grant it under permissions"),
    ],
)
def test_a_family_grant_is_of_a_family_key(key: str, part: str) -> None:
    assert part in said(judge(family_grants={key: ["viewer"]}))[f'family_grants["{key}"]']


def test_a_family_that_is_not_there_is_refused() -> None:
    assert (
        "there is no family 'chess'" in said(judge(families=["scheduler", "chess"]))["families[1]"]
    )


@pytest.mark.parametrize(
    ("section", "entry", "path"),
    [
        ("actions", action(name="other.do"), "actions[0].name"),
        ("views", view(name="iam.see"), "views[0].name"),
        ("meters", {"name": "m.m", "unit": "x", "description": "x"}, "meters[0].name"),
        (
            "probes",
            {"name": "scheduler.look", "component": "head", "command": ["true"]},
            "probes[0].name",
        ),
    ],
)
def test_every_name_stands_in_the_namespace(section: str, entry: Any, path: str) -> None:
    assert "must begin with 'echo.'" in said(judge(**{section: [entry]}))[path]


@pytest.mark.parametrize(
    ("changes", "path", "part"),
    [
        ({"components": {"head": {"min": 2, "max": 1}}}, "components.head.min", "max is 1"),
        ({"components": {"head": {"min": -1}}}, "components.head.min", "at least 0"),
        ({"components": {"head": {"max": 0}}}, "components.head.max", "at least 1"),
        (
            {"components": {"head": {"may_share_host_with": ["tail"]}}},
            "components.head.may_share_host_with[0]",
            "there is no component 'tail'",
        ),
        ({"touches": {"member.add": ["tail"]}}, 'touches["member.add"][0]', "no component 'tail'"),
        ({"touches": {"member.dance": ["head"]}}, 'touches["member.dance"]', "must be"),
        ({"modes": WHOLE["modes"] * 2}, "modes[1]", "a second time"),
        ({"artifacts": WHOLE["artifacts"] * 2}, "artifacts[1].name", "a second time"),
        ({"permissions": [permission("echo.a.b")] * 2}, "permissions[1].key", "a second time"),
        ({"scopes": ["usage.report", "usage.report"]}, "scopes[1]", "a second time"),
        ({"scopes": ["everything"]}, "scopes[0]", "must be principals.read"),
        ({"secrets": ["password"]}, "secrets[0]", "must be cluster_key"),
        ({"tasks": {"kinds": ["exec", "probe"]}}, "tasks.run_as", "is missing"),
        ({"tasks": {"kinds": ["wipe"], "run_as": ["root"]}}, "tasks.kinds[0]", "must be exec"),
        ({"tasks": {"kinds": ["exec"], "run_as": ["root"]}}, "probes", "need 'probe'"),
        ({"actions": [action(lock="member")]}, "actions[0].component", "is missing"),
        ({"actions": [action(component="tail")]}, "actions[0].component", "no component 'tail'"),
        ({"actions": [action(input={"type": "array"})]}, "actions[0].input.type", "'object'"),
        (
            {"actions": [action(output=SCHEMA | {"$ref": "file:///etc/passwd"})]},
            'actions[0].output["$ref"]',
            "only '#/$defs/name'",
        ),
        ({"views": [view(key="no")]}, "views[0].key", "no column 'no'"),
        ({"views": [view(columns=[])]}, "views[0].columns", "at least one entry"),
        ({"access": {"template": "ssh {login"}}, "access.template", "belongs to no {placeholder}"),
        ({"access": {"template": "{0.__class__}"}}, "access.template", "belongs to no"),
        ({"access": {"template": "{a!r:>9}"}}, "access.template", "belongs to no"),
        ({"rollback": {"supported": False, "loses": ["x"]}}, "rollback.loses", "nothing to lose"),
        ({"runbook": "runbook.txt"}, "runbook", "'.md'"),
        (
            {"config": {"schema": SCHEMA, "effects": {"nothing": "none"}}},
            "config.effects.nothing",
            "no such field",
        ),
        (
            {"config": {"schema": WHOLE["config"]["schema"], "effects": {"/limits/no": "none"}}},
            'config.effects["/limits/no"]',
            "no such field",
        ),
    ],
)
def test_what_does_not_hold_together_is_refused(
    changes: dict[str, Any], path: str, part: str
) -> None:
    assert part in said(judge(**changes))[path]


def test_one_bad_entry_does_not_hide_what_is_wrong_with_the_others() -> None:
    entries = [{"key": "no"}, permission("iam.org.read")]

    faults = said(judge(permissions=entries))

    assert "must begin with 'echo.'" in faults["permissions[1].key"]
    assert "permissions[0].description" in faults


def test_a_misspelt_component_does_not_make_others_unknown() -> None:
    faults = said(judge(components={"head": {"min": "x"}, "worker": {}}))

    assert list(faults) == ["components.head.min"]


def test_the_shipped_families_are_those_of_the_contract() -> None:
    scheduler = shipped()["scheduler"]

    assert [key.key for key in scheduler.keys] == [
        "scheduler.catalog.read",
        "scheduler.instance.read",
        "scheduler.instance.create",
        "scheduler.instance.update",
        "scheduler.instance.delete",
        "scheduler.queue.submit",
        "scheduler.queue.read",
        "scheduler.queue.cancel",
        "scheduler.node.read",
        "scheduler.node.operate",
    ]
    assert [key.means is None for key in scheduler.keys] == [False] * 5 + [True] * 5


@pytest.mark.parametrize(
    ("name", "key", "means", "path"),
    [
        ("chess", "iam.org.read", None, "keys[0].key"),
        ("chess", "chess", None, "keys[0].key"),
        ("chess", "chess.board.read", "chess.board.read", "keys[0].means"),
        ("iam", "iam.board.read", None, "name"),
    ],
)
def test_a_family_keeps_to_its_own_name(name: str, key: str, means: str | None, path: str) -> None:
    entry = f"{{key: {key}, description: x, means: {means or 'null'}}}"

    reading = read_family(f"name: {name}\ndescription: x\nkeys: [{entry}]")

    assert reading.family is None
    assert path in [fault.path for fault in reading.faults]


def test_no_family_of_the_contract_has_a_name_of_the_core() -> None:
    assert CORE_AREAS.isdisjoint(shipped())


OWN: dict[str, Any] = {"actions": [], "views": [], "probes": [], "meters": [], "tasks": {}}


@pytest.mark.parametrize(
    ("section", "most", "entry"),
    [
        ("permissions", 200, lambda n: permission(f"echo.k{n}.read")),
        ("actions", 100, lambda n: action(name=f"echo.do{n}")),
        ("views", 100, lambda n: view(name=f"echo.see{n}")),
        ("meters", 100, lambda n: {"name": f"echo.m{n}", "unit": "jobs", "description": "Jobs."}),
        (
            "probes",
            100,
            lambda n: {"name": f"echo.p{n}", "component": "head", "command": ["true"]},
        ),
        (
            "artifacts",
            100,
            lambda n: {"name": f"a{n}", "digest": DIGEST, "size": 1, "media_type": "a/b"},
        ),
    ],
)
def test_a_list_has_so_many_entries_and_no_more(section: str, most: int, entry: Any) -> None:
    keys = WHOLE["permissions"] if section != "permissions" else []
    rest = OWN | {"permissions": keys, "tasks": WHOLE["tasks"]}

    fits = judge(**rest | {section: [entry(n) for n in range(most)]})
    over = judge(**rest | {section: [entry(n) for n in range(most + 1)]})

    assert fits.faults == []
    assert said(over)[section] == f"must have at most {most} entries"


def test_an_app_has_so_many_components_and_no_more() -> None:
    parts = {f"part{n}": {} for n in range(65)}
    rest = OWN | {"touches": {}}

    fits = judge(**rest, components=dict(list(parts.items())[:64]))
    over = judge(**rest, components=parts)

    assert fits.faults == []
    assert said(over)["components"] == "must have at most 64 entries"


def test_what_tenants_are_asked_for_can_be_read_by_people() -> None:
    roles = ["project_admin", "project_member", "viewer"]
    long = [permission(f"echo.{'k' * 107}{n}.read") | {"grants": roles} for n in range(200)]

    faults = said(judge(**OWN, permissions=long))

    assert list(faults) == ["permissions"]
    assert "may have 32,768; most of it comes from here" in faults["permissions"]


def test_the_largest_part_of_what_is_asked_for_is_named() -> None:
    argv = ["x" * 3000] * 4
    probes = [{"name": f"echo.p{n}", "component": "head", "command": argv} for n in range(3)]

    assert list(said(judge(probes=probes))) == ["probes"]
