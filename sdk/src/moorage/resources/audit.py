"""The audit log."""

from datetime import datetime
from typing import Literal

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of
from moorage._operation import Arguments
from moorage.models import EntryRead, ProofRead, SealsRead

Outcome = Literal["allowed", "denied"]


class Audit(Group):
    """The audit log: who did what, or was refused it. `moorage.proofs` checks its proofs."""

    @listing(operations.LIST_AUDIT_ENTRIES, EntryRead)
    def list(
        self,
        *,
        org: str | None = None,
        project: str | None = None,
        actor: str | None = None,
        action: str | None = None,
        target: str | None = None,
        outcome: Outcome | None = None,
        correlation_id: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        newest_first: bool = False,
        page_size: int | None = None,
    ) -> Arguments:
        """Entries of the orgs and projects whose log you may read, oldest first."""
        query = {
            "org": org,
            "project": project,
            "actor": actor,
            "action": action,
            "target": target,
            "outcome": outcome,
            "correlation_id": correlation_id,
            "since": since.isoformat() if since else None,
            "until": until.isoformat() if until else None,
            "newest_first": "true" if newest_first else None,
            "limit": page_size,
        }
        return Arguments(query=query)

    @call(operations.GET_AUDIT_ENTRY, EntryRead)
    def get(self, entry: EntryRead | str) -> Arguments:
        """One entry."""
        return Arguments(path={"entry": id_of(entry)})

    @call(operations.GET_AUDIT_PROOF, ProofRead)
    def get_proof(self, entry: EntryRead | str) -> Arguments:
        """An entry with what proves that it was sealed so."""
        return Arguments(path={"entry": id_of(entry)})

    @call(operations.LIST_AUDIT_SEALS, SealsRead)
    def list_seals(self, *, after: str | None = None, page_size: int | None = None) -> Arguments:
        """A page of the signed roots, newest first, and the keys to check them with."""
        return Arguments(query={"after": after, "limit": page_size})
