"""Which layer a command line means, and what its options make of the layer's document."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from moorage.models import DocumentRead, OverlayRead, OverlayWritten
from moorage_cli import names
from moorage_cli.connection import Session
from moorage_cli.failures import Missing, Refused

ANY = "any"


@dataclass(frozen=True)
class Layer:
    """One layer, and how to read and write it."""

    name: str
    read: Callable[[], Awaitable[OverlayRead]]
    write: Callable[[dict[str, Any], int, bool], Awaitable[OverlayWritten]]
    spelled: bool = True
    """Whether what a change takes away is named one by one."""


async def layer(
    at: Session, *, platform: bool, org: str | None, project: str | None, app: str | None
) -> Layer:
    """The layer that the options name. None is meant unnamed: the platform's is over everybody."""
    policy = at.client.policy
    named = [platform, org is not None, project is not None].count(True)
    if named != 1 and not (platform and org is not None and project is None):
        raise Refused(
            "Name one layer: --org ORG, --project PROJECT, with --app APP for one of its "
            "entitlements, --platform for the layer above them all, or --platform --org ORG for "
            "the platform's word on one org."
        )
    if app is not None and project is None:
        raise Refused("--app goes with --project: an entitlement is a project's.")
    if platform and org is not None:
        where = await names.org_id(at.client, org)
        return Layer(
            f"The platform's layer for org {org}",
            lambda: policy.get_tenant(where),
            lambda d, v, dry: policy.put_tenant(where, document=d, version=v, dry_run=dry),
            spelled=False,
        )
    if org is not None:
        where = await names.org_id(at.client, org)
        return Layer(
            f"The layer of org {org}",
            lambda: policy.get_org(where),
            lambda d, v, dry: policy.put_org(where, document=d, version=v, dry_run=dry),
        )
    if project is None:  # --platform
        return Layer(
            "The platform's layer",
            policy.get_global,
            lambda d, v, dry: policy.put_global(document=d, version=v, dry_run=dry),
            spelled=False,
        )
    where = await names.project_id(at.client, project)
    if app is None:
        return Layer(
            f"The layer of project {project}",
            lambda: policy.get_project(where),
            lambda d, v, dry: policy.put_project(where, document=d, version=v, dry_run=dry),
        )
    held = await _entitlement(at, where, app)
    return Layer(
        f"The layer of {app} in project {project}",
        lambda: policy.get_entitlement(held),
        lambda d, v, dry: policy.put_entitlement(held, document=d, version=v, dry_run=dry),
    )


@dataclass(frozen=True)
class Changes:
    """What options say about a layer, each as WHAT=VALUE."""

    allow: list[str]
    deny: list[str]
    quota: list[str]
    versions: list[str]

    @property
    def is_empty(self) -> bool:
        return not (self.allow or self.deny or self.quota or self.versions)

    def applied(self, present: DocumentRead) -> dict[str, Any]:
        """The present document with the changes made to it."""
        document: dict[str, Any] = present.model_dump(mode="json", exclude_none=True)
        for text in self.allow:
            name, value = _split(text)
            _part(document, name)["allow"] = None if value == ANY else _values(value)
        for text in self.deny:
            name, value = _split(text)
            _part(document, name)["deny"] = _values(value)
        for text in self.quota:
            name, value = _split(text)
            _part(document, "quotas")[name] = None if value == ANY else _number(text, value)
        for text in self.versions:
            name, value = _split(text)
            _part(document, "versions")[name] = value
            if value == ANY:
                del document["versions"][name]
        return document


async def _entitlement(at: Session, project: str, app: str) -> str:
    found = await names.get_app(at.client, app)
    for held in await at.client.entitlements.list(project, app=found).all():
        return held.id
    raise Missing(f"The project is not entitled to {app}.")


def _split(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise Refused(f"{text} does not say what is limited: write WHAT=VALUE, such as gpus=8.")
    return name, value


def _part(document: dict[str, Any], name: str) -> dict[str, Any]:
    return document.setdefault(name, {})


def _values(text: str) -> list[str]:
    return [value for value in text.split(",") if value]


def _number(text: str, value: str) -> int:
    if not (value.isascii() and value.isdigit()):
        raise Refused(f"{text} is no quota: write a whole number, such as gpus=8.")
    return int(value)
