"""What may happen to apps, versions and channels, and who sees them. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from moorage_core.artifacts.models import Artifact
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.catalog.models import (
    App,
    Channel,
    Counts,
    NamedArtifact,
    Shelf,
    Sight,
    UsedArtifact,
    Version,
)
from moorage_core.errors import ApiError, Conflict, Fault
from moorage_core.kit.counting import counted
from moorage_manifest import RESERVED_SLUGS, Manifest, namespace, shipped
from moorage_manifest import Fault as ManifestFault

DRAFT, PUBLISHED, DEPRECATED, RETIRED = "draft", "published", "deprecated", "retired"
NEXT = {
    DRAFT: {PUBLISHED},
    PUBLISHED: {DEPRECATED, RETIRED},
    DEPRECATED: {PUBLISHED, RETIRED},
    RETIRED: set[str](),
}
WIDTH = {"project": 0, "org": 1, "platform": 2}
DISTRUSTED = ("failed", "revoked")
OPEN_CHANNEL = "dev"
"""The one channel to which versions with unsigned artifacts can be promoted."""


class SlugTaken(Conflict):
    """An app of this slug exists on the platform."""

    code = "slug_taken"


class LimitReached(Conflict):
    """There is no room for another one."""

    code = "limit_reached"


class SlugReserved(ApiError):
    """No app may be called so."""

    status = 422
    code = "slug_reserved"


class AppPublished(Conflict):
    """The app was published and stays."""

    code = "app_published"


class StillEntitled(Conflict):
    """Projects that would no longer see the app are entitled to it."""

    code = "still_entitled"


class ManifestInvalid(ApiError):
    """The manifest has faults."""

    status = 422
    code = "manifest_invalid"


class ManifestMisfit(ApiError):
    """The manifest is that of another app or version."""

    status = 422
    code = "manifest_misfit"


class RunbookMissing(ApiError):
    """The manifest names a runbook that was not sent."""

    status = 422
    code = "runbook_missing"


class VersionExists(Conflict):
    """The app has a version of this number."""

    code = "version_exists"


class NotADraft(Conflict):
    """A version that was published does not change."""

    code = "not_a_draft"


class DraftChanged(Conflict):
    """The draft is not the one that you want to publish."""

    code = "draft_changed"


class InvalidTransition(Conflict):
    """The version's state does not allow this."""

    code = "invalid_transition"


class ArtifactsNotReady(Conflict):
    """The version's artifacts cannot be used as they are."""

    code = "artifacts_not_ready"


class AlreadyThere(Conflict):
    """The channel points to this version already."""

    code = "already_there"


class OnChannel(Conflict):
    """A channel points to the version."""

    code = "on_channel"


# Who sees


def sight(principal: Principal, key: str | None) -> Sight:
    """Where the principal holds a key; without one, where they hold anything."""
    held = [g for g in principal.grants if (g.permissions if key is None else key in g.permissions)]
    return Sight(
        orgs=sorted({grant.org for grant in held}),
        whole=sorted({grant.org for grant in held if grant.project is None}),
        projects=sorted({grant.project for grant in held if grant.project}),
    )


def is_own(thing: App, seen: Sight) -> bool:
    """Whether it lives where the key is held, and is not merely shown there."""
    return thing.org_id in seen.whole or thing.project_id in seen.projects


def is_offered_to(app: App, *, org: str, project: str) -> bool:
    """Whether a project sees the app, whoever asks."""
    same_org = app.visibility == "org" and app.org_id == org
    return app.visibility == "platform" or same_org or app.project_id == project


def shelved(
    apps: Iterable[App],
    known: Iterable[Version],
    channels: Iterable[Mapping[str, str]],
    used: Iterable[UsedArtifact],
) -> dict[str, Shelf]:
    """What was read of many apps, sorted by app."""
    versions = defaultdict[str, list[Version]](list)
    pointers = defaultdict[str, dict[str, str]](dict)
    artifacts = defaultdict[str, list[UsedArtifact]](list)
    for version in known:
        versions[version.app_id].append(version)
    for row in channels:
        pointers[row["app_id"]][row["channel"]] = row["version_id"]
    for each in used:
        artifacts[each.version_id].append(each)
    return {
        app.id: Shelf(app, versions[app.id], pointers[app.id], _of(versions[app.id], artifacts))
        for app in apps
    }


