"""Whatever comes in, a problem document goes out, and nothing is written."""

import base64
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from joserfc.jwk import OKPKey

from core.tests.factories import requests
from core.tests.factories.tenants import Bearer, Tenant, make_tenant
from core.tests.site import Site, fresh
from moorage_core.errors import Problem
from moorage_core.http.routing import RouteSpec

TAKES_A_BODY = [s for s in requests.routes() if requests.takes_json(s)]
DEEP = 100_000
BAD_JSON = {
    "nothing": b"",
    "cut off": b'{"name": "x',
    "no JSON at all": b"<name>x</name>",
    "a trailing comma": b'{"name": "x",}',
    "bytes that are no text": b"\xff\xfe\x00\x01",
    "a list": b"[]",
    "a number": b"42",
    "null": b"null",
    "not a number": b"NaN",
    "a very long number": b'{"name": ' + b"9" * 5000 + b"}",
    "deep lists": b"[" * DEEP + b"]" * DEEP,
    "deep objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "an unknown field": b'{"no_such_field": true}',
}
ODD_TEXT = {
    "a NUL": "a\x00b",
    "half a surrogate pair": "\ud800",
    "a line break": "a\r\nX-Injected: yes",
    "an escape": "\x1b[31m",
    "blanks only": "   ",
    "nothing": "",
    "too much": "x" * 101,
    "a number": 7,
    "a list": ["x"],
    "null": None,
}
SQL = [
    "'; DROP TABLE orgs; --",
    "x' OR '1'='1",
    "%s%s%s",
    "{{7*7}}",
    "\\x00",
    "$1",
    "${jndi:ldap://x}",
]


@pytest.fixture(scope="module")
async def tenant(site: Site) -> Tenant:
    return await (await make_tenant(site)).fill()


@pytest.fixture(scope="module")
async def signing_key(tenant: Tenant) -> str:
    """A key of the service account that is proved by assertions."""
    public = OKPKey.generate_key("Ed25519").as_dict(private=False)
    answer = await tenant.admin.post(
        f"/v1/service-accounts/{tenant.ids['account']}/keys",
        {"public_key": {name: public[name] for name in ("kty", "crv", "x")}},
    )
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def assert_problem(answer: httpx2.Response, *statuses: int) -> None:
    """A problem document in the right shape, of one of these statuses."""
    assert answer.status_code in statuses, f"{answer.status_code}: {answer.text}"
    assert answer.headers["content-type"] == "application/problem+json"
    problem = Problem.model_validate_json(answer.content)
    assert problem.status == answer.status_code
    assert problem.correlation_id == answer.headers["x-correlation-id"]
    assert problem.type.endswith(problem.code)
    assert problem.detail.endswith("."), "a sentence"


def assert_problems(answers: dict[str, httpx2.Response], status: int) -> None:
    """Each of them one; what was answered otherwise is shown with the name of what was sent."""
    assert {n: a.text for n, a in answers.items() if a.status_code != status} == {}
    for answer in answers.values():
        assert_problem(answer, status)


async def post(tenant: Tenant, path: str, content: bytes, **headers: str) -> httpx2.Response:
    given = {"content-type": "application/json", "idempotency-key": fresh()} | headers
    return await tenant.admin.call("POST", path, content=content, headers=given)


@pytest.mark.rule("ER-1", "ER-8")
@pytest.mark.parametrize("spec", TAKES_A_BODY, ids=lambda spec: spec.label)
async def test_a_body_of_another_shape_is_refused(
    site: Site, tenant: Tenant, spec: RouteSpec
) -> None:
    caller = await requests.right_caller(site, spec, tenant)
    request = requests.build(spec, tenant.ids)
    may_be_left_out = not requests.operation(spec)["requestBody"].get("required")
    before = await _written(site)

    answers = {
        name: await caller.call(
            request.method,
            request.path,
            content=body,
            headers=request.headers | {"content-type": "application/json"},
        )
        for name, body in BAD_JSON.items()
        if name != "nothing" or not may_be_left_out
    }

    assert_problems(answers, 422)
    assert {answer.json()["code"] for answer in answers.values()} == {"malformed"}
    assert await _written(site) == before


