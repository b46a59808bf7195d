"""What a claim's answer becomes: whatever is about an instance has it."""

import json
from typing import Any

from moorage.controller.briefs import Claimed

INSTANCE: dict[str, Any] = {
    "id": "ins_1",
    "name": "one",
    "org_id": "org_1",
    "project_id": "prj_1",
    "app_slug": "sample",
    "app_version": "1.0.0",
    "config": {"greeting": "hello"},
    "members": [{"id": "mem_1", "name": "a", "component": "worker", "status": "ready"}],
}
CHANGE: dict[str, Any] = {
    "app_version": "1.1.0",
    "version_id": "ver_2",
    "config": {"greeting": "moin"},
    "revision": 2,
    "previous": {"app_version": "1.0.0", "config": {"greeting": "hello"}},
    "artifacts": [],
}


def operation(id: str, **more: Any) -> dict[str, Any]:
    own = {"id": id, "kind": "member.add", "fence": 1, "correlation_id": "c"}
    return {**own, "instance_id": "ins_1", "change": None, **more}


def claimed(**parts: Any) -> Claimed:
    answer = {"replica": {"id": "rep_1"}, "next": 3, "instances": [INSTANCE], **parts}
    return Claimed.model_validate_json(json.dumps(answer))


def test_all_that_is_about_an_instance_shares_it() -> None:
    watch = {"instance_id": "ins_1", "grant": "g", "fence": 1}
    hint = {"instance_id": "ins_1", "moved": ["members"]}

    found = claimed(operations=[operation("a"), operation("b")], watches=[watch], hints=[hint])

    told = [each.instance for each in (*found.operations, *found.watches, *found.hints)]
    assert [each.members[0].id for each in told] == ["mem_1"] * 4
    assert len({id(each) for each in told}) == 1


def test_an_operation_has_its_instance_as_it_is_to_be() -> None:
    watch = {"instance_id": "ins_1", "grant": "g", "fence": 1}

    found = claimed(operations=[operation("a", change=CHANGE)], watches=[watch])

    to_be, now = found.operations[0].instance, found.watches[0].instance
    assert (to_be.app_version, to_be.config, to_be.revision) == ("1.1.0", {"greeting": "moin"}, 2)
    assert to_be.previous is not None
    assert to_be.previous.config == now.config == {"greeting": "hello"}
    assert to_be.members is now.members
