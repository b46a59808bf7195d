"""Orgs, projects and members, through HTTP."""

from core.tests.callers import ActorMaker


async def test_platform_admin_makes_an_org_and_its_admin_makes_a_project(actor: ActorMaker) -> None:
    root = await actor("platform_admin")
    boss = await actor(email="boss@example.org")

    org = await root.post(
        "/v1/orgs", {"slug": "new-org", "name": "Nieuw ≠ alt", "admin_email": "boss@example.org"}
    )
    project = await boss.post(
        f"/v1/orgs/{org.json()['id']}/projects", {"slug": "first", "name": "First"}
    )

    assert org.status_code == 201, org.text
    assert org.headers["etag"] == '"1"'
    assert project.status_code == 201, project.text
    assert project.json()["org_id"] == org.json()["id"]
