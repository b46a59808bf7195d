"""Apps, their versions, and the channels that versions are promoted to."""

from typing import Literal

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of, version_of
from moorage._operation import Arguments
from moorage.models import (
    AppCreate,
    AppRead,
    AppUpdate,
    ChannelRead,
    OrgRead,
    ProjectRead,
    PromotionCreate,
    PromotionRead,
    VersionDeprecate,
    VersionDetail,
    VersionPublish,
    VersionRead,
    VersionRetire,
    VersionWrite,
)

App = AppRead | str
Version = VersionDetail | VersionRead | str
Visibility = Literal["project", "org", "platform"]
Status = Literal["draft", "published", "deprecated", "retired"]
Channel = Literal["dev", "staging", "prod"]


class Apps(Group):
    """Apps of the catalog: registered, published and promoted by the project that owns them."""

    @listing(operations.LIST_APPS, AppRead)
    def list(
        self,
        *,
        slug: str | None = None,
        org: OrgRead | str | None = None,
        project: ProjectRead | str | None = None,
        page_size: int | None = None,
    ) -> Arguments:
        """The apps that you can see; `org` and `project` narrow to those that yours publish."""
        return Arguments(
            query={
                "slug": slug,
                "org": None if org is None else id_of(org),
                "project": None if project is None else id_of(project),
                "limit": page_size,
            }
        )

    async def find(self, slug: str) -> AppRead | None:
        """The app of this slug, if you can see it."""
        return next(iter(await self.list(slug=slug).all()), None)

    @call(operations.CREATE_APP, AppRead)
    def create(
        self,
        project: ProjectRead | str,
        *,
        slug: str,
        name: str,
        summary: str,
        visibility: Visibility = "project",
    ) -> Arguments:
        """Register an app. The slug is its own on the whole platform; the project publishes it."""
        return Arguments(
            path={"project": id_of(project)},
            body=AppCreate(slug=slug, name=name, summary=summary, visibility=visibility),
        )

    @call(operations.GET_APP, AppRead)
    def get(self, app: App) -> Arguments:
        """One app."""
        return Arguments(path={"app": id_of(app)})

    @call(operations.UPDATE_APP, AppRead)
    def update(
        self,
        app: App,
        *,
        name: str | None = None,
        summary: str | None = None,
        visibility: Visibility | None = None,
        version: int | None = None,
    ) -> Arguments:
        """Rename an app, or show it to more or fewer. What is left out stays as it is."""
        return Arguments(
            path={"app": id_of(app)},
            body=AppUpdate(name=name, summary=summary, visibility=visibility),
            version=version_of(app, version),
        )

    @call(operations.DELETE_APP, None)
    def delete(self, app: App, *, version: int | None = None) -> Arguments:
        """Remove an app of which nothing was ever published, and its drafts."""
        return Arguments(path={"app": id_of(app)}, version=version_of(app, version))

    @listing(operations.LIST_APP_VERSIONS, VersionRead)
    def list_versions(
        self,
        app: App,
        *,
        status: Status | None = None,
        number: str | None = None,
        page_size: int | None = None,
    ) -> Arguments:
        """The versions of an app, newest first; drafts only for its own project."""
        return Arguments(
            path={"app": id_of(app)},
            query={"status": status, "number": number, "limit": page_size},
        )

    async def find_version(self, app: App, number: str) -> VersionRead | None:
        """The version of this number, if you can see it."""
        return next(iter(await self.list_versions(app, number=number).all()), None)

    @call(operations.CREATE_APP_VERSION, VersionDetail)
    def create_version(self, app: App, *, manifest: str, runbook: str | None = None) -> Arguments:
        """Draft a version from the text of its manifest, and of its runbook."""
        return Arguments(
            path={"app": id_of(app)}, body=VersionWrite(manifest=manifest, runbook=runbook)
        )

    @call(operations.GET_APP_VERSION, VersionDetail)
    def get_version(self, version: Version) -> Arguments:
        """One version: its manifest, what it asks for, its artifacts and channels."""
        return Arguments(path={"version": id_of(version)})

    @call(operations.REPLACE_APP_VERSION, VersionDetail)
    def replace_version(
        self,
        draft: Version,
        *,
        manifest: str,
        runbook: str | None = None,
        version: int | None = None,
    ) -> Arguments:
        """Replace a draft's manifest and runbook. What was published never changes."""
        return Arguments(
            path={"version": id_of(draft)},
            body=VersionWrite(manifest=manifest, runbook=runbook),
            version=version_of(draft, version),
        )

    @call(operations.DELETE_APP_VERSION, None)
    def delete_version(self, draft: Version, *, version: int | None = None) -> Arguments:
        """Throw a draft away."""
        return Arguments(path={"version": id_of(draft)}, version=version_of(draft, version))

    @call(operations.PUBLISH_APP_VERSION, VersionDetail)
    def publish_version(self, draft: Version, *, manifest_digest: str | None = None) -> Arguments:
        """Publish a draft, if it still has the digest that you looked at."""
        return Arguments(
            path={"version": id_of(draft)}, body=VersionPublish(manifest_digest=manifest_digest)
        )

    @call(operations.DEPRECATE_APP_VERSION, VersionDetail)
    def deprecate_version(self, version: Version, *, note: str) -> Arguments:
        """Advise against a version, and say what to use instead."""
        return Arguments(path={"version": id_of(version)}, body=VersionDeprecate(note=note))

    @call(operations.RESTORE_APP_VERSION, VersionDetail)
    def restore_version(self, version: Version) -> Arguments:
        """Take a deprecation back."""
        return Arguments(path={"version": id_of(version)})

    @call(operations.RETIRE_APP_VERSION, VersionDetail)
    def retire_version(self, version: Version, *, reason: str) -> Arguments:
        """End a version for good. No channel may point to it."""
        return Arguments(path={"version": id_of(version)}, body=VersionRetire(reason=reason))

    @listing(operations.LIST_APP_CHANNELS, ChannelRead)
    def list_channels(self, app: App) -> Arguments:
        """The version that each channel points to."""
        return Arguments(path={"app": id_of(app)})

    @call(operations.PROMOTE_APP_VERSION, PromotionRead)
    def promote(
        self, app: App, *, channel: Channel, version: Version, reason: str | None = None
    ) -> Arguments:
        """Point a channel to a published version. An older one is a way back."""
        return Arguments(
            path={"app": id_of(app)},
            body=PromotionCreate(channel=channel, version=id_of(version), reason=reason),
        )

    @call(operations.CLEAR_APP_CHANNEL, None)
    def clear_channel(self, app: App, channel: Channel) -> Arguments:
        """Let a channel point to nothing. The history keeps what it pointed to."""
        return Arguments(path={"app": id_of(app), "channel": channel})

    @listing(operations.LIST_APP_PROMOTIONS, PromotionRead)
    def list_promotions(
        self, app: App, *, channel: Channel | None = None, page_size: int | None = None
    ) -> Arguments:
        """How versions came to their channels, newest first."""
        return Arguments(path={"app": id_of(app)}, query={"channel": channel, "limit": page_size})
