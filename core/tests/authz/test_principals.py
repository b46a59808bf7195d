"""A token never does more than its owner, whatever it was narrowed to."""

from hypothesis import given
from hypothesis import strategies as st

from moorage_core.authz.principals import Grant, Kind, Principal
from moorage_core.kit.ids import PLATFORM_ORG

ORGS = ("org_a", "org_b", PLATFORM_ORG)
PROJECTS = ("prj_a", "prj_b", None)
KEYS = ("a.b.c", "a.b.d", "echo.greeting.send")

grants = st.builds(
    Grant,
    org=st.sampled_from(ORGS),
    project=st.sampled_from(PROJECTS),
    permissions=st.frozensets(st.sampled_from(KEYS)),
    role=st.none() | st.sampled_from(("tenant_admin", "project_admin", "viewer")),
    only=st.none() | st.frozensets(st.sampled_from(KEYS)),
)
limits = st.tuples(
    st.none() | st.lists(st.sampled_from((*KEYS, "not.held.anywhere"))),
    st.none() | st.sampled_from(ORGS),
    st.none() | st.sampled_from(("prj_a", "prj_b")),
)


def allowed(held: tuple[Grant, ...]) -> set[tuple[str, str | None, str]]:
    """Everything that the grants allow, place by place."""
    return {
        (grant.org, project, key)
        for grant in held
        for project in (PROJECTS if grant.project is None else (grant.project,))
        for key in grant.permissions
    }


@given(st.lists(grants, max_size=5).map(tuple), limits)
def test_narrowing_never_widens(
    held: tuple[Grant, ...], limit: tuple[list[str] | None, str | None, str | None]
) -> None:
    owner = Principal(Kind.USER, "usr_x", "X", held)
    permissions, org, project = limit

    narrowed = allowed(owner.narrowed(permissions, org=org, project=project))

    assert narrowed <= allowed(held)
    assert all(permissions is None or key in permissions for _, _, key in narrowed)
    assert all(org is None or place == org for place, _, _ in narrowed)
    assert all(project is None or where == project for _, where, _ in narrowed)


@given(st.lists(grants, max_size=5).map(tuple), limits)
def test_narrowing_keeps_all_that_lies_within_the_limits(
    held: tuple[Grant, ...], limit: tuple[list[str] | None, str | None, str | None]
) -> None:
    owner = Principal(Kind.USER, "usr_x", "X", held)
    permissions, org, project = limit

    narrowed = allowed(owner.narrowed(permissions, org=org, project=project))

    within = {
        (place, where, key)
        for place, where, key in allowed(held)
        if (permissions is None or key in permissions)
        and (org is None or place == org)
        and (project is None or where == project)
    }
    assert narrowed == within


@given(st.lists(grants, max_size=5).map(tuple), limits)
def test_narrowing_brings_no_role_to_a_place_where_its_owner_has_it_not(
    held: tuple[Grant, ...], limit: tuple[list[str] | None, str | None, str | None]
) -> None:
    """Apps grant keys to roles, so a token's roles must be its owner's, place by place."""
    owner = Principal(Kind.USER, "usr_x", "X", held)
    permissions, org, project = limit

    narrowed = owner.narrowed(permissions, org=org, project=project)

    for grant in narrowed:
        assert any(
            (grant.org, grant.role) == (wide.org, wide.role)
            and wide.project in (None, grant.project)
            for wide in held
        )


@given(st.lists(grants, max_size=5).map(tuple), limits, limits)
def test_a_list_of_permissions_limits_the_keys_of_apps_and_is_never_lost(
    held: tuple[Grant, ...],
    first: tuple[list[str] | None, str | None, str | None],
    second: tuple[list[str] | None, str | None, str | None],
) -> None:
    grants_now = held
    for permissions, org, project in (first, second):
        owner = Principal(Kind.USER, "usr_x", "X", grants_now)
        grants_now = owner.narrowed(permissions, org=org, project=project)

    for permissions, _, _ in (first, second):
        if permissions is not None:
            assert all(g.only is not None and g.only <= set(permissions) for g in grants_now)
    if all(grant.only is not None for grant in held):
        assert all(grant.only is not None for grant in grants_now)


@given(st.lists(grants, max_size=5).map(tuple))
def test_the_scope_of_the_database_holds_no_place_without_a_grant(held: tuple[Grant, ...]) -> None:
    scope = Principal(Kind.USER, "usr_x", "X", held).scope

    assert scope.orgs == {grant.org for grant in held}
    assert scope.whole_orgs == {grant.org for grant in held if grant.project is None}
    assert scope.projects == {grant.project for grant in held if grant.project is not None}


def test_a_refusal_is_noted_with_the_org_of_somebody_who_has_one() -> None:
    one = Principal(Kind.USER, "usr_x", "X", (Grant("org_a", "prj_a", frozenset()),))
    two = Principal(Kind.USER, "usr_y", "Y", (*one.grants, Grant("org_b", None, frozenset())))

    assert (one.home_org, two.home_org) == ("org_a", PLATFORM_ORG)
