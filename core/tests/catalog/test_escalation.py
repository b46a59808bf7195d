"""Manifests that want more than theirs, and manifests that mean harm. All through the API."""

import asyncio

import pytest

from core.tests.catalog.publishers import Street, make_street
from core.tests.factories import catalog
from core.tests.site import Site, fresh


@pytest.fixture(scope="module")
async def street(site: Site) -> Street:
    made = await make_street(site)
    root = await site.actor("platform_admin")
    put = await root.put(
        "/v1/families/keepers",
        {
            "description": "For tests.",
            "keys": [
                {"key": "keepers.thing.read", "description": "Look."},
                {"key": "keepers.thing.use", "description": "Use."},
            ],
        },
    )
    assert put.is_success, put.text
    return made


def own_key(key: str, grants: str = "[viewer]") -> str:
    return f"permissions:\n  - {{key: {key}, description: Something., grants: {grants}}}\n"


ESCAPES = {
    "a key of the core": own_key("iam.org.delete"),
    "a key of the core's that does not exist yet": own_key("infra.node.wipe"),
    "a key of another app": own_key("other.thing.read"),
    "a key that only begins alike": own_key("{ns}x.thing.read"),
    "the bare namespace": own_key("{ns}"),
    "a family's key as its own": "families: [keepers]\n" + own_key("keepers.thing.read"),
    "a key of a family that it does not name": "family_grants: {keepers.thing.read: [viewer]}\n",
    "a key that the family has not": (
        "families: [keepers]\nfamily_grants: {keepers.thing.delete: [viewer]}\n"
    ),
    "a key of the core as a family's": (
        "families: [keepers]\nfamily_grants: {iam.org.delete: [viewer]}\n"
    ),
    "a family that does not exist": "families: [nobody]\n",
    "the core as a family": "families: [iam]\n",
    "a role above the project's": own_key("{ns}.thing.read", "[tenant_admin]"),
    "the platform's role": own_key("{ns}.thing.read", "[platform_admin]"),
    "service accounts": own_key("{ns}.thing.read", "[service_account]"),
    "everybody": own_key("{ns}.thing.read", "['*']"),
    "a scope of its own making": "scopes: [everything]\n",
    "an action by a key of the core": (
        "actions:\n  - {name: {ns}.do, title: Do it, permission: iam.org.delete}\n"
    ),
    "an action by a key of a family that it does not name": (
        "actions:\n  - {name: {ns}.do, title: Do it, permission: keepers.thing.use}\n"
    ),
    "an action under another name": (
        own_key("{ns}.thing.do")
        + "actions:\n  - {name: other.do, title: Do it, permission: {ns}.thing.do}\n"
    ),
    "a view under the core's name": (
        own_key("{ns}.thing.do") + "views:\n  - {name: audit.entries, title: T, columns: [{name: a,"
        " title: A}], key: a, permission: {ns}.thing.do}\n"
    ),
    "a meter of another": "meters:\n  - {name: other.seconds, unit: seconds, description: D.}\n",
    "a secret of its own making": "secrets: [signing_key]\n",
}


@pytest.mark.parametrize("name", ESCAPES)
async def test_no_manifest_reaches_beyond_its_namespace_and_families(
    street: Street, name: str
) -> None:
    app = await street.app()
    more = ESCAPES[name].replace("{ns}", app["slug"].replace("-", "_"))

    answer = await street.publisher.post(
        f"/v1/apps/{app['id']}/versions", {"manifest": catalog.manifest(app["slug"], more=more)}
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "manifest_invalid"), answer.text
    assert answer.json()["errors"][0]["location"].startswith("body.manifest:")
    listed = await street.publisher.get(f"/v1/apps/{app['id']}/versions")
    assert listed.json()["items"] == []


