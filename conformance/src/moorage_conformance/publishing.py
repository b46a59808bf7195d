"""The app in the catalog, for the time of a run: two versions, an operator, an entitlement.

The versions are prereleases with a name of the run's own, so that a run takes no number away from
the publisher. They are retired when it ends.
"""

import contextlib
import re
import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from moorage import ApiError, Client, MoorageError, PrivateKey, ServiceAccount, signatures
from moorage.errors import AlreadySigned, NotFound
from moorage.manifest import folder, versions
from moorage.models import AppRead, EntitlementDetail, VersionDetail
from moorage_conformance import building
from moorage_conformance.findings import CannotRun
from moorage_conformance.plan import Plan
from moorage_conformance.tenant import Tenant

CLAIMING = ("apps.operation.claim",)
REASON = "The conformance run is over."


@dataclass(frozen=True)
class Published:
    """An app that can be deployed, and who acts for it."""

    app: str
    first: VersionDetail
    second: VersionDetail
    operator: str
    account: str
    key: str
    secret_file: Path

    def auth(self) -> ServiceAccount:
        """The operator itself."""
        return ServiceAccount(self.account, key=self.key, secret=self.secret_file.read_text())


@contextlib.asynccontextmanager
async def published(
    plan: Plan, tenant: Tenant, *, run: str, place: Path
) -> AsyncGenerator[Published]:
    """The app, for as long as the block goes on."""
    client, project = tenant.client, tenant.project
    async with contextlib.AsyncExitStack() as stack:
        app = await _app(plan, tenant)
        await _admit(plan, tenant, app)
        signer = PrivateKey.generate()
        held = await client.publisher_keys.create(project, name=f"conformance {run}", key=signer)

        async def publish(number: str) -> VersionDetail:
            cut = await _cut(plan, number, place / number)
            found = folder.load(cut)
            if found.manifest is None or found.faults:
                faults = "; ".join(f"{f.path}: {f.message}" for f in found.faults)
                raise CannotRun(f"Version {number} cannot be published: {faults}.")
            for artifact in found.manifest.artifacts:
                if artifact.name not in found.files:
                    continue
                up = await client.artifacts.upload(project, found.files[artifact.name])
                signature = signatures.sign(up.digest, signer)
                with contextlib.suppress(AlreadySigned):  # both versions may bring the same file
                    await client.artifacts.sign(up, key=held, signature=signature)
            draft = await client.apps.create_version(
                app, manifest=found.text, runbook=found.runbook
            )
            made = await client.apps.publish_version(draft)
            stack.push_async_callback(
                _quietly, lambda: client.apps.retire_version(made, reason=REASON)
            )
            return made

        first, second = [await publish(number) for number in numbers(plan.manifest.version, run)]
        entitlement = await _entitle(client, project, app, first.number, second.number)
        stack.push_async_callback(
            _quietly, lambda: client.entitlements.update(entitlement, enabled=False)
        )
        account = await client.service_accounts.create(
            project, name=f"conformance-{run}", permissions=CLAIMING
        )
        stack.push_async_callback(_quietly, lambda: client.service_accounts.delete(account))
        issued = await client.service_accounts.create_key(account)
        secret_file = place / "operator.secret"
        secret_file.touch(mode=0o600)
        secret_file.write_text(str(issued.secret))
        operator = await client.operators.register(
            project, app=app, service_account=account, name=f"Conformance {run}"
        )
        stack.push_async_callback(_quietly, lambda: client.operators.remove(operator))
        yield Published(app.id, first, second, operator.id, account.id, issued.id, secret_file)


def numbers(version: str, run: str) -> tuple[str, str]:
    """The number of a run's first version, and of the one that it is upgraded to."""
    major, minor, patch = versions.parse(version).numbers
    suffix = f"conformance.{run}"
    return f"{major}.{minor}.{patch}-{suffix}", f"{major}.{minor}.{patch + 1}-{suffix}"


async def _app(plan: Plan, tenant: Tenant) -> AppRead:
    said = plan.manifest
    found = await tenant.client.apps.find(said.slug)
    if found is None:
        try:
            return await tenant.client.apps.create(
                tenant.project, slug=said.slug, name=said.name, summary=said.summary
            )
        except ApiError as err:
            raise CannotRun(
                f"The app {said.slug} cannot be published here: {err}. Where another project "
                "publishes it, name that project with --project."
            ) from err
    if found.project_id != tenant.project:
        raise CannotRun(
            f"The app {said.slug} is published by project {found.project_id}. Name that one with "
            "--project: an app is judged where it comes from."
        )
    return found


async def _admit(plan: Plan, tenant: Tenant, app: AppRead) -> None:
    """An app of the kit's own project may use the keys of its families.

    In a project of somebody's, those who run the platform have said what it may use.
    """
    if tenant.platform is None:
        return
    families = tenant.platform.families
    for name in plan.manifest.families:
        try:
            await families.get_admission(name, app)
        except NotFound:
            keys = [each.key for each in (await families.get(name)).keys]
            await families.admit(name, app, keys=keys)


async def _cut(plan: Plan, number: str, place: Path) -> Path:
    """The folder of a version."""
    if plan.said.cut is None:
        shutil.copytree(plan.path, place)
        manifest = place / "manifest.yaml"
        line = re.compile(r"^version:.*$", re.MULTILINE)
        manifest.write_text(line.sub(f'version: "{number}"', manifest.read_text(), count=1))
        return place
    known = {"version": number, "folder": str(place)}
    await building.write(building.filled(plan.said.cut, known), within=plan.path)
    return place


async def _entitle(
    client: Client, project: str, app: AppRead, low: str, high: str
) -> EntitlementDetail:
    both = f">={low} <={high}"
    offer = await client.entitlements.offer(project, app, versions=both)
    found = [each async for each in client.entitlements.list(project, app=app)]
    if not found:
        return await client.entitlements.create(
            project, app=app, consent=offer.consent, versions=both
        )
    return await client.entitlements.update(
        found[0], versions=both, enabled=True, consent=offer.consent
    )


async def _quietly(tidy: Callable[[], Awaitable[object]]) -> None:
    """What is left to tidy up is tidied, whatever became of the rest."""
    with contextlib.suppress(MoorageError):
        await tidy()
