"""Sources of artifacts."""

from collections.abc import Sequence
from typing import Literal

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of, version_of
from moorage._operation import Arguments
from moorage.models import OrgRead, SourceCreate, SourceCredential, SourceRead, SourceUpdate

Source = SourceRead | str


class Sources(Group):
    """Sources: registries and web servers that artifacts come from."""

    @listing(operations.LIST_SOURCES, SourceRead)
    def list(self, *, org: OrgRead | str | None = None, page_size: int | None = None) -> Arguments:
        """Sources that an org can use, or those of all your orgs; with the platform's own."""
        where = None if org is None else id_of(org)
        return Arguments(query={"org": where, "limit": page_size})

    @call(operations.CREATE_SOURCE, SourceRead)
    def create(
        self,
        org: OrgRead | str,
        *,
        slug: str,
        name: str,
        kind: Literal["oci", "https"],
        url: str,
        token_url: str | None = None,
        credential: SourceCredential | None = None,
        enabled: bool = True,
    ) -> Arguments:
        """Let artifacts come from a registry or a web server. The platform's org shares with all.

        `token_url` is where a registry's tokens come from, if not from its own host.
        """
        body = SourceCreate(
            slug=slug,
            name=name,
            kind=kind,
            url=url,
            token_url=token_url,
            credential=credential,
            enabled=enabled,
        )
        return Arguments(path={"org": id_of(org)}, body=body)

    @call(operations.GET_SOURCE, SourceRead)
    def get(self, source: Source) -> Arguments:
        """One source, without its credential."""
        return Arguments(path={"source": id_of(source)})

    @call(operations.UPDATE_SOURCE, SourceRead)
    def update(
        self,
        source: Source,
        *,
        name: str | None = None,
        url: str | None = None,
        token_url: str | None = None,
        credential: SourceCredential | None = None,
        clear: Sequence[Literal["credential", "token_url"]] | None = None,
        enabled: bool | None = None,
        version: int | None = None,
    ) -> Arguments:
        """Rename, move, disable or enable it; replace or clear its credential.

        What is left out stays as it is. A source that moves needs its credential again.
        """
        body = SourceUpdate(
            name=name,
            url=url,
            token_url=token_url,
            credential=credential,
            clear=None if clear is None else [*clear],
            enabled=enabled,
        )
        return Arguments(
            path={"source": id_of(source)}, body=body, version=version_of(source, version)
        )

    @call(operations.DELETE_SOURCE, None)
    def delete(self, source: Source, *, version: int | None = None) -> Arguments:
        """Remove a source that no artifact comes from, with its credential."""
        return Arguments(path={"source": id_of(source)}, version=version_of(source, version))