async def test_what_is_within_namespace_and_families_is_taken(street: Street) -> None:
    app = await street.app()
    ns = app["slug"].replace("-", "_")
    more = (
        own_key(f"{ns}.thing.read", "[viewer, project_admin]")
        + "families: [keepers]\nfamily_grants: {keepers.thing.read: [project_member]}\n"
        + f"actions:\n  - {{name: {ns}.do, title: Do it, permission: keepers.thing.use}}\n"
    )

    made = await catalog.draft(street.publisher, app, more=more)

    asked = made["declaration"]
    assert asked["keys"] == {f"{ns}.thing.read": ["project_admin", "viewer"]}
    assert asked["family_grants"] == {"keepers.thing.read": ["project_member"]}
    assert asked["family_keys"] == ["keepers.thing.read", "keepers.thing.use"]


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
HOSTILE = {
    "aliases that multiply": BOMB,
    "a cycle": "config: &c {schema: *c}\n",
    "a tag": "name2: !!python/object/apply:os.system ['true']\n",
    "a second document": "---\nslug: other\n",
    "a key twice": "summary: Another.\n",
    "deep lists": "config: " + "[" * 5000 + "]" * 5000 + "\n",
    "deep objects": "config: " + "{a: " * 5000 + "1" + "}" * 5000 + "\n",
    "a NUL as an escape": 'config: {schema: {type: object, title: "a\\0b"}}\n',
    "a NUL in the text": "# \x00\n",
    "half a surrogate pair": 'config: {schema: {type: object, title: "\\ud800"}}\n',
    "not a number": "config: {schema: {type: object, maxProperties: .nan}}\n",
    "infinite": "config: {schema: {type: object, maxProperties: .inf}}\n",
    "a very long number": "config: {schema: {type: object, maxProperties: " + "9" * 9000 + "}}\n",
    "a reference to the network": (
        "config: {schema: {type: object, properties: {a: {$ref: 'https://example.org/s.json'}}}}\n"
    ),
    "a reference to a file": (
        "config: {schema: {type: object, properties: {a: {$ref: 'file:///etc/passwd'}}}}\n"
    ),
    "an expression that explodes": (
        "config: {schema: {type: object, properties: {a: {type: string, pattern: '(a+)+(?=b)'}}}}\n"
    ),
    "a path out of the folder": "runbook: ../../etc/passwd\n",
    "a binary": "\x7fELF\x02\x01\x01",
    "no YAML": "{{{{",
}


AT_THE_DOOR = {"a NUL in the text": "malformed"}
"""What is refused before anybody reads it as a manifest."""


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_manifest_is_refused_and_nothing_is_kept(street: Street, name: str) -> None:
    app = await street.app()
    text = catalog.manifest(app["slug"], more=HOSTILE[name])

    answer = await street.publisher.post(f"/v1/apps/{app['id']}/versions", {"manifest": text})

    code = AT_THE_DOOR.get(name, "manifest_invalid")
    assert (answer.status_code, answer.json()["code"]) == (422, code), answer.text
    assert 1 <= len(answer.json()["errors"]) <= 100
    listed = await street.publisher.get(f"/v1/apps/{app['id']}/versions")
    assert listed.json()["items"] == []


async def test_others_are_served_while_a_large_manifest_is_read(street: Street) -> None:
    app = await street.app()
    lines = "".join(
        f"  - {{key: {app['slug'].replace('-', '_')}.k{n}.read, description: D.}}\n"
        for n in range(3000)
    )
    text = catalog.manifest(app["slug"], more="permissions:\n" + lines)

    reading = asyncio.create_task(
        street.publisher.post(f"/v1/apps/{app['id']}/versions", {"manifest": text})
    )
    served = 0
    while not reading.done():
        assert (await street.colleague.get(f"/v1/apps/{app['id']}")).status_code == 200
        served += 1

    assert (await reading).status_code in (201, 422)
    assert served > 3


@pytest.mark.parametrize("runbook", ["\x00", "\x1b[31m", "x" * 262_145, 7])
async def test_a_runbook_is_text_that_can_be_shown(street: Street, runbook: object) -> None:
    app = await street.app()

    answer = await street.publisher.post(
        f"/v1/apps/{app['id']}/versions",
        {"manifest": catalog.manifest(app["slug"]), "runbook": runbook},
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "malformed")


async def test_a_manifest_that_is_too_large_is_malformed(street: Street) -> None:
    app = await street.app()
    text = catalog.manifest(app["slug"], more="# " + "x" * 262_144)

    answer = await street.publisher.post(f"/v1/apps/{app['id']}/versions", {"manifest": text})

    assert (answer.status_code, answer.json()["code"]) == (422, "malformed")


async def test_whoever_may_not_publish_is_not_told_what_is_wrong(street: Street) -> None:
    app = await street.app()
    path, body = f"/v1/apps/{app['id']}/versions", {"manifest": f"nonsense {fresh()}"}

    hidden = await street.stranger.admin.post(path, body)
    known = await street.colleague.post(path, body)

    assert (hidden.status_code, hidden.json()["errors"]) == (404, [])
    assert (known.status_code, known.json()["errors"]) == (403, [])
