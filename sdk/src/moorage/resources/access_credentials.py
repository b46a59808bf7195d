"""Hosts without agent: the keys that the platform enters them with, and how each is reached."""

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of
from moorage._operation import Arguments
from moorage.models import (
    AccessCredentialCreate,
    AccessCredentialRead,
    AllocationRead,
    CredentialRotation,
    ProjectRead,
    SshHostConfirm,
    SshHostRead,
    SshHostWrite,
)

Credential = AccessCredentialRead | str
Allocation = AllocationRead | str


class AccessCredentials(Group):
    """Access credentials: SSH keys in custody, which nobody gets out again."""

    @listing(operations.LIST_ACCESS_CREDENTIALS, AccessCredentialRead)
    def list(self, project: ProjectRead | str, *, page_size: int | None = None) -> Arguments:
        """The access credentials of a project: public keys and fingerprints."""
        return Arguments(path={"project": id_of(project)}, query={"limit": page_size})

    @call(operations.CREATE_ACCESS_CREDENTIAL, AccessCredentialRead)
    def create(
        self,
        project: ProjectRead | str,
        *,
        name: str,
        username: str = "root",
        private_key: str | None = None,
    ) -> Arguments:
        """Put a key into custody. Without one, the platform makes it and shows the public half."""
        return Arguments(
            path={"project": id_of(project)},
            body=AccessCredentialCreate(name=name, username=username, private_key=private_key),
        )

    @call(operations.GET_ACCESS_CREDENTIAL, AccessCredentialRead)
    def get(self, credential: Credential) -> Arguments:
        """One access credential, without its key."""
        return Arguments(path={"credential": id_of(credential)})

    @call(operations.ROTATE_ACCESS_CREDENTIAL, AccessCredentialRead)
    def rotate(
        self, credential: Credential, *, private_key: str | None = None, overlap_hours: int = 24
    ) -> Arguments:
        """Put another key in its place. The old one is tried for the overlap; 0 if it leaked."""
        return Arguments(
            path={"credential": id_of(credential)},
            body=CredentialRotation(private_key=private_key, overlap_hours=overlap_hours),
        )

    @call(operations.REVOKE_ACCESS_CREDENTIAL, AccessCredentialRead)
    def revoke(self, credential: Credential) -> Arguments:
        """Destroy the key. Tasks that run with it are broken off within seconds."""
        return Arguments(path={"credential": id_of(credential)})


class SshHosts(Group):
    """How machines without agent are reached. Nothing is done there before a key was confirmed."""

    @call(operations.GET_SSH_HOST, SshHostRead)
    def get(self, allocation: Allocation) -> Arguments:
        """How a machine is reached: `unset`, `unconfirmed` or `confirmed`."""
        return Arguments(path={"allocation": id_of(allocation)})

    @call(operations.SET_SSH_HOST, SshHostRead)
    def set(self, allocation: Allocation, *, credential: Credential, version: int = 0) -> Arguments:
        """Choose the credential. `version` is the one that you read; 0 where none was set."""
        return Arguments(
            path={"allocation": id_of(allocation)},
            body=SshHostWrite(credential=id_of(credential)),
            version=version,
        )

    @call(operations.SCAN_SSH_HOST, SshHostRead)
    def scan(self, allocation: Allocation) -> Arguments:
        """Ask the machine for its key. `offered_fingerprint` is to be compared, on the machine."""
        return Arguments(path={"allocation": id_of(allocation)})

    @call(operations.CONFIRM_SSH_HOST, SshHostRead)
    def confirm(self, allocation: Allocation, *, fingerprint: str) -> Arguments:
        """Pin the key that the machine has shown. From now on it must show that one."""
        return Arguments(
            path={"allocation": id_of(allocation)}, body=SshHostConfirm(fingerprint=fingerprint)
        )
