/** Policy in words: what its layers and limits are called. Pure. */
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
