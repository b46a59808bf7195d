/** What a form of policy holds, and how it becomes the document of a layer. Pure. */
import type { Schemas } from "@/lib/api";
import { LISTS, type ListName, QUOTAS, type QuotaName } from "@/pages/projects/policy/words";

type Read = Schemas["DocumentRead"];
type Write = Schemas["OverlayDocument"];

export interface Choice {
  /** Only these; null: everything that is not denied. */
  allow: string[] | null;
  deny: string[];
}

export interface Draft {
  lists: Record<ListName, Choice>;
  versions: { key: number; app: string; constraint: string }[];
  quotas: Record<QuotaName, number | null>;
}

export function draftOf(document: Read): Draft {
  const lists = Object.fromEntries(
    LISTS.map((name) => [
      name,
      { allow: document[name]?.allow ?? null, deny: document[name]?.deny ?? [] },
    ]),
  ) as Draft["lists"];
  const quotas = Object.fromEntries(
    QUOTAS.map((name) => [name, document.quotas?.[name] ?? null]),
  ) as Draft["quotas"];
  const versions = Object.entries(document.versions ?? {}).map(([app, constraint], key) => ({
    key,
    app,
    constraint,
  }));
  return { lists, versions, quotas };
}

/** What limits nothing is left out: the layer says what it limits, and no more. */
export function documentOf(draft: Draft): Write {
  const document: Record<string, unknown> = {};
  for (const name of LISTS) {
    const { allow, deny } = draft.lists[name];
    if (allow !== null || deny.length > 0) document[name] = { allow, deny };
  }
  const versions = draft.versions.filter((each) => each.app && each.constraint.trim());
  if (versions.length > 0)
    document.versions = Object.fromEntries(
      versions.map((each) => [each.app, each.constraint.trim()]),
    );
  const quotas = QUOTAS.filter((name) => draft.quotas[name] !== null);
  if (quotas.length > 0)
    document.quotas = Object.fromEntries(quotas.map((name) => [name, draft.quotas[name]]));
  return document as Write;
}
