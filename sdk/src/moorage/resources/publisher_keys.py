"""Publisher keys: what a project signs its artifacts with."""

from moorage import _operations as operations
from moorage import signatures
from moorage._calls import Group, call, listing
from moorage._keys import PrivateKey
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
        key: PrivateKey | None = None,
        public_key: PublicKey | PublisherPublicKey | None = None,
        proof: str | None = None,
    ) -> Arguments:
        """Register the public half of a key, with a proof that you have the private one.

        Give `key`: it is used here and stays here. For a key that never leaves its device give
        `public_key`, and as `proof` what `moorage.signatures.prove` would have made with it.
        """
        where = id_of(project)
        if key is not None:
            public_key, proof = key.public, signatures.prove(where, key)
        if public_key is None:
            raise TypeError("give key, or public_key and proof")
        half = PublisherPublicKey(kty="OKP", crv="Ed25519", x=public_key.x)
        return Arguments(
            path={"project": where},
            body=PublisherKeyCreate(name=name, public_key=half, proof=proof),
        )

    @call(operations.REVOKE_PUBLISHER_KEY, PublisherKeyRead)
    def revoke(self, publisher_key: PublisherKeyRead | str, *, reason: str) -> Arguments:
        """Revoke a key. What it alone has signed is no longer trusted, at once."""
        return Arguments(
            path={"publisher_key": id_of(publisher_key)}, body=Revocation(reason=reason)
        )
