"""The one door: who gets in, who is told no, and who is told that there is nothing."""

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moorage_core.authz.authorize import (
    Hidden,
    Resource,
    authorize,
    authorize_anywhere,
    authorize_self,
    missing,
    platform,
)
from moorage_core.authz.principals import Grant, Kind, Principal
from moorage_core.context import Context, Trace
from moorage_core.errors import Forbidden, not_found
from moorage_core.kit.clock import ManualClock
from moorage_core.kit.ids import PLATFORM_ORG

READ, WRITE = "iam.project.read", "iam.project.update"
APP_KEY = "echo.greeting.send"
ORGS = ("org_a", "org_b")
PROJECTS = ("prj_a", "prj_b", None)
KEYS = (READ, WRITE, APP_KEY)

grants = st.builds(
    Grant,
    org=st.sampled_from(ORGS),
    project=st.sampled_from(PROJECTS),
    permissions=st.frozensets(st.sampled_from(KEYS)),
)
resources = st.builds(
    Resource,
    noun=st.just("thing"),
    id=st.just("x"),
    org=st.sampled_from(ORGS),
    project=st.sampled_from(PROJECTS),
    by_any_project=st.booleans(),
)


def context(*grants: Grant, own: frozenset[str] = frozenset()) -> Context:
    principal = Principal(Kind.USER, "usr_x", "X", grants, own)
    nothing = cast(Any, None)
    return Context(principal, nothing, ManualClock(), Trace("correlation"), nothing)


def test_a_key_on_the_project_opens_the_project() -> None:
    ctx = context(Grant("org_a", "prj_a", frozenset({READ})))

    authorize(ctx, READ, Resource("project", "prj_a", "org_a", "prj_a"))

    assert ctx.checked == {READ}


def test_a_key_on_the_org_opens_all_its_projects() -> None:
    ctx = context(Grant("org_a", None, frozenset({READ})))

    authorize(ctx, READ, Resource("project", "prj_b", "org_a", "prj_b"))


def test_a_key_that_is_no_part_of_the_core_is_treated_like_any_other() -> None:
    """Keys of apps and families arrive as data."""
    ctx = context(Grant("org_a", "prj_a", frozenset({APP_KEY})))
    there = Resource("instance", "inst_1", "org_a", "prj_a")

    authorize(ctx, APP_KEY, there)

    with pytest.raises(Forbidden, match=r"echo\.greeting\.delete"):
        authorize(ctx, "echo.greeting.delete", there)


def test_who_holds_another_key_there_is_told_which_one_is_missing() -> None:
    ctx = context(Grant("org_a", "prj_a", frozenset({READ})))

    with pytest.raises(Forbidden, match=WRITE) as refusal:
        authorize(ctx, WRITE, Resource("project", "prj_a", "org_a", "prj_a"))

    assert (refusal.value.org, refusal.value.project) == ("org_a", "prj_a")


@pytest.mark.parametrize(
    "grant",
    [
        Grant("org_b", None, frozenset(KEYS)),
        Grant("org_a", "prj_b", frozenset(KEYS)),
        Grant("org_a", "prj_a", frozenset()),
        Grant(PLATFORM_ORG, None, frozenset(KEYS)),
    ],
)
def test_who_holds_nothing_there_is_told_what_a_random_id_is_told(grant: Grant) -> None:
    ctx = context(grant)

    with pytest.raises(Hidden) as refusal:
        authorize(ctx, READ, Resource("project", "prj_a", "org_a", "prj_a"))

    absent = not_found("project", "prj_a")
    assert (refusal.value.detail, refusal.value.code, refusal.value.status) == (
        absent.detail,
        absent.code,
        absent.status,
    )
    assert refusal.value.title() == absent.title()


def test_the_platform_is_no_secret_and_so_never_hidden() -> None:
    with pytest.raises(Forbidden, match=r"iam\.org\.create"):
        authorize(context(), "iam.org.create", platform())


def test_a_refusal_on_the_platform_reads_as_a_sentence() -> None:
    with pytest.raises(Forbidden) as refused:
        authorize(context(), "iam.org.create", platform())

    assert "the permission iam.org.create on the platform. Somebody" in str(refused.value)


def test_a_key_on_the_platform_says_nothing_about_tenants() -> None:
    ctx = context(Grant(PLATFORM_ORG, None, frozenset(KEYS)))

    with pytest.raises(Hidden):
        authorize(ctx, READ, Resource("org", "org_a", "org_a"))


def test_keys_on_oneself_are_apart_from_keys_in_places() -> None:
    ctx = context(Grant("org_a", None, frozenset({"iam.self.manage"})))

    with pytest.raises(Forbidden, match=r"iam\.self\.manage"):
        authorize_self(ctx, "iam.self.manage")


def test_holding_a_key_anywhere_is_enough_for_a_list_that_filters() -> None:
    ctx = context(Grant("org_a", "prj_a", frozenset({READ})))

    authorize_anywhere(ctx, READ)

    with pytest.raises(Forbidden):
        authorize_anywhere(ctx, WRITE)


@given(st.lists(grants, max_size=4), st.sampled_from(KEYS), resources)
def test_the_door_is_plain_set_membership(held: list[Grant], key: str, resource: Resource) -> None:
    def covers(grant: Grant) -> bool:
        inside = grant.project in (None, resource.project) or resource.by_any_project
        return grant.org == resource.org and inside

    expected = any(key in grant.permissions for grant in held if covers(grant))

    assert is_allowed(context(*held), key, resource) == expected


@given(st.lists(grants, max_size=4), st.frozensets(st.sampled_from(KEYS)), resources)
def test_what_is_missing_is_what_the_door_would_refuse(
    held: list[Grant], keys: frozenset[str], resource: Resource
) -> None:
    place = Resource("", "", resource.org, resource.project)
    ctx = context(*held)

    lacking = missing(ctx.principal, keys, org=place.org, project=place.project)

    assert lacking == sorted(key for key in keys if not is_allowed(ctx, key, place))


def is_allowed(ctx: Context, key: str, resource: Resource) -> bool:
    try:
        authorize(ctx, key, resource)
    except (Forbidden, Hidden):
        return False
    return True
