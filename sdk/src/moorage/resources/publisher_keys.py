"""Publisher keys: what a project signs its artifacts with."""

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of
from moorage._operation import Arguments
from moorage.models import (
    ProjectRead,
    PublicKey,
    PublisherKeyCreate,
    PublisherKeyRead,
    PublisherPublicKey,
    Revocation,
)


class PublisherKeys(Group):
    """Publisher keys: what a project signs its artifacts with."""

    @listing(operations.LIST_PUBLISHER_KEYS, PublisherKeyRead)
    def list(self, project: ProjectRead | str, *, page_size: int | None = None) -> Arguments:
        """The publisher keys of a project, revoked ones too."""
        return Arguments(path={"project": id_of(project)}, query={"limit": page_size})

    @call(operations.CREATE_PUBLISHER_KEY, PublisherKeyRead)
    def create(
        self,
        project: ProjectRead | str,
        *,
        name: str,
        public_key: PublicKey | PublisherPublicKey,
    ) -> Arguments:
        """Register the public half of a key: `public` of a `PrivateKey`."""
        half = PublisherPublicKey(kty="OKP", crv="Ed25519", x=public_key.x)
        return Arguments(
            path={"project": id_of(project)},
            body=PublisherKeyCreate(name=name, public_key=half),
        )

    @call(operations.REVOKE_PUBLISHER_KEY, PublisherKeyRead)
    def revoke(self, publisher_key: PublisherKeyRead | str, *, reason: str) -> Arguments:
        """Revoke a key. What it alone has signed is no longer trusted, at once."""
        return Arguments(
            path={"publisher_key": id_of(publisher_key)}, body=Revocation(reason=reason)
        )
