"""The platform itself."""

from typing import Any

from moorage import _operations as operations
from moorage._calls import Group, call
from moorage._operation import Arguments
from moorage.models import KeySetRead, StatusRead


class Platform(Group):
    """Is it up, which release is it, how is it doing."""

    @call(operations.GET_STATUS, StatusRead)
    def status(self) -> Arguments:
        """Whether the platform can serve. Needs no credentials."""
        return Arguments()

    @call(operations.GET_JWKS, KeySetRead)
    def signing_keys(self) -> Arguments:
        """The public keys that the platform's tokens are signed with. Needs no credentials."""
        return Arguments()

    @call(operations.GET_OPENAPI, dict[str, Any])
    def openapi(self) -> Arguments:
        """The contract of this platform, as an OpenAPI document. Needs no credentials."""
        return Arguments()

    @call(operations.GET_METRICS, str)
    def metrics(self) -> Arguments:
        """Counters in Prometheus' text format. For platform admins."""
        return Arguments()