@pytest.mark.parametrize("spec", TAKES_A_BODY, ids=lambda spec: spec.label)
async def test_every_field_is_strict_about_its_type(
    site: Site, tenant: Tenant, spec: RouteSpec
) -> None:
    caller = await requests.right_caller(site, spec, tenant)
    request = requests.build(spec, tenant.ids)
    assert request.body is not None
    before = await _written(site)

    for field in request.body:
        for value in ({"a": 1}, [["x"]], 1.5, True if field != "enabled" else "yes"):
            changed = {**request.body, field: value}
            answer = await caller.call(
                request.method, request.path, json=changed, headers=request.headers
            )

            assert_problem(answer, 422)
            assert any(field in fault["location"] for fault in answer.json()["errors"]), field
    assert await _written(site) == before


NO_TEXT = {
    "a NUL": rb"a\u0000b",
    "half a pair": rb"a\ud800b",
    "half a pair in capitals": rb"\uDC00",
    "half a pair in bytes": b"a\xed\xa0\x80b",
}
"""What JSON can spell, and no database keeps as text."""


@pytest.mark.rule("ER-8")
@pytest.mark.parametrize("spec", TAKES_A_BODY, ids=lambda spec: spec.label)
async def test_no_body_holds_what_no_database_keeps_as_text(
    site: Site, tenant: Tenant, spec: RouteSpec
) -> None:
    caller = await requests.right_caller(site, spec, tenant)
    request = requests.build(spec, tenant.ids)
    headers = request.headers | {"content-type": "application/json"}
    before = await _written(site)

    for name, text in NO_TEXT.items():
        for spoilt in (b'{"x": ["y", {"z": "%s"}]}', b'{"x": {"%s": 1}}', b'"%s"'):
            content = spoilt.replace(b"%s", text)
            answer = await caller.call(
                request.method, request.path, content=content, headers=headers
            )

            assert_problem(answer, 422)
            said = [fault["message"] for fault in answer.json()["errors"]]
            assert spec.any_text or "holds \\u0000 or half of a surrogate pair" in said, name
    assert await _written(site) == before


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("escaped", [True, False])
async def test_what_spells_a_whole_pair_is_text(
    tenant: Tenant, encoding: str, escaped: bool
) -> None:
    given = {"slug": f"p-{fresh()}", "name": "🚢 \\u0000 fleet"}
    body = json.dumps(given, ensure_ascii=escaped).encode(encoding)

    answer = await post(tenant, f"/v1/orgs/{tenant.org.id}/projects", body)

    assert answer.status_code == 201, answer.text
    assert answer.json()["name"] == given["name"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
async def test_what_is_no_text_is_none_in_any_encoding(tenant: Tenant, encoding: str) -> None:
    body = r'{"slug": "a-slug", "name": "a\u0000b"}'.encode(encoding)

    answer = await post(tenant, f"/v1/orgs/{tenant.org.id}/projects", body)

    assert_problem(answer, 422)
    assert answer.json()["errors"][0]["location"] == "body.name"


@pytest.mark.parametrize(
    "spec", [s for s in requests.routes(public=False) if s.method == "GET"], ids=lambda s: s.label
)
async def test_no_query_holds_what_no_database_keeps_as_text(
    site: Site, tenant: Tenant, spec: RouteSpec
) -> None:
    caller = await requests.right_caller(site, spec, tenant)
    request = requests.build(spec, tenant.ids)
    given = requests.operation(spec).get("parameters", [])

    for name in [each["name"] for each in given if each["in"] == "query"]:
        answer = await caller.get(request.path, params=request.query | {name: "a\x00b"})

        assert_problem(answer, 422)
        assert answer.json()["errors"][0]["location"] == f"query.{name}"


@pytest.mark.parametrize("name", ODD_TEXT)
async def test_a_name_is_text_that_can_be_shown(site: Site, tenant: Tenant, name: str) -> None:
    before = await _written(site)
    body = json.dumps({"slug": f"p-{fresh()}", "name": ODD_TEXT[name]}).encode()

    answer = await post(tenant, f"/v1/orgs/{tenant.org.id}/projects", body)

    assert_problem(answer, 422)
    assert answer.json()["errors"][0]["location"] == "body.name"
    assert await _written(site) == before


@pytest.mark.parametrize(
    "name",
    ["Zürich", "東京", "مرحبا", "🚢 fleet", "e\u0301", "a\u202eb", *SQL],
)
async def test_any_language_is_kept_as_it_was_written(tenant: Tenant, name: str) -> None:
    body = json.dumps({"slug": f"p-{fresh()}", "name": name}).encode()

    made = await post(tenant, f"/v1/orgs/{tenant.org.id}/projects", body)
    read = await tenant.admin.get(f"/v1/projects/{made.json()['id']}")

    assert made.status_code == 201, made.text
    assert made.json()["name"] == read.json()["name"] == name


@pytest.mark.parametrize("text", [*SQL, "a b", "é", "x" * 300, "..", "%00", "%2e%2e%2f"])
@pytest.mark.parametrize(
    "path",
    ["/v1/orgs/{}", "/v1/projects/{}/memberships", "/v1/service-accounts/{}", "/v1/audit/{}"],
)
async def test_an_id_that_is_none_is_refused(tenant: Tenant, path: str, text: str) -> None:
    answer = await tenant.admin.get(path.format(text))

    assert_problem(answer, 404, 422)


CURSORS = [
    "x",
    "====",
    "💥",
    "a" * 601,
    base64.urlsafe_b64encode(b"'; DROP TABLE orgs").decode(),
    base64.urlsafe_b64encode(b"\xff\xff").decode(),
    base64.urlsafe_b64encode(b"a\x00b").decode(),
    base64.urlsafe_b64encode(b"1" * 401).decode(),
]


@pytest.mark.rule("PG-3")
@pytest.mark.parametrize(
    "spec",
    [
        s
        for s in requests.routes(kind="read", public=False)
        if any(p["name"] == "after" for p in requests.operation(s).get("parameters", []))
    ],
    ids=lambda spec: spec.label,
)
async def test_a_cursor_of_somebody_elses_making_is_refused(
    site: Site, tenant: Tenant, spec: RouteSpec
) -> None:
    caller = await requests.right_caller(site, spec, tenant)
    request = requests.build(spec, tenant.ids)

    answers = {
        cursor: await caller.get(request.path, params=request.query | {"after": cursor})
        for cursor in CURSORS
    }

    assert_problems(answers, 422)


@pytest.mark.parametrize("limit", ["0", "-1", "201", "1e9", "abc", "", "9" * 400, "1.5"])
async def test_a_limit_beyond_the_limits_is_refused(tenant: Tenant, limit: str) -> None:
    answer = await tenant.admin.get(f"/v1/orgs/{tenant.org.id}/projects", params={"limit": limit})

    assert_problem(answer, 422)


@pytest.mark.parametrize("spec", TAKES_A_BODY, ids=lambda spec: spec.label)
async def test_a_body_that_says_it_is_too_large_is_refused(
    site: Site, tenant: Tenant, spec: RouteSpec
) -> None:
    caller = await requests.right_caller(site, spec, tenant)
    request = requests.build(spec, tenant.ids)
    before = await _written(site)

    answer = await caller.call(
        request.method, request.path, content=b" " * 1_100_000, headers=request.headers
    )

    assert_problem(answer, 413)
    assert await _written(site) == before


@pytest.mark.parametrize("spec", TAKES_A_BODY, ids=lambda spec: spec.label)
async def test_a_body_that_turns_out_too_large_is_refused(
    site: Site, tenant: Tenant, spec: RouteSpec
) -> None:
    caller = await requests.right_caller(site, spec, tenant)
    request = requests.build(spec, tenant.ids)
    before = await _written(site)

    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b" " * 100_000

    answer = await caller.call(
        request.method,
        request.path,
        content=pieces(),
        headers=request.headers | {"content-type": "application/json"},
    )

    assert_problem(answer, 413)
    assert await _written(site) == before


@pytest.mark.parametrize(
    "length", ["-5", "abc", "1" * 5000, "\N{SUPERSCRIPT TWO}", "0x10", "1, 2", "99999999999"]
)
async def test_an_odd_content_length_is_no_fault_of_ours(
    site: Site, tenant: Tenant, length: str
) -> None:
    answer = await site.client.post(
        "/v1/auth/login",
        content=b"{}",
        headers=[(b"content-length", length.encode("latin-1"))],
    )

    assert_problem(answer, 413, 422)


@pytest.mark.parametrize(
    "media_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "application/octet-stream",
        "nonsense",
        "",
    ],
)
async def test_a_body_of_another_media_type_is_refused(
    site: Site, tenant: Tenant, media_type: str
) -> None:
    before = await _written(site)
    body = json.dumps({"slug": f"p-{fresh()}", "name": "X"}).encode()

    answer = await post(
        tenant, f"/v1/orgs/{tenant.org.id}/projects", body, **{"content-type": media_type}
    )

    assert_problem(answer, 415, 422)
    assert await _written(site) == before


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "application/json"])
async def test_json_may_name_its_charset(tenant: Tenant, media_type: str) -> None:
    body = json.dumps({"slug": f"p-{fresh()}", "name": "X"}).encode()

    answer = await post(
        tenant, f"/v1/orgs/{tenant.org.id}/projects", body, **{"content-type": media_type}
    )

    assert answer.status_code == 201, answer.text


