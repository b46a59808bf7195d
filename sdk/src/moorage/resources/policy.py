"""Policy: layers that only narrow, what they leave, and why something is allowed or not."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from moorage import _operations as operations
from moorage._calls import Group, call
from moorage._model import HasId, Model, id_of
from moorage._operation import Arguments
from moorage.models import (
    DecisionRead,
    DocumentRead,
    EffectivePolicyRead,
    OrgRead,
    OverlayDocument,
    OverlayRead,
    OverlayWritten,
    PolicyQuestion,
    ProjectRead,
)

Document = OverlayDocument | DocumentRead | Mapping[str, Any]
"""What a layer limits: as a model, as it was read, or as plain data."""
OperationKind = Literal[
    "action",
    "allocate",
    "artifact.pull",
    "credential.rotate",
    "instance.configure",
    "instance.decommission",
    "instance.deploy",
    "instance.repair",
    "instance.restart",
    "instance.rollback",
    "instance.start",
    "instance.stop",
    "instance.upgrade",
    "member.add",
    "member.drain",
    "member.remove",
    "member.replace",
    "member.resume",
    "node.session",
    "operation.cancel",
    "release",
]


class _Write(Model):
    """Plain data, sent as it is: the platform refuses what nothing enforces, and names it.

    A model of ours would leave out what it does not know, and somebody would believe in a limit
    that is not there.
    """

    document: dict[str, Any]


class Policy(Group):
    """Policy: layers that only narrow, what they leave, and why something is allowed or not.

    A layer is written whole. `version` is that of the layer as you read it; 0 if it was never
    written. With `dry_run` nothing is changed, and the answer says what the change would take away.
    """

    @call(operations.GET_GLOBAL_OVERLAY, OverlayRead)
    def get_global(self) -> Arguments:
        """The platform's layer, which is above all others."""
        return Arguments()

    @call(operations.PUT_GLOBAL_OVERLAY, OverlayWritten)
    def put_global(self, *, document: Document, version: int, dry_run: bool = False) -> Arguments:
        """Write the platform's layer. For those who run the platform."""
        return _write({}, document, version, dry_run=dry_run)

    @call(operations.GET_TENANT_OVERLAY, OverlayRead)
    def get_tenant(self, org: OrgRead | str) -> Arguments:
        """The platform's layer for one org. For those who run the platform."""
        return Arguments(path={"org": id_of(org)})

    @call(operations.PUT_TENANT_OVERLAY, OverlayWritten)
    def put_tenant(
        self, org: OrgRead | str, *, document: Document, version: int, dry_run: bool = False
    ) -> Arguments:
        """Write the platform's layer for one org. For those who run the platform."""
        return _write({"org": id_of(org)}, document, version, dry_run=dry_run)

    @call(operations.GET_ORG_OVERLAY, OverlayRead)
    def get_org(self, org: OrgRead | str) -> Arguments:
        """An org's layer."""
        return Arguments(path={"org": id_of(org)})

    @call(operations.PUT_ORG_OVERLAY, OverlayWritten)
    def put_org(
        self, org: OrgRead | str, *, document: Document, version: int, dry_run: bool = False
    ) -> Arguments:
        """Write an org's layer."""
        return _write({"org": id_of(org)}, document, version, dry_run=dry_run)

    @call(operations.GET_PROJECT_OVERLAY, OverlayRead)
    def get_project(self, project: ProjectRead | str) -> Arguments:
        """A project's layer."""
        return Arguments(path={"project": id_of(project)})

    @call(operations.PUT_PROJECT_OVERLAY, OverlayWritten)
    def put_project(
        self,
        project: ProjectRead | str,
        *,
        document: Document,
        version: int,
        dry_run: bool = False,
    ) -> Arguments:
        """Write a project's layer."""
        return _write({"project": id_of(project)}, document, version, dry_run=dry_run)

    @call(operations.GET_ENTITLEMENT_OVERLAY, OverlayRead)
    def get_entitlement(self, entitlement: HasId | str) -> Arguments:
        """An entitlement's layer, which holds for one app in one project."""
        return Arguments(path={"entitlement": id_of(entitlement)})

    @call(operations.PUT_ENTITLEMENT_OVERLAY, OverlayWritten)
    def put_entitlement(
        self,
        entitlement: HasId | str,
        *,
        document: Document,
        version: int,
        dry_run: bool = False,
    ) -> Arguments:
        """Write an entitlement's layer."""
        return _write({"entitlement": id_of(entitlement)}, document, version, dry_run=dry_run)

    @call(operations.GET_PROJECT_POLICY, EffectivePolicyRead)
    def effective(self, project: ProjectRead | str) -> Arguments:
        """What all layers leave to a project, and which layer each limit comes from."""
        return Arguments(path={"project": id_of(project)})

    @call(operations.EXPLAIN_POLICY, DecisionRead)
    def explain(
        self,
        *,
        project: ProjectRead | str,
        app: HasId | str | None = None,
        operation: OperationKind,
        version: str | None = None,
        channel: Literal["dev", "staging", "prod"] | None = None,
        artifact: str | None = None,
        region: str | None = None,
        sku: str | None = None,
        artifact_sources: Sequence[str] = (),
        instances: int | None = None,
        members: int | None = None,
        allocations: int | None = None,
        gpus: int | None = None,
    ) -> Arguments:
        """Whether something would be allowed, what each layer says, and who could change it.

        Without an app: for machines alone (allocate, node.session, release).
        """
        return Arguments(
            body=PolicyQuestion(
                project=id_of(project),
                app=None if app is None else id_of(app),
                operation=operation,
                version=version,
                channel=channel,
                artifact=artifact,
                region=region,
                sku=sku,
                artifact_sources=[*artifact_sources],
                instances=instances,
                members=members,
                allocations=allocations,
                gpus=gpus,
            )
        )


def _write(path: dict[str, str], document: Document, version: int, *, dry_run: bool) -> Arguments:
    is_model = isinstance(document, Model)
    plain = document.model_dump(mode="json", exclude_none=True) if is_model else dict(document)
    return Arguments(
        path=path,
        query={"dry_run": True if dry_run else None},
        body=_Write(document=plain),
        version=version,
    )
