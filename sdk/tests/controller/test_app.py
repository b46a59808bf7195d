"""An app and its functions."""

import pytest

import moorage
from sdk.tests.controller.sample import MANIFEST


async def nothing(op: object) -> None: ...


def test_a_manifest_that_is_wrong_makes_no_app() -> None:
    with pytest.raises(moorage.ManifestUnusable, match="slug"):
        moorage.App.from_text(MANIFEST.replace("slug: sample", "slug: Sample!"))


def test_what_the_manifest_promises_and_nobody_does_is_named() -> None:
    app = moorage.App.from_text(MANIFEST)
    app.member("keeper").add(nothing)

    assert app.missing() == [
        "member(keeper).remove",
        "member(worker).add",
        "member(worker).remove",
        "member(worker).drain",
        "member(worker).resume",
        "action sample.say",
        "instance.rollback",
    ]


def test_a_component_or_an_action_that_is_not_declared_has_no_functions() -> None:
    app = moorage.App.from_text(MANIFEST)

    with pytest.raises(ValueError, match="no component oven"):
        app.member("oven")
    with pytest.raises(ValueError, match=r"no action sample\.shout"):
        app.action("sample.shout")


def test_nothing_has_two_functions() -> None:
    app = moorage.App.from_text(MANIFEST)
    app.instance.restart(nothing)
    app.member("worker").add.prepare(nothing)

    with pytest.raises(ValueError, match=r"instance\.restart has a function already"):
        app.instance.restart(nothing)
    with pytest.raises(ValueError, match=r"add\.prepare has a function already"):
        app.member("worker").add.prepare(nothing)