def _jwt(header: Any, payload: Any = None, signature: bytes = b"x" * 64) -> str:
    parts = (
        header if isinstance(header, bytes) else json.dumps(header).encode(),
        payload if isinstance(payload, bytes) else json.dumps(payload or {}).encode(),
        signature,
    )
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


TOKENS = {
    "empty": "",
    "a word": "secret",
    "dots": "...",
    "four parts": "a.b.c.d",
    "five parts": "a.b.c.d.e",
    "no algorithm": _jwt({"alg": "none"}, signature=b""),
    "no algorithm, other spelling": _jwt({"alg": "nOnE"}, signature=b""),
    "a symmetric algorithm": _jwt({"alg": "HS256"}),
    "no header": _jwt([]),
    "a null header": _jwt(b"null"),
    "a number as header": _jwt(b"7"),
    "a header that is no text": _jwt(b"\xff\xff"),
    "a deep header": _jwt(b"[" * 20_000 + b"]" * 20_000),
    "a deep header in few letters": _jwt(b"[" * 1400 + b"]" * 1400),
    "a header with a deep part": _jwt(
        b'{"alg":"Ed25519","kid":' + b"[" * 9000 + b"]" * 9000 + b"}"
    ),
    "a key id that is a list": _jwt({"alg": "Ed25519", "kid": ["x"]}),
    "a key from elsewhere": _jwt(
        {"alg": "Ed25519", "jku": "https://evil.example/jwks", "kid": "x"}
    ),
    "a key of its own": _jwt(
        {"alg": "Ed25519", "jwk": {"kty": "OKP", "crv": "Ed25519", "x": "AA"}}
    ),
    "critical extensions": _jwt({"alg": "Ed25519", "crit": ["b64"], "b64": False}),
    "a personal token, cut off": "moor_pat_",
    "a personal token with a quote": "moor_pat_' OR '1'='1",
    "a session that is none": "moor_ses_" + "x" * 43,
    "a very long one": "x" * 60_000,
    "letters beyond ASCII": "moor_pat_\N{LATIN SMALL LETTER E WITH ACUTE}",
}


