"""The page for those who connect a provider tells the truth."""

import json
import re
from pathlib import Path

from core.tests.callers import Caller
from moorage_core.errors import NotFound
from moorage_core.oidc import authorization, fetch, pending
from moorage_core.oidc.routes import CALLBACK_ERRORS

PAGE = Path(__file__).parents[3] / "docs/howto/sign-in-with-oidc.md"


async def test_the_page_s_request_adds_a_provider(admin: Caller) -> None:
    [request] = re.findall(r"provider\.json\n(\{.*?\n\})", PAGE.read_text(), re.DOTALL)
    [path] = re.findall(r"/v1/auth/oidc/\w+/callback", PAGE.read_text())

    answer = await admin.post("/v1/oidc-providers", json.loads(request))

    assert answer.status_code == 201
    assert answer.json()["callback_url"].endswith(path)


def test_the_page_explains_every_refusal_and_the_numbers_in_force() -> None:
    text = PAGE.read_text()
    explained = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)

    assert sorted(explained) == sorted(e.code for e in CALLBACK_ERRORS if e is not NotFound)
    assert f"`{authorization.SCOPE}`" in text
    assert ("within ten seconds" in text, fetch.SECONDS) == (True, 10)
    assert ("more than ten minutes" in text, pending.LIFETIME.seconds) == (True, 600)
