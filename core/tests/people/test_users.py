"""Accounts, as those who run the platform see them."""

import pytest

from core.tests.site import Site, fresh


async def test_an_account_is_made_read_renamed_and_disabled(site: Site) -> None:
    root = await site.actor("platform_admin")
    email = f"new-{fresh()}@example.org"

    made = await root.post("/v1/users", {"email": email, "name": "New"})
    path = f"/v1/users/{made.json()['id']}"
    renamed = await root.patch(path, {"name": "Newer"}, version=1)
    disabled = await root.patch(path, {"disabled": True}, version=2)
    enabled = await root.patch(path, {"disabled": False}, version=3)
    read = await root.get(path)

    assert made.status_code == 201
    assert (made.json()["has_password"], made.json()["disabled"]) == (False, False)
    assert renamed.json()["name"] == "Newer"
    assert (disabled.json()["disabled"], enabled.json()["disabled"]) == (True, False)
    assert read.json() == enabled.json()
    assert read.headers["etag"] == '"4"'
    assert "password_hash" not in read.text


async def test_an_address_has_one_account_whatever_its_capitals(site: Site) -> None:
    root = await site.actor("platform_admin")
    email = f"new-{fresh()}@example.org"
    await root.post("/v1/users", {"email": email, "name": "New"})

    answer = await root.post("/v1/users", {"email": email.title(), "name": "Again"})

    assert (answer.status_code, answer.json()["code"]) == (409, "email_taken")


@pytest.mark.parametrize(
    "email", ["", "x", "@x.org", "x@", "a b@x.org", "x@y..z", "x@-y.org", "é@x.org", "x@y.org\n"]
)
async def test_an_address_that_is_none_is_refused(site: Site, email: str) -> None:
    root = await site.actor("platform_admin")

    answer = await root.post("/v1/users", {"email": email, "name": "New"})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["location"] == "body.email"


async def test_all_accounts_are_listed_page_by_page(site: Site) -> None:
    root = await site.actor("platform_admin")
    for _ in range(3):
        await site.actor()
    seen: list[str] = []
    after: dict[str, str] = {}
    while True:
        page = (await root.get("/v1/users", params={"limit": 2, **after})).json()
        seen += [item["id"] for item in page["items"]]
        if page["next"] is None:
            break
        after = {"after": page["next"]}

    rows = await site.rows("SELECT id FROM users ORDER BY id")
    assert seen == [id for (id,) in rows]
