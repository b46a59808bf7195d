"""Every page: none breaks, none shuts anybody out, each can be looked at in a picture."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.console.browsing import HOME, tab
from tests.e2e.world import Tenant

OF_PROJECT = {
    "instances": "",
    "catalog": "/catalog",
    "app": "/catalog/slurm",
    "deploy-name": "/catalog/slurm/deploy",
    "deploy-machines": "/catalog/slurm/deploy?step=placement",
    "deploy-configuration": "/catalog/slurm/deploy?step=config",
    "deploy-review": "/catalog/slurm/deploy?step=review",
    "operations": "/operations",
    "machines": "/machines",
    "people": "/people",
    "service-accounts": "/accounts",
    "entitlements": "/entitlements",
    "policy": "/policy",
    "publishing": "/publishing",
}
OF_OWNER = {
    "home": "/",
    "me": "/me",
    "code": "/login/code",
    "triage": "/triage",
    "audit": "/audit",
    "events": "/events",
    "org": "/orgs/acme",
    "org-people": "/orgs/acme/people",
    "org-policy": "/orgs/acme/policy",
}
OF_OPERATOR = {
    "platform-home": "/",
    "nodes": "/platform/nodes",
    "classes": "/platform/classes",
    "orgs": "/platform/orgs",
    "accounts": "/platform/people",
    "policy-for-all": "/platform/policy",
}
OF_PUBLISHER = {
    "publishing-apps": "/projects/hpc/hpc-research/publishing",
    "published-app": "/projects/hpc/hpc-research/publishing/slurm",
}
ON_A_PHONE = {"instances", "catalog", "machines", "home", "nodes", "triage"}
NOT_THERE = "01" + "z" * 24


@pytest.mark.parametrize("name", OF_PROJECT)
def test_a_page_of_a_project_can_be_read_by_everybody(name: str, owner: BrowserContext) -> None:
    with tab(owner) as found:
        found.open(HOME + OF_PROJECT[name])
        found.look(name, phone=name in ON_A_PHONE)


@pytest.mark.parametrize("name", OF_OWNER)
def test_a_page_beside_the_projects_can_be_read_by_everybody(
    name: str, owner: BrowserContext
) -> None:
    with tab(owner) as found:
        found.open(OF_OWNER[name])
        found.look(name, phone=name in ON_A_PHONE)


@pytest.mark.parametrize("name", OF_OPERATOR)
def test_a_page_of_the_platform_can_be_read_by_everybody(
    name: str, operator: BrowserContext
) -> None:
    with tab(operator) as found:
        found.open(OF_OPERATOR[name])
        found.look(name, phone=name in ON_A_PHONE)


@pytest.mark.parametrize("name", OF_PUBLISHER)
def test_a_page_of_a_publisher_can_be_read_by_everybody(
    name: str, publisher: BrowserContext
) -> None:
    with tab(publisher) as found:
        found.open(OF_PUBLISHER[name])
        found.look(name)


@pytest.mark.parametrize(
    "path",
    [
        f"{HOME}/instances/ins_{NOT_THERE}",
        f"{HOME}/machines/alc_{NOT_THERE}",
        f"{HOME}/catalog/nothing-of-the-kind",
        f"/operations/opn_{NOT_THERE}",
        "/projects/acme/nothing-of-the-kind",
        "/nothing/of/the/kind",
    ],
)
def test_an_address_of_nothing_says_so(path: str, owner: BrowserContext, acme: Tenant) -> None:
    with tab(owner, refusals=True) as found:
        found.page.goto(path)

        expect(found.page.get_by_text("There is nothing here")).to_be_visible()


def test_pages_of_a_new_project_say_what_to_do_first(owner: BrowserContext, acme: Tenant) -> None:
    named = {"slug": "acme-empty", "name": "Empty"}
    acme.admin.post(f"/v1/orgs/{acme.org}/projects", named)
    with tab(owner) as found:
        for name, path in OF_PROJECT.items():
            if "slurm" not in path:
                found.open(f"/projects/acme/acme-empty{path}")
                found.look(f"empty-{name}")

        found.open("/projects/acme/acme-empty")
        expect(found.page.get_by_role("link", name="Browse the catalog").first).to_be_visible()
