"""The console and the docs, as a browser asks for them."""

import dataclasses
import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI

from core.tests.site import BASE_URL, Site
from moorage_core.kit.ratelimit import Buckets
from moorage_core.main import build_api
from moorage_core.platform import Platform
from moorage_core.settings import Settings

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8", "accept-encoding": "identity"}
PAGE = b"<!doctype html><title>Moorage</title><script>go()</script>"
SCRIPT = b"export const moored = true;" * 20


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a build leaves, and a secret beside it."""
    place = tmp_path_factory.mktemp("pages")
    (place / "secret.txt").write_text("secret")
    files = {
        "app/index.html": PAGE,
        "app/favicon.svg": b"<svg/>",
        "app/assets/index-1a2b.js": SCRIPT,
        "app/assets/index-1a2b.js.gz": gzip.compress(SCRIPT),
        "docs/index.html": b"<h1>Docs</h1>",
        "docs/howto/index.html": b"<h1>How to</h1>",
        "docs/search.json": b"{}",
    }
    for name, content in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
    (place / "app/assets/leak.js").symlink_to(place / "secret.txt")
    (place / "app/assets/up").symlink_to(place)
    return place


@pytest.fixture(scope="module")
def served(pages: Path) -> FastAPI:
    return build_api(Settings(), pages=pages)


@pytest.fixture
async def browser(site: Site, served: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    async with _opened(site.platform, served) as client:
        yield client


def _opened(platform: Platform, api: FastAPI) -> httpx2.AsyncClient:
    api.state.platform = platform
    transport = httpx2.ASGITransport(app=api, raise_app_exceptions=False)
    return httpx2.AsyncClient(transport=transport, base_url=BASE_URL, headers=BROWSER)


@pytest.mark.parametrize("path", ["/", "/login", "/projects/prj_1/instances/ins_2?tab=events"])
async def test_every_state_of_the_console_is_an_address(
    browser: httpx2.AsyncClient, path: str
) -> None:
    answer = await browser.get(path)

    assert (answer.status_code, answer.content) == (200, PAGE)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"


async def test_a_program_gets_the_page_at_the_root_alone(browser: httpx2.AsyncClient) -> None:
    anything = {"accept": "*/*"}

    root = await browser.get("/", headers=anything)
    deep = await browser.get("/login", headers=anything)

    assert root.content == PAGE
    assert (deep.status_code, deep.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("path", ["/v1", "/v1/nowhere", "/.well-known/nothing"])
async def test_what_the_api_does_not_know_stays_a_problem_document(
    browser: httpx2.AsyncClient, path: str
) -> None:
    answer = await browser.get(path)

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert "default-src 'none'" in answer.headers["content-security-policy"]


async def test_nothing_can_be_sent_to_the_console(browser: httpx2.AsyncClient) -> None:
    answer = await browser.post("/login", json={})

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


async def test_a_page_carries_what_protects_it(browser: httpx2.AsyncClient) -> None:
    answer = await browser.get("/", headers={"x-correlation-id": "look-here-1"})

    policy = answer.headers["content-security-policy"]
    assert "script-src 'self' 'sha256-" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-correlation-id"] == "look-here-1"


async def test_an_asset_is_kept_for_a_year_since_its_name_changes_with_it(
    browser: httpx2.AsyncClient,
) -> None:
    answer = await browser.get("/assets/index-1a2b.js")

    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.content == SCRIPT


async def test_an_asset_that_is_gone_is_no_page(browser: httpx2.AsyncClient) -> None:
    answer = await browser.get("/assets/index-old.js")

    assert answer.status_code == 404
    assert answer.headers["cache-control"] == "no-store"


async def test_a_file_goes_out_as_it_was_compressed(browser: httpx2.AsyncClient) -> None:
    plain = await browser.get("/assets/index-1a2b.js")
    packed = await browser.get("/assets/index-1a2b.js", headers={"accept-encoding": "gzip, br"})

    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == SCRIPT
    assert int(packed.headers["content-length"]) < len(SCRIPT)
    assert packed.headers["content-type"] == plain.headers["content-type"]
    assert packed.headers["etag"] != plain.headers["etag"]
    assert "accept-encoding" in packed.headers["vary"]


async def test_a_page_that_did_not_change_is_not_sent_again(browser: httpx2.AsyncClient) -> None:
    tag = (await browser.get("/")).headers["etag"]

    answer = await browser.get("/projects", headers={"if-none-match": tag})

    assert (answer.status_code, answer.content) == (304, b"")
    assert answer.headers["etag"] == tag


async def test_a_new_build_is_told_from_the_old_by_its_content(site: Site, tmp_path: Path) -> None:
    page = tmp_path / "app/index.html"
    page.parent.mkdir()
    tags = list[str]()

    async with _opened(site.platform, build_api(Settings(), pages=tmp_path)) as client:
        for content in (b"one", b"two"):
            page.write_bytes(content)
            tags.append((await client.get("/")).headers["etag"])

    assert tags[0] != tags[1]


async def test_head_is_get_without_the_body(browser: httpx2.AsyncClient) -> None:
    answer = await browser.head("/favicon.svg")

    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == "6"
    assert answer.headers["content-type"] == "image/svg+xml"


async def test_a_folder_of_the_docs_is_its_index(browser: httpx2.AsyncClient) -> None:
    top = await browser.get("/docs/")
    page = await browser.get("/docs/howto/")
    index = await browser.get("/docs/search.json")

    assert (top.content, page.content) == (b"<h1>Docs</h1>", b"<h1>How to</h1>")
    assert index.headers["content-type"] == "application/json"


@pytest.mark.parametrize("path", ["/docs", "/docs/howto"])
async def test_a_folder_of_the_docs_has_a_slash(browser: httpx2.AsyncClient, path: str) -> None:
    answer = await browser.get(path, params={"q": "1"})

    assert (answer.status_code, answer.headers["location"]) == (308, f"{path}/?q=1")


async def test_an_unknown_page_of_the_docs_is_not_the_console(browser: httpx2.AsyncClient) -> None:
    assert (await browser.get("/docs/nowhere/")).status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../secret.txt",
        "/assets/%2e%2e/%2e%2e/secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/assets/%5c..%5csecret.txt",
        "/assets//secret.txt",
        "/assets/%00secret.txt",
        "/assets/leak.js",
        "/assets/up/secret.txt",
        "/docs/%2e%2e/secret.txt",
        "/docs//etc/passwd",
        "//etc/passwd",
        "/%2fetc%2fpasswd",
    ],
)
async def test_no_address_leads_out_of_the_folder(browser: httpx2.AsyncClient, path: str) -> None:
    # As bytes: a client would tidy the address up.
    raw = httpx2.URL(BASE_URL).copy_with(raw_path=path.encode())

    answer = await browser.get(raw, headers={"accept": "*/*"})

    assert answer.status_code == 404
    assert b"secret" not in answer.content
    assert b"root:" not in answer.content


async def test_pages_that_were_not_built_say_how_to_build_them(site: Site, tmp_path: Path) -> None:
    async with _opened(site.platform, build_api(Settings(), pages=tmp_path)) as client:
        answers = [await client.get(path) for path in ("/", "/projects", "/docs/")]

    assert [answer.status_code for answer in answers] == [503, 503, 503]
    assert all("make setup" in answer.text for answer in answers)


async def test_files_cost_nobody_a_request(site: Site, served: FastAPI) -> None:
    strict = Buckets(0.001, 1, monotonic=lambda: 0.0)
    platform = dataclasses.replace(site.platform, by_address=strict)

    async with _opened(platform, served) as client:
        answers = [await client.get("/") for _ in range(5)]

    assert [answer.status_code for answer in answers] == [200] * 5