def _of(
    some: Iterable[Version], artifacts: Mapping[str, Sequence[UsedArtifact]]
) -> dict[str, Sequence[UsedArtifact]]:
    return {each.id: artifacts[each.id] for each in some if each.id in artifacts}


def narrows(before: str, after: str | None) -> bool:
    """Whether fewer projects see the app than before."""
    return after is not None and WIDTH[after] < WIDTH[before]


# Apps


def check_slug(slug: str, families: Iterable[str]) -> None:
    """Refuse a slug whose namespace is the platform's or a family's.

    The contract's families are reserved also where the platform has not written them yet.
    """
    areas = RESERVED_SLUGS | {str(key).partition(".")[0] for key in Permission}
    taken = {namespace(name) for name in (*areas, *families, *shipped())}
    if namespace(slug) in taken:
        raise SlugReserved(
            f"The platform or a family of apps is called {slug}. Choose another slug.",
            errors=[Fault("body.slug", "reserved")],
        )


def check_room_for_app(have: int, *, limit: int) -> None:
    if have >= limit:
        raise LimitReached(
            f"The project has {have} apps, and may have {limit} apps. Delete one of which nothing "
            "was published, or use another project. Those who run the platform can raise the "
            "setting limits.project_apps."
        )


def check_room_for_draft(app: App, have: Counts, *, drafts: int, versions: int) -> None:
    if have.drafts >= drafts:
        raise LimitReached(
            f"App {app.slug} has {have.drafts} drafts, and may have {drafts} drafts. Publish or "
            "throw away one of them first."
        )
    if have.versions >= versions:
        raise LimitReached(
            f"App {app.slug} has {have.versions} versions, and may have {versions} versions. Throw "
            "away a draft. Those who run the platform can raise the setting limits.app_versions."
        )


def check_never_published(app: App, published: int) -> None:
    if published:
        raise AppPublished(
            f"App {app.slug} has {counted(published, 'published version')}: what was published "
            "stays. Retire it, and show the app to its own project alone."
        )


def check_nobody_left_behind(app: App, visibility: str, entitled: int) -> None:
    if entitled:
        raise StillEntitled(
            f"{counted(entitled, 'project that is', 'projects that are')} entitled to app "
            f"{app.slug} would not see it with "
            f"visibility {visibility}. Retire its versions if nobody should begin to use them; the "
            "app can be hidden once those projects have given up their entitlements."
        )


# Versions


def check_manifest(faults: Iterable[ManifestFault]) -> None:
    """Refuse a manifest with faults, each with its line and column."""
    found = [
        Fault(
            f"body.manifest:{fault.line}:{fault.column}",
            f"{fault.path}: {fault.message}" if fault.path else fault.message,
        )
        for fault in faults
    ]
    if found:
        raise ManifestInvalid(
            f"The manifest has {counted(len(found), 'fault')}, listed with line and column; "
            "moor app validate finds the same ones before you send it.",
            errors=found,
        )


def check_fit(app: App, manifest: Manifest, *, number: str | None = None) -> None:
    """Refuse a manifest that is not about this app, or not about this version of it."""
    if manifest.slug != app.slug:
        raise ManifestMisfit(
            f"The manifest says slug {manifest.slug}; app {app.id} is {app.slug}.",
            errors=[Fault("body.manifest", f"slug: must be {app.slug}")],
        )
    if number is not None and manifest.version != number:
        raise ManifestMisfit(
            f"The manifest says version {manifest.version}; this draft is {number}. "
            "Another version is another draft.",
            errors=[Fault("body.manifest", f"version: must be {number}")],
        )


def check_runbook(manifest: Manifest, runbook: str) -> None:
    if manifest.runbook is not None and not runbook.strip():
        raise RunbookMissing(
            f"The manifest names the runbook {manifest.runbook}. Send its text as `runbook`.",
            errors=[Fault("body.runbook", "missing")],
        )


