/** What a version says about itself, as far as pages draw it. The platform has filled in what it leaves out. */
import type { Schemas } from "@/lib/api";

export interface Component {
  min: number;
  max: number | null;
  verbs: string[];
  may_share_host_with: string[];
  description: string | null;
}

export interface Manifest {
  name: string;
  summary: string;
  components: Record<string, Component>;
  config: { schema: JsonSchema; effects: Record<string, string> } | null;
  actions: { name: string; title: string; description: string | null }[];
  views: { name: string; title: string }[];
  meters: { name: string; unit: string; description: string }[];
  rollback: { supported: boolean; loses: string[] };
}

export interface JsonSchema {
  title?: string;
  description?: string;
  type?: string;
  enum?: unknown[];
  default?: unknown;
  required?: string[];
  properties?: Record<string, JsonSchema>;
  "x-ui"?: Record<string, unknown>;
  [keyword: string]: unknown;
}

export function manifestOf(version: Pick<Schemas["VersionDetail"], "manifest">): Manifest {
  const said = version.manifest as Partial<Manifest>;
  return {
    name: said.name ?? "",
    summary: said.summary ?? "",
    components: said.components ?? {},
    config: said.config ?? null,
    actions: said.actions ?? [],
    views: said.views ?? [],
    meters: said.meters ?? [],
    rollback: said.rollback ?? { supported: false, loses: [] },
  };
}

/** "exactly 1", "at least 1", "up to 1,000", "any number". */
export function howMany({ min, max }: Pick<Component, "min" | "max">): string {
  const [least, most] = [min.toLocaleString("en"), max?.toLocaleString("en")];
  if (max === null) return min === 0 ? "any number" : `at least ${least}`;
  if (min === max) return `exactly ${least}`;
  return min === 0 ? `up to ${most}` : `${least} to ${most}`;
}

/** One of the two has to say it. */
export function mayShare(components: Record<string, Component>, one: string, other: string) {
  const says = (a: string, b: string) => components[a]?.may_share_host_with.includes(b) ?? false;
  return says(one, other) || says(other, one);
}