@pytest.mark.parametrize("name", TOKENS)
async def test_a_forged_token_proves_nothing(site: Site, name: str) -> None:
    answer = await site.client.get(
        "/v1/me", headers=[(b"authorization", b"Bearer " + TOKENS[name].encode("latin-1"))]
    )

    assert_problem(answer, 401)


@pytest.mark.parametrize("name", TOKENS)
async def test_a_forged_assertion_proves_nothing(
    site: Site, tenant: Tenant, signing_key: str, name: str
) -> None:
    proof = {"service_account": tenant.ids["account"], "key": signing_key}

    answer = await site.client.post(
        "/v1/auth/token", json=proof | {"client_assertion": TOKENS[name]}
    )

    assert_problem(answer, 401, 422)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    header=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["alg", "kid", "typ", "crit", "b64"]), inner)
        ),
        max_leaves=6,
    ),
    payload=st.binary(max_size=20),
)
async def test_no_token_makes_the_server_stumble(site: Site, header: Any, payload: bytes) -> None:
    answer = await Bearer(site.client, _jwt(header, payload)).get("/v1/me")

    assert_problem(answer, 401)


@pytest.mark.parametrize(
    "value",
    [b"Basic Zm9vOmJhcg==", b"Bearer", b"bearer  ", b"Digest x", b"\xff\xff", b"Bearer\tx"],
)
async def test_another_kind_of_authorization_is_none(site: Site, value: bytes) -> None:
    answer = await site.client.get("/v1/me", headers=[(b"authorization", value)])

    assert_problem(answer, 401)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("if-match", "*"),
        ("if-match", '"abc"'),
        ("if-match", "1" * 41),
        ("if-match", '"1", "2"'),
        ("if-match", '"-1"'),
        ("if-match", '"\N{SUPERSCRIPT TWO}"'),
    ],
)
async def test_an_odd_condition_is_refused(
    site: Site, tenant: Tenant, name: str, value: str
) -> None:
    proof = [(k.encode(), v.encode()) for k, v in tenant.admin.proof.items()]

    answer = await site.client.patch(
        f"/v1/orgs/{tenant.org.id}",
        json={"name": "X"},
        headers=[
            *proof,
            (b"idempotency-key", fresh().encode()),
            (name.encode(), value.encode("latin-1")),
        ],
    )

    assert_problem(answer, 422)


