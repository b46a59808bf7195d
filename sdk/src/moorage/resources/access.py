"""People on machines: logins, access grants and certificates."""

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of
from moorage._operation import Arguments
from moorage.models import (
    AccessGrantCreate,
    AccessGrantRead,
    AllocationRead,
    OrgRead,
    SshAuthorityRead,
    SshAuthorityRotate,
    SshCertificateCreate,
    SshCertificateRead,
    UnixLoginCreate,
    UnixLoginRead,
    UserRead,
)

WORKING_DAY = 8 * 3600


class Grants(Group):
    """Access grants: who may enter which machine."""

    @listing(operations.LIST_ACCESS_GRANTS, AccessGrantRead)
    def list(
        self,
        allocation: AllocationRead | str,
        *,
        user: UserRead | str | None = None,
        live: bool | None = None,
        page_size: int | None = None,
    ) -> Arguments:
        """Who may enter a machine, and who could. `live`: only those that have not ended."""
        query = {"user": None if user is None else id_of(user), "live": live, "limit": page_size}
        return Arguments(path={"allocation": id_of(allocation)}, query=query)

    @call(operations.CREATE_ACCESS_GRANT, AccessGrantRead)
    def create(
        self,
        allocation: AllocationRead | str,
        *,
        user: UserRead | str | None = None,
        sudo: bool = False,
        forwarding: bool = False,
        expires_in: int = WORKING_DAY,
        reason: str | None = None,
    ) -> Arguments:
        """Let somebody of the project into a machine; yourself where nobody is named."""
        return Arguments(
            path={"allocation": id_of(allocation)},
            body=AccessGrantCreate(
                user=None if user is None else id_of(user),
                sudo=sudo,
                forwarding=forwarding,
                expires_in=expires_in,
                reason=reason,
            ),
        )

    @call(operations.GET_ACCESS_GRANT, AccessGrantRead)
    def get(self, grant: AccessGrantRead | str, *, wait: float = 0) -> Arguments:
        """One grant. With `wait`, once the node has carried it out, or after so many seconds."""
        return Arguments(path={"grant": id_of(grant)}, query={"wait": wait or None}, wait=wait)

    @call(operations.END_ACCESS_GRANT, None)
    def end(self, grant: AccessGrantRead | str) -> Arguments:
        """End a grant: the person is off the machine within seconds, open sessions included."""
        return Arguments(path={"grant": id_of(grant)})

    @call(operations.ISSUE_CERTIFICATE, SshCertificateRead)
    def certify(self, grant: AccessGrantRead | str, *, public_key: str) -> Arguments:
        """Certify your SSH key for minutes, and learn where the machine is and its own keys."""
        return Arguments(
            path={"grant": id_of(grant)}, body=SshCertificateCreate(public_key=public_key)
        )


class Logins(Group):
    """Logins: under which name and number people are known on an org's machines."""

    @listing(operations.LIST_LOGINS, UnixLoginRead)
    def list(self, org: OrgRead | str, *, page_size: int | None = None) -> Arguments:
        """The logins of an org."""
        return Arguments(path={"org": id_of(org)}, query={"limit": page_size})

    @call(operations.CREATE_LOGIN, UnixLoginRead)
    def create(
        self, org: OrgRead | str, *, user: UserRead | str, login: str | None = None
    ) -> Arguments:
        """Give somebody their login before their first grant. It is theirs for good."""
        return Arguments(
            path={"org": id_of(org)}, body=UnixLoginCreate(user=id_of(user), login=login)
        )


class SshAuthorities(Group):
    """SSH authorities: the keys that sign people's certificates."""

    @listing(operations.LIST_SSH_AUTHORITIES, SshAuthorityRead)
    def list(self) -> Arguments:
        """The authorities, the newest first."""
        return Arguments()

    @call(operations.ROTATE_SSH_AUTHORITY, SshAuthorityRead)
    def rotate(self, *, reason: str, at_once: bool = False) -> Arguments:
        """Sign with a new key. `at_once`: accept no older one any more."""
        return Arguments(body=SshAuthorityRotate(reason=reason, at_once=at_once))
