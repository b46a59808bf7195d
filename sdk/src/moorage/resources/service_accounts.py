"""Service accounts and their keys."""

from collections.abc import Sequence

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of, version_of, words
from moorage._operation import Arguments
from moorage.models import (
    KeyCreate,
    KeyIssued,
    KeyRead,
    ProjectRead,
    PublicKey,
    ServiceAccountCreate,
    ServiceAccountRead,
    ServiceAccountUpdate,
)

Account = ServiceAccountRead | str


class ServiceAccounts(Group):
    """Service accounts: programs that act in one project, with a list of permissions."""

    @listing(operations.LIST_SERVICE_ACCOUNTS, ServiceAccountRead)
    def list(self, project: ProjectRead | str, *, page_size: int | None = None) -> Arguments:
        """The service accounts of a project."""
        return Arguments(path={"project": id_of(project)}, query={"limit": page_size})

    @call(operations.CREATE_SERVICE_ACCOUNT, ServiceAccountRead)
    def create(
        self, project: ProjectRead | str, *, name: str, permissions: Sequence[str]
    ) -> Arguments:
        """Make a service account with exactly these permissions. You must hold each yourself."""
        return Arguments(
            path={"project": id_of(project)},
            body=ServiceAccountCreate(name=name, permissions=[*permissions]),
        )

    @call(operations.GET_SERVICE_ACCOUNT, ServiceAccountRead)
    def get(self, account: Account) -> Arguments:
        """One service account."""
        return Arguments(path={"account": id_of(account)})

    @call(operations.UPDATE_SERVICE_ACCOUNT, ServiceAccountRead)
    def update(
        self,
        account: Account,
        *,
        name: str | None = None,
        permissions: Sequence[str] | None = None,
        disabled: bool | None = None,
        version: int | None = None,
    ) -> Arguments:
        """Rename, give other permissions, disable or enable. What is left out stays as it is."""
        return Arguments(
            path={"account": id_of(account)},
            body=ServiceAccountUpdate(name=name, permissions=words(permissions), disabled=disabled),
            version=version_of(account, version),
        )

    @call(operations.DELETE_SERVICE_ACCOUNT, None)
    def delete(self, account: Account, *, version: int | None = None) -> Arguments:
        """Delete a service account. Its tokens stop working at once."""
        return Arguments(path={"account": id_of(account)}, version=version_of(account, version))

    @listing(operations.LIST_SERVICE_ACCOUNT_KEYS, KeyRead)
    def list_keys(self, account: Account, *, page_size: int | None = None) -> Arguments:
        """The keys of a service account, without their secrets."""
        return Arguments(path={"account": id_of(account)}, query={"limit": page_size})

    @call(operations.CREATE_SERVICE_ACCOUNT_KEY, KeyIssued)
    def create_key(
        self,
        account: Account,
        *,
        public_key: PublicKey | None = None,
        expires_in: int | None = None,
    ) -> Arguments:
        """Add a key: your public key, or a secret that is made for you and shown this once."""
        return Arguments(
            path={"account": id_of(account)},
            body=KeyCreate(public_key=public_key, expires_in=expires_in),
        )

    @call(operations.REVOKE_SERVICE_ACCOUNT_KEY, None)
    def revoke_key(self, account: Account, key: KeyRead | KeyIssued | str) -> Arguments:
        """Revoke a key. Tokens minted with it stop working within seconds."""
        return Arguments(path={"account": id_of(account), "key": id_of(key)})