async def test_headers_of_any_size_do_no_harm(site: Site, tenant: Tenant) -> None:
    padding = {f"x-padding-{n}": "y" * 10_000 for n in range(20)}
    headers = padding | {"user-agent": "z" * 50_000, "cookie": "moorage_session=" + "q" * 50_000}

    answer = await tenant.admin.get("/v1/me", headers=headers)

    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1", 404),
        ("GET", "/v1/no/such/address", 404),
        ("GET", "/v1/orgs/", 404),
        ("GET", "//v1/orgs", 404),
        ("GET", "/v1/../etc/passwd", 404),
        ("PUT", "/v1/orgs", 405),
        ("TRACE", "/v1/orgs", 405),
        ("OPTIONS", "/v1/orgs", 405),
        ("HEAD", "/v1/orgs", 405),
    ],
)
async def test_an_address_that_is_none_gets_a_problem_document(
    site: Site, method: str, path: str, status: int
) -> None:
    answer = await site.client.request(method, path)

    if method == "HEAD":
        assert answer.status_code == status
    else:
        assert_problem(answer, status)
    assert (status == 405) == ("allow" in answer.headers)


@pytest.mark.rule("ER-5")
async def test_a_refusal_does_not_repeat_what_was_sent(site: Site) -> None:
    """It may have been a password in the wrong field."""
    answer = await site.client.post(
        "/v1/auth/login", json={"email": "hunter2-in-the-wrong-field", "password": ["hunter2"]}
    )

    assert_problem(answer, 422)
    assert "hunter2" not in answer.text


async def _written(site: Site) -> list[tuple[Any, ...]]:
    """Rows that any change would add to."""
    return await site.rows(
        """
        SELECT (SELECT count(*) FROM audit_entries), (SELECT count(*) FROM events),
            (SELECT count(*) FROM idempotency_answers), (SELECT count(*) FROM users),
            (SELECT count(*) FROM orgs), (SELECT count(*) FROM projects)
        """
    )
