"""Nodes and enrolments."""

from collections.abc import Mapping, Sequence
from typing import Literal

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of, version_of
from moorage._operation import Arguments
from moorage.models import (
    EnrolmentCreate,
    EnrolmentIssued,
    EnrolmentRead,
    NodeAct,
    NodeBatchCreate,
    NodeBatchRead,
    NodeCreate,
    NodeRead,
    NodeUpdate,
)

Node = NodeRead | str


class Nodes(Group):
    """Nodes: the platform's machines. For platform admins; tenants see what they hold."""

    @listing(operations.LIST_NODES, NodeRead)
    def list(
        self,
        *,
        region: str | None = None,
        sku: str | None = None,
        status: str | None = None,
        unreachable: bool | None = None,
        name: str | None = None,
        page_size: int | None = None,
    ) -> Arguments:
        """The machines, or some of them: by slugs, by status, by whether they are heard of."""
        said = None if unreachable is None else str(unreachable).lower()
        return Arguments(
            query={
                "region": region,
                "sku": sku,
                "status": status,
                "unreachable": said,
                "name": name,
                "limit": page_size,
            }
        )

    @call(operations.CREATE_NODE, NodeRead)
    def create(
        self,
        *,
        name: str,
        region: str,
        sku: str,
        reach: Literal["agent", "ssh"] = "agent",
        address: str | None = None,
        ssh_port: int | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Arguments:
        """Announce a machine, by the slugs of its region and SKU."""
        return Arguments(
            body=NodeCreate(
                name=name,
                region=region,
                sku=sku,
                reach=reach,
                address=address,
                ssh_port=ssh_port,
                labels=dict(labels or {}),
            )
        )

    @call(operations.CREATE_NODES, NodeBatchRead)
    def create_many(
        self, nodes: Sequence[NodeCreate], *, expires_in: int | None = None
    ) -> Arguments:
        """Announce up to 1000 machines at once, and get the line of each, shown this once."""
        return Arguments(body=NodeBatchCreate(nodes=[*nodes], expires_in=expires_in))

    @call(operations.GET_NODE, NodeRead)
    def get(self, node: Node) -> Arguments:
        """One machine: its state, what holds it, what it is made of."""
        return Arguments(path={"node": id_of(node)})

    @call(operations.UPDATE_NODE, NodeRead)
    def update(
        self,
        node: Node,
        *,
        name: str | None = None,
        address: str | None = None,
        ssh_port: int | None = None,
        labels: Mapping[str, str] | None = None,
        cordoned: bool | None = None,
        version: int | None = None,
    ) -> Arguments:
        """Rename, label or cordon a machine. What is left out stays; labels come in place of all.

        A cordoned machine stays with whoever holds it, and nobody new gets it.
        """
        return Arguments(
            path={"node": id_of(node)},
            body=NodeUpdate(
                name=name,
                address=address,
                ssh_port=ssh_port,
                labels=None if labels is None else dict(labels),
                cordoned=cordoned,
            ),
            version=version_of(node, version),
        )

    @call(operations.MAINTAIN_NODE, NodeRead)
    def maintain(self, node: Node, *, reason: str) -> Arguments:
        """Take a machine out that nobody holds."""
        return Arguments(path={"node": id_of(node)}, body=NodeAct(reason=reason))

    @call(operations.QUARANTINE_NODE, NodeRead)
    def quarantine(self, node: Node, *, reason: str) -> Arguments:
        """Take a machine out that something is wrong with, held or not."""
        return Arguments(path={"node": id_of(node)}, body=NodeAct(reason=reason))

    @call(operations.RESUME_NODE, NodeRead)
    def resume(self, node: Node) -> Arguments:
        """Bring a machine back from maintenance or quarantine."""
        return Arguments(path={"node": id_of(node)})

    @call(operations.REIMAGE_NODE, NodeRead)
    def reimage(self, node: Node, *, reason: str) -> Arguments:
        """Have a machine imaged anew that nobody holds."""
        return Arguments(path={"node": id_of(node)}, body=NodeAct(reason=reason))

    @call(operations.RETIRE_NODE, NodeRead)
    def retire(self, node: Node, *, reason: str) -> Arguments:
        """Take a machine out for good."""
        return Arguments(path={"node": id_of(node)}, body=NodeAct(reason=reason))


class Enrolments(Group):
    """Enrolments: lines that make a host a node, each for one host and one use."""

    @call(operations.ISSUE_ENROLMENT, EnrolmentIssued)
    def issue(self, node: Node, *, expires_in: int | None = None) -> Arguments:
        """The line for a machine's host, shown this once. Older ones that nobody used end."""
        return Arguments(path={"node": id_of(node)}, body=EnrolmentCreate(expires_in=expires_in))

    @listing(operations.LIST_ENROLMENTS, EnrolmentRead)
    def list(self, node: Node, *, page_size: int | None = None) -> Arguments:
        """The lines that were issued for a machine, and what became of them."""
        return Arguments(path={"node": id_of(node)}, query={"limit": page_size})

    @call(operations.REVOKE_ENROLMENT, None)
    def revoke(self, enrolment: EnrolmentRead | EnrolmentIssued | str) -> Arguments:
        """Take a line back. A host that has used it stays."""
        return Arguments(path={"enrolment": id_of(enrolment)})
