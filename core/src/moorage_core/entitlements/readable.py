"""A declaration in a form that a person can decide on. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from moorage_core.entitlements.schemas import (
    DeclarationRead,
    DeclaredFamilyKeyRead,
    DeclaredKeyRead,
    DeclaredProbeRead,
    DeclaredTouchRead,
    DeclaredUseRead,
)
from moorage_manifest import declarations
from moorage_manifest.declarations import Declaration
from moorage_manifest.models import Family


def readable(
    asked: Declaration,
    *,
    manifest: Mapping[str, Any],
    families: Mapping[str, Family],
    admitted: Iterable[str],
) -> DeclarationRead:
    """What is asked for, with each key in the words of whoever declared it."""
    words = {each["key"]: each["description"] for each in manifest.get("permissions", [])}
    return DeclarationRead(
        families=list(asked.families),
        keys=[
            DeclaredKeyRead(key=key, description=words.get(key), roles=list(roles))
            for key, roles in asked.keys.items()
        ],
        family_keys=_family_keys(asked, families, frozenset(admitted)),
        scopes=list(asked.scopes),
        touches=[
            DeclaredTouchRead(operation=kind, components=list(components))
            for kind, components in asked.touches.items()
        ],
        secrets=list(asked.secrets),
        task_kinds=list(asked.task_kinds),
        run_as=list(asked.run_as),
        actions=_uses(asked, asked.actions, manifest.get("actions", [])),
        views=_uses(asked, asked.views, manifest.get("views", [])),
        probes=[
            DeclaredProbeRead(name=name, component=probe.component, command=list(probe.command))
            for name, probe in asked.probes.items()
        ],
        sentences=[each.sentence for each in declarations.wider(asked, Declaration())],
    )


def _uses(
    asked: Declaration, uses: Mapping[str, str], written: Iterable[Mapping[str, Any]]
) -> list[DeclaredUseRead]:
    titles = {each["name"]: each["title"] for each in written}
    return [
        DeclaredUseRead(
            name=name,
            title=titles.get(name),
            permission=key,
            roles=list(asked.keys.get(key) or asked.family_grants.get(key, ())),
        )
        for name, key in uses.items()
    ]


def _family_keys(
    asked: Declaration, families: Mapping[str, Family], admitted: frozenset[str]
) -> list[DeclaredFamilyKeyRead]:
    known = {key.key: key for family in families.values() for key in family.keys}
    shown: list[DeclaredFamilyKeyRead] = []
    for name in sorted({*asked.family_keys, *asked.family_grants}):
        key = known.get(name)
        shown.append(
            DeclaredFamilyKeyRead(
                key=name,
                description=key and key.description,
                means=key and key.means,
                roles=list(asked.family_grants.get(name, ())),
                admitted=name in admitted,
            )
        )
    return shown
