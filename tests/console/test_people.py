"""Who and what may act: accounts of programs, tokens of people, and the doors of machines."""

import re

from playwright.sync_api import BrowserContext, Page, Request, Route, expect

from tests.console.browsing import HOME, LONG_MS, choose, open_menu, row, section, tab
from tests.e2e.callers import Caller
from tests.e2e.site import Site
from tests.e2e.world import Tenant
from tests.slurm.clusters import Held

MIA = "mia@acme.example"


def shown_once(page: Page, what: str) -> str:
    """The secret in the only moment in which it can be seen."""
    return page.get_by_role("dialog").get_by_role("region", name=what).inner_text().strip()


def let(page: Page, what: str) -> None:
    """Tick a permission, found by its words."""
    page.get_by_label("Filter permissions").fill(what)
    page.get_by_role("checkbox", name=what, exact=True).check()


def with_token(site: Site, token: str) -> Caller:
    caller = site.anybody()
    caller.token = token
    return caller


def test_a_service_account_gets_a_secret_that_is_seen_once(
    owner: BrowserContext, site: Site
) -> None:
    with tab(owner) as found:
        page = found.page
        found.open(f"{HOME}/accounts")
        page.get_by_role("button", name="New service account").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Name").fill("nightly-report")
        let(page, "See instances")
        found.look("new-service-account")
        dialog.get_by_role("button", name="Make it").click()
        expect(page.get_by_role("heading", name="nightly-report")).to_be_visible()

        page.get_by_role("button", name="Make a secret").click()
        page.get_by_role("dialog").get_by_role("button", name="Make it").click()
        secret = shown_once(page, "the secret")
        found.look("secret-shown-once")
        page.get_by_role("button", name="I have it").click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        found.open(page.url)
        expect(row(page, "Client secret")).to_be_visible()
        assert secret not in page.content()
        found.look("service-account")

        account, key = (each.inner_text() for each in page.get_by_role("code").all()[:2])
        proof = {"service_account": account, "key": key, "client_secret": secret}
        assert site.anybody().post("/v1/auth/token", proof)["access_token"]
        row(page, "Client secret").get_by_role("button", name="Revoke").click()
        page.get_by_role("dialog").get_by_role("button", name="Revoke it").click()
        expect(row(page, "Client secret").get_by_text("Revoked")).to_be_visible()

        assert site.anybody().answer("POST", "/v1/auth/token", json=proof).status_code == 401
        page.get_by_role("button", name="Delete", exact=True).click()
        page.get_by_role("dialog").get_by_label(re.compile("^Type")).fill("nightly-report")
        page.get_by_role("dialog").get_by_role("button", name="Delete it").click()
        expect(page.get_by_text("There are no service accounts yet")).to_be_visible()


def make_account(acme: Tenant) -> str:
    new = {"name": "soon-gone", "permissions": []}
    return acme.admin.post(f"/v1/projects/{acme.project}/service-accounts", new)["id"]


def test_nothing_is_asked_about_an_account_while_it_goes(
    owner: BrowserContext, acme: Tenant
) -> None:
    """The stream tells that it is deleted before the answer does."""
    account = make_account(acme)
    asked: list[str] = []

    def hold(route: Route) -> None:
        if route.request.method != "DELETE":
            route.fallback()
            return
        asked.clear()
        with page.expect_response("**/v1/me"):
            answer = route.fetch()
        route.fulfill(response=answer)

    def hear(request: Request) -> None:
        if account in request.url and request.method == "GET":
            asked.append(request.url)

    with tab(owner) as found:
        page = found.page
        found.open(f"{HOME}/accounts/{account}")
        expect(page.get_by_role("status", name="Live")).to_be_visible()
        page.route(f"**/v1/service-accounts/{account}", hold)
        page.on("request", hear)
        page.get_by_role("button", name="Delete", exact=True).click()
        page.get_by_role("dialog").get_by_label(re.compile("^Type")).fill("soon-gone")
        page.get_by_role("dialog").get_by_role("button", name="Delete it").click()

        expect(page.get_by_text("There are no service accounts yet")).to_be_visible()
        assert asked == []


def test_an_account_that_somebody_else_deleted_is_no_longer_shown(
    owner: BrowserContext, acme: Tenant
) -> None:
    account = make_account(acme)
    with tab(owner, refusals=True) as found:
        name = found.page.get_by_role("heading", name="soon-gone")
        found.open(f"{HOME}/accounts/{account}")
        expect(name).to_be_visible()

        acme.admin.delete(f"/v1/service-accounts/{account}")

        expect(found.page.get_by_text("There is nothing here")).to_be_visible()
        expect(name).to_have_count(0)


def test_a_token_of_ones_own_opens_the_platform_until_it_is_revoked(
    owner: BrowserContext, site: Site, acme: Tenant
) -> None:
    instances = f"/v1/projects/{acme.project}/instances"
    with tab(owner) as found:
        page = found.page
        found.open("/me")
        page.get_by_role("button", name="Make a token").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Name").fill("laptop")
        choose(page, "Ends after", "1 day")
        choose(page, "Where it can be used", "Acme / Research")
        dialog.get_by_text("Only what I choose").click()
        let(page, "See instances")
        found.look("new-token", phone=True)
        dialog.get_by_role("button", name="Make it").click()
        token = shown_once(page, "the token")
        page.get_by_role("button", name="I have it").click()
        mine = row(page, "laptop")
        expect(mine).to_contain_text("1 permission")
        found.look("tokens")
        assert with_token(site, token).answer("GET", instances).status_code == 200
        assert with_token(site, token).answer("GET", "/v1/me").status_code == 403

        mine.get_by_role("button", name="Revoke the token laptop").click()
        page.get_by_role("dialog").get_by_role("button", name="Revoke it").click()
        expect(mine.get_by_text("Revoked")).to_be_visible()

        assert with_token(site, token).answer("GET", instances).status_code == 401


def test_somebody_is_added_let_into_a_machine_and_shown_out(
    owner: BrowserContext, machines: list[Held]
) -> None:
    (_, machine), *_ = machines
    with tab(owner) as found:
        page = found.page
        found.open(f"{HOME}/people")
        page.get_by_role("button", name="Add somebody").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("E-mail").fill(MIA)
        choose(page, "Role", "Member")
        found.look("add-somebody")
        dialog.get_by_role("button", name="Add", exact=True).click()
        expect(row(page, MIA)).to_contain_text("Member")
        open_menu(page, "mia", "Give a Unix login").get_by_role("button", name="Give it").click()
        expect(row(page, MIA).get_by_text("mia", exact=True).last).to_be_visible()
        found.look("people-with-logins")

        found.open(f"{HOME}/machines/{machine}")
        page.get_by_role("button", name="Let somebody in").click()
        choose(page, "Who", MIA)
        choose(page, "For how long", "1 hour")
        dialog.get_by_label("May become root").check()
        dialog.get_by_label("Reason").fill("ticket 4711")
        found.look("let-somebody-in")
        dialog.get_by_role("button", name="Let them in").click()
        grant = row(section(page, "Who can enter").page, "ticket 4711")
        expect(grant.get_by_text("Can enter")).to_be_visible(timeout=LONG_MS)
        found.look("can-enter", phone=True)

        grant.get_by_role("button", name="End the access").click()
        dialog.get_by_role("button", name="End it").click()
        expect(grant.get_by_text("Ended")).to_be_visible()