def number_taken(app: App, number: str, other: Version | None) -> VersionExists:
    if other is not None and other.number != number:
        return VersionExists(
            f"{number} differs from {other.number} of app {app.slug} ({other.id}) in the build "
            "alone, which no constraint sees: who pinned one would get the other. "
            "Give the manifest another version.",
            resource_id=other.id,
        )
    if other is not None and other.status == DRAFT:
        return VersionExists(
            f"Version {number} of app {app.slug} is a draft already: {other.id}. Change that one.",
            resource_id=other.id,
        )
    return VersionExists(
        f"Version {number} of app {app.slug} was published and never changes. "
        "Give the manifest another version.",
        resource_id=other.id if other is not None else None,
    )


def check_draft(version: Version) -> None:
    if version.status != DRAFT:
        raise NotADraft(
            f"Version {version.number} ({version.id}) is {version.status}: what was published "
            "does not change and does not go. Draft another version."
        )


def check_digest(version: Version, wanted: str | None) -> None:
    if wanted is not None and version.manifest_digest != wanted:
        raise DraftChanged(
            f"The manifest of draft {version.id} has the digest {version.manifest_digest}, not the "
            "one that you sent. Look at it again before you publish it."
        )


def check_transition(version: Version, after: str) -> None:
    if after not in NEXT[version.status]:
        raise InvalidTransition(
            f"Version {version.number} ({version.id}) is {version.status} and cannot become "
            f"{after}."
        )


def resolve(manifest: Mapping[str, Any], have: Mapping[str, Artifact]) -> dict[str, str]:
    """The ids of a manifest's artifacts by their names there; each must be usable."""
    wanted = [named(item) for item in manifest["artifacts"]]
    faults = {item.name: _artifact_fault(have.get(item.digest), item.size) for item in wanted}
    _refuse_artifacts(faults, "The version cannot be published yet.")
    return {item.name: have[item.digest].id for item in wanted}


def named(item: Mapping[str, Any]) -> NamedArtifact:
    """An artifact of a draft, of which no more is known than what the manifest says."""
    return NamedArtifact(item["name"], item["digest"], item["size"], item["media_type"])


def _artifact_fault(artifact: Artifact | None, size: int) -> str | None:
    if artifact is None:
        return "no artifact of the project has this digest; upload or register it first"
    if artifact.lifecycle == "uploading":
        return f"its upload is not complete ({artifact.id})"
    if artifact.lifecycle == RETIRED:
        return f"it is retired ({artifact.id})"
    if artifact.trust in DISTRUSTED:
        return f"its trust is {artifact.trust} ({artifact.id})"
    if artifact.size != size:
        return f"it has {artifact.size} bytes, the manifest says {size}"
    return None


def _refuse_artifacts(faults: Mapping[str, str | None], sentence: str) -> None:
    found = [Fault(f"artifacts.{name}", fault) for name, fault in faults.items() if fault]
    if found:
        listed = "; ".join(f"{fault.location}: {fault.message}" for fault in found)
        raise ArtifactsNotReady(f"{sentence} {listed}.", errors=found)


# Channels


def check_promotable(
    version: Version, channel: str, used: Iterable[UsedArtifact], present: str | None
) -> None:
    """Refuse what may not stand on a channel. Going back to an older version is fine."""
    if version.status != PUBLISHED:
        raise InvalidTransition(
            f"Version {version.number} ({version.id}) is {version.status}; only a published "
            "version can be promoted."
        )
    if present == version.id:
        raise AlreadyThere(f"Channel {channel} points to version {version.number} already.")
    faults = {artifact.name: _trust_fault(artifact, channel) for artifact in used}
    _refuse_artifacts(faults, f"The version cannot be promoted to {channel}.")


def _trust_fault(artifact: UsedArtifact, channel: str) -> str | None:
    if artifact.trust in DISTRUSTED or artifact.lifecycle == RETIRED:
        state = artifact.trust if artifact.trust in DISTRUSTED else artifact.lifecycle
        return f"it is {state} ({artifact.artifact_id})"
    if channel != OPEN_CHANNEL and artifact.trust != "verified":
        return f"it is not signed by one of the publisher's keys ({artifact.artifact_id})"
    return None


def check_off_channels(version: Version, channels: Iterable[Channel]) -> None:
    names = [channel.channel for channel in channels if channel.version_id == version.id]
    if names:
        raise OnChannel(
            f"Version {version.number} ({version.id}) is on {', '.join(names)}. "
            "Promote another version there, or clear the channel, first."
        )
