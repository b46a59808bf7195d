"""A stolen personal token cannot be turned into a better one."""

from core.tests.callers import ActorMaker, Caller
from core.tests.factories.tenancy import OrgRow, Person, ProjectRow


async def token_of(owner: Caller, **fields: object) -> Caller:
    """Somebody who holds a new token of this person."""
    answer = await owner.post("/v1/access-tokens", {"name": "t", "expires_in": 3600, **fields})
    assert answer.status_code == 201, answer.text
    assert owner.person is not None
    person = Person(owner.person.id, owner.person.email, answer.json()["token"])
    return Caller(owner.client, person)


async def test_a_token_for_one_project_cannot_make_tokens_at_all(
    actor: ActorMaker, acme: OrgRow, alpha: ProjectRow
) -> None:
    admin = await actor("tenant_admin", org=acme)
    thief = await token_of(admin, project=alpha.id)

    answer = await thief.post("/v1/access-tokens", {"name": "wider", "expires_in": 3600})

    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


async def test_a_token_for_some_permissions_cannot_ask_for_the_right_to_make_tokens(
    actor: ActorMaker, acme: OrgRow
) -> None:
    admin = await actor("tenant_admin", org=acme)

    answer = await admin.post(
        "/v1/access-tokens",
        {"name": "sly", "expires_in": 3600, "permissions": ["iam.self.manage"]},
    )

    assert (answer.status_code, answer.json()["code"]) == (403, "beyond_own_rights")


async def test_a_token_made_with_a_token_does_not_outlive_it(
    actor: ActorMaker, acme: OrgRow
) -> None:
    admin = await actor("tenant_admin", org=acme)
    short = await token_of(admin, expires_in=600)

    longer = await short.post("/v1/access-tokens", {"name": "longer", "expires_in": 86400})
    shorter = await short.post("/v1/access-tokens", {"name": "shorter", "expires_in": 300})

    assert (longer.status_code, longer.json()["code"]) == (422, "token_lifetime")
    assert shorter.status_code == 201
