"""Entitlements: which apps a project may use, and what its tenant accepted."""

from typing import Literal

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import HasId, id_of, version_of
from moorage._operation import Arguments
from moorage.models import (
    ConsentGive,
    EntitlementCreate,
    EntitlementDetail,
    EntitlementRead,
    EntitlementUpdate,
    OfferRead,
    PermissionDiffRead,
    ProjectRead,
)

Entitlement = EntitlementRead | EntitlementDetail | str
App = HasId | str
"""An app as it was read, or its id."""
Channel = Literal["dev", "staging", "prod"]


class Entitlements(Group):
    """Entitlements: which apps a project may use, and what its tenant accepted."""

    @call(operations.GET_OFFER, OfferRead)
    def offer(
        self,
        project: ProjectRead | str,
        app: App,
        *,
        channel: Channel | None = None,
        versions: str | None = None,
    ) -> Arguments:
        """What the project would get, and what its tenant would accept with `consent`."""
        return Arguments(
            path={"project": id_of(project), "app": id_of(app)},
            query={"channel": channel, "versions": versions},
        )

    @call(operations.CREATE_ENTITLEMENT, EntitlementDetail)
    def create(
        self,
        project: ProjectRead | str,
        *,
        app: App,
        consent: str | None,
        channel: Channel | None = None,
        versions: str = "*",
    ) -> Arguments:
        """Entitle a project to an app. `consent` is that of the offer that you read."""
        return Arguments(
            path={"project": id_of(project)},
            body=EntitlementCreate(
                app=id_of(app), channel=channel, versions=versions, consent=consent
            ),
        )

    @listing(operations.LIST_ENTITLEMENTS, EntitlementRead)
    def list(
        self, project: ProjectRead | str, *, app: App | None = None, page_size: int | None = None
    ) -> Arguments:
        """The apps that a project is entitled to; with `app`, the one entitlement to it."""
        return Arguments(
            path={"project": id_of(project)},
            query={"app": None if app is None else id_of(app), "limit": page_size},
        )

    @call(operations.GET_ENTITLEMENT, EntitlementDetail)
    def get(self, entitlement: Entitlement) -> Arguments:
        """One entitlement: the version it uses, the one that waits, and the keys you hold."""
        return Arguments(path={"entitlement": id_of(entitlement)})

    @call(operations.UPDATE_ENTITLEMENT, EntitlementDetail)
    def update(
        self,
        entitlement: Entitlement,
        *,
        channel: Channel | Literal["none"] | None = None,
        versions: str | None = None,
        enabled: bool | None = None,
        consent: str | None = None,
        version: int | None = None,
    ) -> Arguments:
        """Change channel or versions, disable or enable. What is left out stays as it is.

        `consent` is needed where the change leads to a version that asks for more.
        """
        return Arguments(
            path={"entitlement": id_of(entitlement)},
            body=EntitlementUpdate(
                channel=channel, versions=versions, enabled=enabled, consent=consent
            ),
            version=version_of(entitlement, version),
        )

    @call(operations.DELETE_ENTITLEMENT, None)
    def delete(self, entitlement: Entitlement, *, version: int | None = None) -> Arguments:
        """Take an entitlement away, and the app's keys that it gave, at once."""
        return Arguments(
            path={"entitlement": id_of(entitlement)}, version=version_of(entitlement, version)
        )

    @call(operations.GET_PERMISSION_DIFF, PermissionDiffRead)
    def diff(self, entitlement: Entitlement, *, version: str | None = None) -> Arguments:
        """What a version asks for against what was accepted; without one, what is wanted next."""
        return Arguments(path={"entitlement": id_of(entitlement)}, query={"version": version})

    @call(operations.GIVE_CONSENT, EntitlementDetail)
    def give_consent(self, entitlement: Entitlement, *, consent: str) -> Arguments:
        """Accept what a version asks for, by the digest that you read."""
        return Arguments(
            path={"entitlement": id_of(entitlement)}, body=ConsentGive(consent=consent)
        )
