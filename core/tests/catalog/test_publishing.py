"""A service account of the publishing project publishes, with exactly the keys that it needs."""

from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from core.tests.callers import Caller
from core.tests.catalog.publishers import Street, make_street, robot
from core.tests.factories import artifacts, catalog
from core.tests.site import Site, fresh

NEEDED = [
    "catalog.app.read",
    "catalog.artifact.create",
    "catalog.artifact.read",
    "catalog.artifact.sign",
    "catalog.publisher_key.read",
    "catalog.version.create",
    "catalog.version.promote",
    "catalog.version.publish",
]
"""As docs/howto/publish-an-app.md lists them."""


@pytest.fixture
async def street(site: Site) -> Street:
    return await make_street(site)


async def release(street: Street, caller: Caller, app: dict[str, Any], pair: Any, key: str) -> int:
    """All that a pipeline does; the status at which it ended."""
    content = fresh().encode()
    announced = await caller.post(
        f"/v1/projects/{street.project}/artifacts", artifacts.announcement(content)
    )
    if announced.is_error:
        return announced.status_code
    artifact = announced.json() | {"name": "thing.tar"}
    path = f"/v1/artifacts/{artifact['id']}"
    signature = artifacts.signature_of(pair, artifact["digest"])
    text = catalog.manifest(app["slug"], artifacts=[artifact])
    steps: list[Any] = [
        await caller.get(f"/v1/projects/{street.project}/publisher-keys"),
        await artifacts.send(caller, artifact["id"], content),
        await caller.post(f"{path}/complete"),
        await caller.post(f"{path}/signatures", {"key": key, "signature": signature}),
        await caller.get(path),
        await caller.get("/v1/apps", params={"slug": app["slug"]}),
        await caller.post(f"/v1/apps/{app['id']}/versions", {"manifest": text}),
    ]
    if steps[-1].is_success:
        version = steps[-1].json()["id"]
        steps.append(await caller.post(f"/v1/app-versions/{version}/publish", {}))
        body = {"channel": "prod", "version": version}
        steps.append(await caller.post(f"/v1/apps/{app['id']}/promotions", body))
    return next((step.status_code for step in steps if step.is_error), 200)


async def arrange(street: Street) -> tuple[dict[str, Any], Any, str]:
    app, pair = await street.app(), Ed25519PrivateKey.generate()
    key = await catalog.made(
        street.publisher,
        f"/v1/projects/{street.project}/publisher-keys",
        artifacts.key_body(pair, street.project),
    )
    return app, pair, key["id"]


async def test_these_keys_are_enough(street: Street) -> None:
    app, pair, key = await arrange(street)
    account = await robot(street.tenant.admin, street.project, NEEDED)

    assert await release(street, account, app, pair, key) == 200

    (promotion,) = (await street.publisher.get(f"/v1/apps/{app['id']}/promotions")).json()["items"]
    assert promotion["actor_kind"] == "service_account"


@pytest.mark.parametrize("lacking", NEEDED)
async def test_each_of_these_keys_is_needed(street: Street, lacking: str) -> None:
    app, pair, key = await arrange(street)
    keys = [each for each in NEEDED if each != lacking]
    account = await robot(street.tenant.admin, street.project, keys)

    assert await release(street, account, app, pair, key) == 403
