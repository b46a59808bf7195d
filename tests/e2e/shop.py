"""An app team: cuts releases, publishes them, and runs a controller."""

import os
import signal
import subprocess
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from moorage import AccessToken, Client, PrivateKey, signatures
from moorage.manifest import folder
from moorage.models import AppRead
from tests.e2e.callers import Caller
from tests.e2e.site import Site
from tests.e2e.world import Tenant

STOPPING = 30
CLAIMING = ["apps.operation.claim"]

Cut = Callable[[str, Path], Path]
"""Writes a version of an app into a folder."""


@dataclass(frozen=True)
class Shop:
    """A published app, and the account of its operator."""

    app: str
    slug: str
    operator: str
    account: str
    key: str
    secret_file: Path


async def open_shop(
    site: Site,
    publisher: Tenant,
    cut: Cut,
    versions: Sequence[str],
    *,
    drafts: Sequence[str] = (),
    place: Path,
) -> Shop:
    """Publish versions of an app for everybody, draft others, and register an operator."""
    auth = AccessToken(publisher.admin.token)
    ca = site.ca if site.url.startswith("https") else None
    async with Client(site.url, auth=auth, ca=ca) as client:
        signer = PrivateKey.generate()
        held = await client.publisher_keys.create(publisher.project, name=place.name, key=signer)
        app: AppRead | None = None
        for number in (*versions, *drafts):
            found = folder.load(cut(number, place / number))
            assert found.manifest is not None, found.faults
            said = found.manifest
            app = app or await client.apps.create(
                publisher.project,
                slug=said.slug,
                name=said.name,
                summary=said.summary,
                visibility="platform",
            )
            for artifact in said.artifacts:
                file = found.files[artifact.name]
                up = await client.artifacts.upload(publisher.project, file)
                signature = signatures.sign(up.digest, signer)
                await client.artifacts.sign(up, key=held, signature=signature)
            draft = await client.apps.create_version(
                app, manifest=found.text, runbook=found.runbook
            )
            if number in versions:
                await client.apps.publish_version(draft)
        assert app is not None
        account = await client.service_accounts.create(
            publisher.project, name=f"{app.slug}-operator", permissions=CLAIMING
        )
        issued = await client.service_accounts.create_key(account)
        secret_file = place / "operator.secret"
        secret_file.touch(mode=0o600)
        secret_file.write_text(str(issued.secret))
        operator = await client.operators.register(
            publisher.project, app=app, service_account=account, name="The publisher's"
        )
        return Shop(app.id, app.slug, operator.id, account.id, issued.id, secret_file)


def entitle(tenant: Tenant, shop: Shop) -> None:
    """Let a project use the app, with everything that it asks for."""
    offer = tenant.admin.get(f"/v1/projects/{tenant.project}/offers/{shop.app}")
    wish = {"app": shop.app, "consent": offer["consent"]}
    tenant.admin.post(f"/v1/projects/{tenant.project}/entitlements", wish)


def make_program(site: Site, tenant: Tenant, permissions: list[str]) -> Caller:
    """A program of a project: a service account with exactly these permissions."""
    wish = {"name": "automation", "permissions": permissions}
    path = f"/v1/projects/{tenant.project}/service-accounts"
    account = tenant.admin.post(path, wish)["id"]
    key = tenant.admin.post(f"/v1/service-accounts/{account}/keys", {})
    tenant.admin.said.pop()  # shown once
    return _sign_in(site, account, key["id"], key["secret"])


def sign_in(site: Site, shop: Shop) -> Caller:
    """The operator's account, as its controller uses it."""
    return _sign_in(site, shop.account, shop.key, shop.secret_file.read_text())


def _sign_in(site: Site, account: str, key: str, secret: str) -> Caller:
    caller = site.anybody()
    proof = {"service_account": account, "key": key, "client_secret": secret}
    caller.token = caller.post("/v1/auth/token", proof)["access_token"]
    caller.said.clear()
    return caller


@contextmanager
def controller(
    site: Site, shop: Shop, argv: Sequence[str], *, log: Path, cwd: Path | None = None
) -> Generator[subprocess.Popen[bytes]]:
    """A replica of the app's controller: a process of its own, with one key."""
    clean = {name: value for name, value in os.environ.items() if "MOORAGE_" not in name}
    settings = {
        "MOORAGE_URL": site.url,
        "MOORAGE_SERVICE_ACCOUNT": shop.account,
        "MOORAGE_KEY": shop.key,
        "MOORAGE_SECRET_FILE": str(shop.secret_file),
    }
    if site.url.startswith("https"):
        settings["MOORAGE_CA"] = str(site.ca)
    with log.open("ab") as file:
        process = subprocess.Popen(
            [*argv],
            cwd=cwd,
            env=clean | settings,
            stdout=file,
            stderr=file,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(STOPPING)


def ended(caller: Caller, operation: str, *, seconds: float = 60) -> dict[str, object]:
    """The operation, once it has ended."""
    path = f"/v1/operations/{operation}?wait=2"
    return caller.until(path, lambda found: found["ended_at"], seconds=seconds)
