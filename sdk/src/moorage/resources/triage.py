"""Triage: what came of one request."""

from moorage import _operations as operations
from moorage._calls import Group, call
from moorage._model import id_of
from moorage._operation import Arguments
from moorage.models import OrgRead, TriageOpen, TriageRead


class Triage(Group):
    """Triage: everything under one correlation id, with the cause of a failure first."""

    @call(operations.GET_TRIAGE, TriageRead)
    def get(self, correlation: str) -> Arguments:
        """What came of a request: operations, steps, tasks, events and audit in one timeline."""
        return Arguments(path={"correlation": correlation})

    @call(operations.OPEN_TRIAGE, TriageRead)
    def break_glass(self, correlation: str, *, org: OrgRead | str, reason: str) -> Arguments:
        """Break-glass: the same for a tenant's request. The tenant sees who did, and why."""
        return Arguments(
            path={"correlation": correlation}, body=TriageOpen(org=id_of(org), reason=reason)
        )
