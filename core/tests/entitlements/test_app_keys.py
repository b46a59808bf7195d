"""Nobody holds a key of an app but through the accepted declaration, for the role they have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tests.factories.entitlements import entitlement
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Grant, Kind, Principal
from moorage_core.authz.roles import Role
from moorage_core.entitlements import app_keys
from moorage_core.entitlements.models import Entitlement
from moorage_core.errors import Forbidden
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.people.rules import user_grants
from moorage_manifest.declarations import Declaration

ECHO = Declaration(
    families=("scheduler",),
    keys={
        "echo.greeting.read": ("project_admin", "project_member", "viewer"),
        "echo.greeting.send": ("project_admin", "project_member"),
        "echo.greeting.clear": ("project_admin",),
        "echo.greeting.hide": (),
    },
    family_grants={"scheduler.queue.read": ("project_admin", "viewer")},
    family_keys=("scheduler.node.read", "scheduler.queue.read"),
)
ADMITTED = ["scheduler.node.read", "scheduler.queue.read"]


def person(role: str, *, org: str = "org_a", project: str | None = "prj_a") -> Principal:
    return Principal(Kind.USER, "usr_a", "A", user_grants([(org, project, role)]))


def robot(*keys: str, project: str = "prj_a") -> Principal:
    grant = Grant("org_a", project, frozenset(keys))
    return Principal(Kind.SERVICE_ACCOUNT, "sac_a", "robot", (grant,))


@pytest.mark.parametrize(
    ("role", "keys"),
    [
        ("viewer", ["echo.greeting.read", "scheduler.queue.read"]),
        ("project_member", ["echo.greeting.read", "echo.greeting.send"]),
        (
            "project_admin",
            [
                "echo.greeting.clear",
                "echo.greeting.read",
                "echo.greeting.send",
                "scheduler.queue.read",
            ],
        ),
    ],
)
def test_each_role_holds_exactly_what_was_accepted_for_it(role: str, keys: list[str]) -> None:
    assert app_keys.held(entitlement(ECHO, admitted=ADMITTED), person(role)) == keys


def test_a_tenant_admin_counts_as_project_admin_in_every_project_of_the_org() -> None:
    admin = person("tenant_admin", project=None)
    here = entitlement(ECHO, admitted=ADMITTED)
    elsewhere = entitlement(ECHO, admitted=ADMITTED, project_id="prj_b")

    assert app_keys.held(here, admin) == app_keys.held(here, person("project_admin"))
    assert app_keys.held(elsewhere, admin) == app_keys.held(here, admin)


@pytest.mark.rule("PM-7")
@pytest.mark.parametrize("role", ["platform_admin", "tenant_admin", "viewer"])
def test_who_runs_the_platform_is_nobody_in_a_tenants_project(role: str) -> None:
    operator = person(role, org=PLATFORM_ORG, project=None)

    assert app_keys.held(entitlement(ECHO), operator) == []
    assert app_keys.held(entitlement(ECHO, org_id=PLATFORM_ORG), operator) != []


@pytest.mark.rule("PM-3")
def test_a_role_in_another_project_or_org_brings_nothing() -> None:
    here = entitlement(ECHO, admitted=ADMITTED)

    assert app_keys.held(here, person("project_admin", project="prj_b")) == []
    assert app_keys.held(here, person("tenant_admin", org="org_b", project=None)) == []


@pytest.mark.rule("PM-4")
def test_a_disabled_entitlement_brings_nothing() -> None:
    assert app_keys.held(entitlement(ECHO, enabled=False), person("project_admin")) == []


@pytest.mark.rule("PM-5")
def test_a_service_account_holds_nothing_by_default() -> None:
    account = robot("iam.project.read")

    assert app_keys.held(entitlement(ECHO, admitted=ADMITTED), account) == []


@pytest.mark.rule("PM-5")
def test_a_service_account_holds_the_keys_of_its_list_that_were_accepted() -> None:
    account = robot("echo.greeting.send", "echo.greeting.gone", "other.thing.do")

    assert app_keys.held(entitlement(ECHO), account) == ["echo.greeting.send"]


def test_a_token_with_a_list_keeps_only_the_app_keys_on_it() -> None:
    owner = person("project_admin")
    grants = owner.narrowed(["echo.greeting.read", "iam.project.read"], org=None, project=None)
    token = Principal(Kind.USER, "usr_a", "A", grants)

    assert app_keys.held(entitlement(ECHO), token) == ["echo.greeting.read"]


def test_a_token_for_one_project_keeps_its_owners_role_there() -> None:
    owner = person("tenant_admin", project=None)
    token = Principal(Kind.USER, "usr_a", "A", owner.narrowed(None, org="org_a", project="prj_a"))

    assert "echo.greeting.clear" in app_keys.held(entitlement(ECHO), token)
    assert app_keys.held(entitlement(ECHO, project_id="prj_b"), token) == []


@pytest.mark.rule("PM-1")
@pytest.mark.parametrize(
    "key",
    ["other.greeting.read", "iam.project.delete", "echoes.greeting.read", "echo2.a.b", "echo"],
)
def test_a_key_outside_the_apps_namespace_is_nobodys(key: str) -> None:
    """Publishing refuses such a manifest; a row that got there otherwise gives nothing either."""
    forged = Declaration(keys={key: ("project_admin",)}, family_grants={key: ("project_admin",)})

    assert app_keys.held(entitlement(forged, admitted=[key]), person("project_admin")) == []
    assert app_keys.held(entitlement(forged, admitted=[key]), robot(key)) == []


@pytest.mark.rule("PM-1")
@pytest.mark.parametrize("slug", sorted({key.partition(".")[0] for key in Permission}))
def test_no_app_and_no_family_speaks_for_an_area_of_the_core(slug: str) -> None:
    keys = {str(key): ("project_admin",) for key in Permission}
    forged = Declaration(families=(slug,), keys=keys, family_grants=keys)
    entitled = entitlement(forged, app_slug=slug, admitted=list(keys))

    assert app_keys.held(entitled, person("project_admin")) == []


@pytest.mark.rule("PM-2")
def test_a_family_key_needs_the_family_in_the_accepted_declaration() -> None:
    unnamed = ECHO.model_copy(update={"families": ()})

    held = app_keys.held(entitlement(unnamed, admitted=ADMITTED), person("viewer"))

    assert held == ["echo.greeting.read"]


@pytest.mark.rule("PM-2")
def test_a_family_key_needs_the_platforms_admission() -> None:
    assert app_keys.held(entitlement(ECHO, admitted=[]), person("viewer")) == ["echo.greeting.read"]


def test_an_org_role_in_a_declaration_grants_nothing() -> None:
    forged = Declaration(keys={"echo.greeting.read": ("tenant_admin", "platform_admin")})

    for role in Role:
        assert app_keys.held(entitlement(forged), person(role, project=None)) == []


def test_who_hands_a_family_key_on_must_hold_it_on_every_app_that_has_it() -> None:
    granted = entitlement(ECHO, admitted=ADMITTED)
    ungranted = entitlement(
        ECHO.model_copy(update={"family_grants": {}}), app_slug="other", admitted=ADMITTED
    )
    admin, key = person("project_admin"), "scheduler.queue.read"

    assert app_keys.beyond_ceiling([granted], admin, [key]) == ([], [])
    assert app_keys.beyond_ceiling([granted, ungranted], admin, [key]) == ([], [key])
    assert app_keys.beyond_ceiling([], admin, [key]) == ([key], [])


def test_a_refusal_names_the_key_and_the_roles_that_bring_it() -> None:
    with pytest.raises(Forbidden, match=r"echo\.greeting\.clear.*project_admin") as refusal:
        app_keys.check_held(entitlement(ECHO), person("viewer"), "echo.greeting.clear")

    assert (refusal.value.org, refusal.value.project) == ("org_a", "prj_a")


@pytest.mark.parametrize(
    ("entitled", "says"),
    [
        (entitlement(ECHO, enabled=False), "can enable it"),
        (entitlement(Declaration()), "has accepted no such key"),
    ],
)
def test_a_refusal_says_what_would_help(entitled: Entitlement, says: str) -> None:
    with pytest.raises(Forbidden, match=says):
        app_keys.check_held(entitled, person("project_admin"), "echo.greeting.clear")


KEYS = (
    "echo.greeting.read",
    "echo.greeting.send",
    "other.thing.do",
    "scheduler.queue.read",
    "scheduler.node.read",
    "iam.project.delete",
    "catalog.entitlement.consent",
)
ADMINS = {"tenant_admin": "project_admin", "platform_admin": "project_admin"}
ROLES = tuple(role.value for role in Role)
# Weighted: where everything is drawn evenly, hardly anybody holds anything.
rolesets = st.dictionaries(
    st.sampled_from(KEYS),
    st.lists(st.sampled_from(ROLES), min_size=2, unique=True).map(tuple),
    min_size=2,
)
declared = st.builds(
    Declaration,
    families=st.sampled_from([("scheduler",), ("scheduler",), (), ("iam",), ("echo",)]),
    keys=rolesets,
    family_grants=rolesets,
    family_keys=st.lists(st.sampled_from(KEYS), unique=True).map(tuple),
)
places = st.sampled_from(
    [("org_a", "prj_a"), ("org_a", "prj_a"), ("org_a", None), ("org_a", "prj_b"), ("org_b", None)]
) | st.tuples(st.just(PLATFORM_ORG), st.sampled_from([None, "prj_a"]))
rows = st.builds(lambda place, role: (*place, role), places, st.sampled_from(ROLES))
lists = st.none() | st.lists(st.sampled_from(KEYS), min_size=2)


def narrowed(rows: list[tuple[str, str | None, str]], keys: list[str] | None) -> Principal:
    owner = Principal(Kind.USER, "usr_a", "A", user_grants(rows))
    grants = owner.narrowed(keys, org=None, project=None)
    return Principal(Kind.USER, "usr_a", "A", grants)


holders = st.builds(narrowed, st.lists(rows, min_size=1, max_size=3), lists)
slugs = st.sampled_from(["echo", "echo", "echo", "other", "iam"])
admissions = st.lists(st.sampled_from(KEYS), min_size=2, unique=True)


@pytest.mark.rule("PM-1", "PM-2", "PM-3")
@given(declared, holders, slugs, admissions)
def test_nobody_holds_more_than_was_accepted_for_their_role(
    accepted: Declaration, who: Principal, slug: str, admitted: list[str]
) -> None:
    entitled = entitlement(accepted, app_slug=slug, admitted=admitted)

    held = app_keys.held(entitled, who)

    roles = {
        ADMINS.get(str(grant.role), str(grant.role))
        for grant in who.grants
        if grant.org == "org_a" and grant.project in (None, "prj_a")
    }
    for key in held:
        area = key.partition(".")[0]
        granted = accepted.keys if area == slug else accepted.family_grants
        assert roles & set(granted[key]) & {"project_admin", "project_member", "viewer"}
        assert area == slug or (area in accepted.families and key in admitted)
        assert key not in {str(core) for core in Permission}
        assert all(grant.only is None or key in grant.only for grant in who.grants)
    assert not held or app_keys.held(entitlement(accepted, enabled=False), who) == []
