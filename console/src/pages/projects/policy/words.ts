/** Policy in words: what its layers and limits are called. Pure. */
import type { Schemas } from "@/lib/api";
import { kindWords, sentence } from "@/lib/format";

const LAYERS: Record<string, string> = {
  catalog: "The catalog",
  entitlement: "The project’s entitlement",
  consent: "Consent to what the app may do",
  family: "Membership in a family of apps",
  trust: "Trust in the app’s artifacts",
  global: "The platform’s policy for all",
  tenant: "The platform’s policy for this organisation",
  org: "The organisation’s policy",
  project: "The project’s policy",
  entitlement_overlay: "Limits of the entitlement",
};

export function layerWords(layer: string): string {
  return LAYERS[layer] ?? sentence(layer);
}

const OPERATIONS: Record<string, string> = {
  allocate: "Take machines",
  "artifact.pull": "Pull artifacts",
  action: "Run actions of apps",
  release: "Give machines back",
  "operation.cancel": "Cancel operations",
};

export function operationWords(kind: string): string {
  return OPERATIONS[kind] ?? kindWords(kind);
}

export const LISTS = ["operations", "regions", "skus", "channels", "artifact_sources"] as const;
export type ListName = (typeof LISTS)[number];

export const LIST_WORDS: Record<ListName, readonly [title: string, about: string]> = {
  operations: ["What may be done", "Giving something back is never refused, and not among these."],
  regions: ["Regions", "Where machines may be taken."],
  skus: ["SKUs", "Which classes of machines may be taken."],
  channels: ["Channels", "By which channels versions of apps may be used."],
  artifact_sources: ["Sources of artifacts", "Where the software of apps may come from."],
};

export const QUOTAS = [
  "instances",
  "members",
  "allocations",
  "gpus",
  "concurrent_operations",
] as const;
export type QuotaName = (typeof QUOTAS)[number];

export const QUOTA_WORDS: Record<QuotaName, string> = {
  instances: "Instances",
  members: "Members",
  allocations: "Machines",
  gpus: "GPUs",
  concurrent_operations: "Operations at a time",
};

export function valueWords(list: ListName, value: string): string {
  return list === "operations" ? operationWords(value) : value;
}

/** What a change of a layer takes away. What may be done is said as it stands in the form. */
export function breakWords(of: Pick<Schemas["BreakRead"], "dimension" | "value" | "sentence">) {
  return of.dimension === "operations" && of.value && !of.value.includes(",")
    ? `“${operationWords(of.value)}” is no longer allowed.`
    : of.sentence;
}
